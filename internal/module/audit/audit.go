package audit

import (
	"context"
	"time"

	"vyre"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

// Store lists entries. internal/store/sqlite implements it.
type Store interface {
	Audit(ctx context.Context, q sqlite.AuditQuery) ([]vyre.AuditEntry, string, error)
}

// Module holds what the tool needs.
type Module struct{ Store Store }

// Register declares the tool and its event.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "audit.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List who did what: every call that changed something and every one that was refused to its caller, by whom, proven how, at which level.",
	}, m.list)
	registry.DefineEvent[vyre.CallRefused](r, "A call was refused to its caller: an agent that tried what only a person may do, say. Calls alike within a minute are told together.")
}

// In is the input of audit.list.
type In struct {
	Caller string        `json:"caller,omitempty" jsonschema:"person:owner, thread:<id>, …; person:owner means every surface of theirs"`
	Tool   string        `json:"tool,omitempty"`
	Result string        `json:"result,omitempty" jsonschema:"done, or a code such as person_only"`
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"calls about this thread"`
	After  string        `json:"after,omitempty" jsonschema:"at this time or later: RFC 3339"`
	Before string        `json:"before,omitempty" jsonschema:"before this time: RFC 3339"`
	Limit  int           `json:"limit,omitempty" jsonschema:"entries, at most 1000; default 100"`
	Next   string        `json:"next,omitempty" jsonschema:"from an earlier list"`
}

// Out is the output of audit.list, the newest first.
type Out struct {
	Entries []vyre.AuditEntry `json:"entries"`
	Next    string            `json:"next"`
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, in In) (Out, error) {
	if in.Limit < 0 || in.Limit > 1000 {
		return Out{}, vyre.Invalid("limit", "1 to 1000")
	}
	after, err := moment("after", in.After)
	if err != nil {
		return Out{}, err
	}
	before, err := moment("before", in.Before)
	if err != nil {
		return Out{}, err
	}
	list, next, err := m.Store.Audit(ctx, sqlite.AuditQuery{
		Tool: in.Tool, Caller: in.Caller, Result: in.Result, Thread: in.Thread, After: after, Before: before, Limit: in.Limit, Next: in.Next,
	})
	return Out{list, next}, err
}

func moment(field, s string) (vyre.Time, error) {
	if s == "" {
		return 0, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, vyre.Invalid(field, "a time in RFC 3339, like 2026-01-31T08:00:00Z")
	}
	return vyre.At(at), nil
}
