package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

type auditInput struct {
	Caller string `json:"caller,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Result string `json:"result,omitempty"`
	Thread string `json:"thread,omitempty"`
	After  string `json:"after,omitempty"`
	Before string `json:"before,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Next   string `json:"next,omitempty"`
}

func (a *app) cmdAudit() *cobra.Command {
	var in auditInput
	c := a.command("audit", "List who did what, and who was refused", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "audit.list", in, func(out struct {
			Entries []vyre.AuditEntry `json:"entries"`
			Next    string            `json:"next"`
		},
		) string {
			if len(out.Entries) == 0 {
				a.note("Nothing of the kind is written down.")
				return ""
			}
			if out.Next != "" {
				a.note("There is more: --next %s", out.Next)
			}
			rows := make([][]string, 0, len(out.Entries))
			for _, e := range out.Entries {
				rows = append(rows, auditCells(e))
			}
			return view.Table(a.dataStyle(), []string{"N", "AT", "CALLER", "PROOF", "LEVEL", "TOOL", "ABOUT", "RESULT"}, rows)
		})
	})
	c.Long = "The newest first. What an agent tried and may not is there too, counted by the minute.\n" +
		"Inputs are not written down, only what they name."
	f := c.Flags()
	f.StringVar(&in.Caller, "caller", "", "person:owner, thread:<id>, …")
	f.StringVar(&in.Tool, "tool", "", "only this tool")
	f.StringVar(&in.Result, "result", "", "done, or a code such as person_only")
	f.StringVar(&in.Thread, "thread", "", "calls about this thread")
	f.StringVar(&in.After, "after", "", "from this time on, in RFC 3339")
	f.StringVar(&in.Before, "before", "", "before this time, in RFC 3339")
	f.IntVar(&in.Limit, "limit", 0, "how many at most (default 100)")
	f.StringVar(&in.Next, "next", "", "go on where an earlier list ended")
	return c
}

func auditCells(e vyre.AuditEntry) []string {
	about := e.About
	if e.Thread != "" {
		about = strings.TrimSuffix("thread "+string(e.Thread)+", "+about, ", ")
	}
	result := e.Result
	if e.Count > 1 {
		result += " ×" + strconv.FormatInt(e.Count, 10)
	}
	cells := []string{strconv.FormatInt(e.N, 10), e.At.String(), e.Caller, e.Proof, e.Level, e.Tool, about, result}
	for i := range cells {
		cells[i] = term.Line(cells[i], 0)
	}
	return cells
}
