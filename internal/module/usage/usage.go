package usage

import (
	"context"
	"time"

	"vyre"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

// Store sums up. internal/store/sqlite implements it.
type Store interface {
	Usage(ctx context.Context, q sqlite.UsageQuery) ([]sqlite.UsageRow, sqlite.UsageRow, error)
}

// Module holds what the tool needs.
type Module struct{ Store Store }

// Register declares the tool.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "usage.get", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Sum up what turns used: tokens, cache and cost, by day, model, project, thread or purpose.",
	}, m.get)
}

// By is what usage is summed by.
type By string

// Enum lists the values of a By.
func (By) Enum() []string {
	out := make([]string, len(sqlite.UsageBys))
	for i, b := range sqlite.UsageBys {
		out[i] = string(b)
	}
	return out
}

// In is the input of usage.get.
type In struct {
	By    By     `json:"by,omitempty" jsonschema:"day (of UTC, the default), model, project, thread or purpose"`
	Since string `json:"since,omitempty" jsonschema:"turns that ended at this time or later: 2026-01-31, or RFC 3339"`
	Until string `json:"until,omitempty" jsonschema:"and before this time; a day is meant whole"`
	Limit int    `json:"limit,omitempty" jsonschema:"rows, at most 1000; default 100"`
}

// Out is the output of usage.get: the newest days first, the others by cost. Total
// is over every turn of the range.
type Out struct {
	By    By                `json:"by"`
	Rows  []sqlite.UsageRow `json:"rows"`
	Total sqlite.UsageRow   `json:"total"`
}

func (m *Module) get(ctx context.Context, _ vyre.Caller, in In) (Out, error) {
	if in.By == "" {
		in.By = By(sqlite.UsageByDay)
	}
	if in.Limit < 0 || in.Limit > 1000 {
		return Out{}, vyre.Invalid("limit", "1 to 1000")
	}
	since, err := moment("since", in.Since, false)
	if err != nil {
		return Out{}, err
	}
	until, err := moment("until", in.Until, true)
	if err != nil {
		return Out{}, err
	}
	rows, total, err := m.Store.Usage(ctx, sqlite.UsageQuery{By: sqlite.UsageBy(in.By), Since: since, Until: until, Limit: in.Limit})
	return Out{in.By, rows, total}, err
}

// moment reads a day or a time; "" is 0. The end of a range takes its whole day in.
func moment(field, s string, end bool) (vyre.Time, error) {
	if s == "" {
		return 0, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		if end {
			day = day.AddDate(0, 0, 1)
		}
		return vyre.At(day), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, vyre.Invalid(field, "a day like 2026-01-31 or a time in RFC 3339")
	}
	return vyre.At(at), nil
}
