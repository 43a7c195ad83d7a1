package cli

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

func (a *app) cmdGrants() *cobra.Command {
	c := &cobra.Command{Use: "grants", Short: "Show, give and take back what agents may do unasked", Args: cobra.NoArgs}
	c.AddCommand(a.cmdGrantsList(), a.cmdGrantsAdd(), a.cmdGrantsRevoke())
	return c
}

// grantShape is a grant as the tools give it.
type grantShape struct {
	vyre.Grant
	Words string `json:"words"`
}

func (a *app) cmdGrantsList() *cobra.Command {
	var in struct {
		Project string `json:"project,omitempty"`
		All     bool   `json:"all,omitempty"`
	}
	c := a.command("ls", "List the standing allows, and how often each was used", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "grants.list", in, func(out struct {
			Grants []grantShape `json:"grants"`
		},
		) string {
			if len(out.Grants) == 0 {
				a.note("There is none. Answering a question with \"always\" gives one.")
				return ""
			}
			rows := make([][]string, 0, len(out.Grants))
			for _, g := range out.Grants {
				rows = append(rows, []string{string(g.ID), term.Line(g.Words, 200), term.Line(g.Project, 200), strconv.FormatInt(g.Uses, 10), timeOr(g.LastUsed, "never"), grantState(g.Grant)})
			}
			return view.Table(a.dataStyle(), []string{"GRANT", "LETS PASS", "PROJECT", "USES", "LAST", "STATE"}, rows)
		})
	})
	c.Aliases = []string{"list"}
	c.Flags().StringVar(&in.Project, "project", "", "only this project's folder")
	c.Flags().BoolVar(&in.All, "all", false, "also those that were taken back or are over")
	return c
}

func grantState(g vyre.Grant) string {
	switch {
	case g.Revoked != 0:
		return "taken back " + g.Revoked.String()
	case g.Expires != 0:
		return "until " + g.Expires.String()
	}
	return "holds"
}

func timeOr(t vyre.Time, none string) string {
	if t == 0 {
		return none
	}
	return t.String()
}

func (a *app) cmdGrantsAdd() *cobra.Command {
	var project, path, expires string
	var prefix bool
	c := a.command("add [--prefix] [-- words…]", "Let every agent run one command, or edit below a folder, unasked", 0, -1, func(ctx context.Context, args []string) error {
		in := struct {
			Project string         `json:"project"`
			Kind    vyre.GrantKind `json:"kind"`
			Args    []string       `json:"args,omitempty"`
			Path    string         `json:"path,omitempty"`
			Expires string         `json:"expires,omitempty"`
		}{project, vyre.GrantCommand, args, path, expires}
		switch {
		case path != "" && len(args) > 0:
			return vyre.Invalid("path", "a command's words, or --path, not both")
		case path != "":
			in.Kind = vyre.GrantWrite
		case len(args) == 0:
			return vyre.Invalid("words", "name the command: vyre grants add -- npm test")
		case prefix:
			in.Kind = vyre.GrantPrefix
		}
		var err error
		if in.Project, err = filepath.Abs(project); err != nil {
			return vyre.Invalid("project", "this is no path")
		}
		return tool(ctx, a, "grants.add", in, func(g grantShape) string {
			return done("%s: %s, in %s", g.ID, term.Line(g.Words, 400), term.Line(g.Project, 400))
		})
	})
	c.Long = "The words are compared one by one, not as text: `npm test` does not let `npm test; curl …` pass.\n" +
		"What is always asked stays asked, and what nobody may stays refused."
	f := c.Flags()
	f.StringVar(&project, "project", ".", "the project's folder")
	f.StringVar(&path, "path", "", "let edits below this folder of the project pass instead (. is all of it)")
	f.StringVar(&expires, "expires", "", "a time in RFC 3339, or a duration like 8h (default: never)")
	f.BoolVar(&prefix, "prefix", false, "also what begins with these words, where the program is known")
	return c
}

func (a *app) cmdGrantsRevoke() *cobra.Command {
	type input struct {
		Grant string `json:"grant"`
	}
	return a.command("revoke <grant>", "Take one back; the next such call is asked", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "grants.revoke", input{args[0]}, func(g grantShape) string {
			return done("taken back: %s, used %d times", term.Line(g.Words, 400), g.Uses)
		})
	})
}
