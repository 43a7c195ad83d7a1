package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

func (a *app) cmdTrust() *cobra.Command {
	c := &cobra.Command{Use: "trust", Short: "Show and take back what you decided on the settings that folders bring", Args: cobra.NoArgs}
	c.AddCommand(a.cmdTrustList(), a.cmdTrustRevoke())
	return c
}

func (a *app) cmdTrustList() *cobra.Command {
	c := a.command("ls", "List the folders that you decided on", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "trust.list", anything{}, func(out struct {
			Decisions []vyre.TrustDecision `json:"decisions"`
		},
		) string {
			if len(out.Decisions) == 0 {
				a.note("Nothing was decided. A thread in a folder with settings of its own asks.")
				return ""
			}
			rows := make([][]string, 0, len(out.Decisions))
			for _, d := range out.Decisions {
				rows = append(rows, []string{term.Line(d.Path, 400), d.Provider, string(d.Decision), d.Digest[:min(12, len(d.Digest))], d.At.String()})
			}
			return view.Table(a.dataStyle(), []string{"FOLDER", "AGENT", "DECISION", "FILES", "AT"}, rows)
		})
	})
	c.Aliases = []string{"list"}
	return c
}

func (a *app) cmdTrustRevoke() *cobra.Command {
	type input struct {
		Path string `json:"path"`
	}
	return a.command("revoke <folder>", "Take back what was decided on a folder; its next start asks again", 1, 1, func(ctx context.Context, args []string) error {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return vyre.Invalid("folder", "this is no path")
		}
		return tool(ctx, a, "trust.revoke", input{path}, func(out struct {
			Revoked []vyre.TrustDecision `json:"revoked"`
		},
		) string {
			var s strings.Builder
			for _, d := range out.Revoked {
				s.WriteString(done("taken back: %s for %s", d.Decision, term.Line(d.Path, 400)))
			}
			return s.String()
		})
	})
}
