package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

type usageInput struct {
	By    string `json:"by,omitempty"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

type usageRow struct {
	Key              string `json:"key"`
	Turns            int64  `json:"turns"`
	InputTokens      int64  `json:"input_tokens"`
	OutputTokens     int64  `json:"output_tokens"`
	CacheReadTokens  int64  `json:"cache_read_tokens"`
	CacheWriteTokens int64  `json:"cache_write_tokens"`
	CostMicros       int64  `json:"cost_micros"`
}

func (a *app) cmdUsage() *cobra.Command {
	in := usageInput{By: "day"}
	c := a.command("usage", "Sum up what turns used and cost", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "usage.get", in, func(out struct {
			By    string     `json:"by"`
			Rows  []usageRow `json:"rows"`
			Total usageRow   `json:"total"`
		},
		) string {
			if out.Total.Turns == 0 {
				a.note("No turn ended in that time.")
				return ""
			}
			rows := make([][]string, 0, len(out.Rows)+1)
			for _, r := range out.Rows {
				rows = append(rows, usageCells(r, or(r.Key, "(none)")))
			}
			rows = append(rows, usageCells(out.Total, "total"))
			return view.Table(a.dataStyle(), []string{strings.ToUpper(out.By), "TURNS", "IN", "OUT", "CACHE READ", "CACHE WRITE", "COST"}, rows)
		})
	})
	c.Long = "Days are those of UTC, by the end of a turn. The cost is what the agent says a turn cost at list prices;\n" +
		"with a subscription nobody is billed for it."
	f := c.Flags()
	f.StringVar(&in.By, "by", in.By, "day, model, project, thread or purpose")
	f.StringVar(&in.Since, "since", "", "from this day or time on: 2026-01-31, or RFC 3339")
	f.StringVar(&in.Until, "until", "", "up to this time, or with this whole day")
	f.IntVar(&in.Limit, "limit", 0, "how many rows, at most 1000")
	return c
}

func usageCells(r usageRow, key string) []string {
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return []string{
		term.Line(key, 0), n(r.Turns), n(r.InputTokens), n(r.OutputTokens), n(r.CacheReadTokens), n(r.CacheWriteTokens), dollars(r.CostMicros),
	}
}

// dollars writes micro-dollars, to a tenth of a cent below a dollar's size.
func dollars(micros int64) string { return fmt.Sprintf("$%.4f", float64(micros)/1e6) }

// micros reads dollars as a person writes them; "none" is no bound.
func micros(s string) (int64, error) {
	if s == "none" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
	if err != nil || !(v > 0) || v > 1e6 {
		return 0, vyre.Invalid("budget", "%q is no amount of dollars", s).WithHint("Write 2.50, or none for no bound.")
	}
	return int64(math.Ceil(v*1e6 - 1e-6)), nil
}

func (a *app) cmdBudget() *cobra.Command {
	type input struct {
		Thread       vyre.ThreadID `json:"thread"`
		BudgetMicros int64         `json:"budget_micros"`
	}
	return a.command("budget <thread> <dollars>|none", "Bound what a thread may cost over its whole life", 2, 2, func(ctx context.Context, args []string) error {
		amount, err := micros(args[1])
		if err != nil {
			return err
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.budget", input{id, amount}, func(t vyre.Thread) string {
				return done("budget of %s: %s; used %s", view.Short(id), args[1], dollars(t.CostMicros))
			})
		})
	})
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
