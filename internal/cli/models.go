package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

type modelsOutput struct {
	Models []struct {
		Purpose vyre.Purpose      `json:"purpose"`
		Model   string            `json:"model"`
		From    string            `json:"from"`
		Names   map[string]string `json:"names"`
	} `json:"models"`
	Set []vyre.ModelSetting `json:"set"`
}

func (a *app) cmdModels() *cobra.Command {
	type get struct {
		Project string `json:"project,omitempty"`
	}
	type set struct {
		Purpose string  `json:"purpose,omitempty"`
		Project string  `json:"project,omitempty"`
		Model   *string `json:"model"`
	}
	project := ""
	folder := func() (string, error) {
		if project == "" {
			return "", nil
		}
		return filepath.Abs(project)
	}
	c := a.command("models", "Show which model threads of each purpose get, and why", 0, 0, func(ctx context.Context, _ []string) error {
		dir, err := folder()
		if err != nil {
			return err
		}
		return tool(ctx, a, "sessions.models.get", get{dir}, a.showModels)
	})
	c.Long = "The order: what a thread was started with, its project's, its purpose's, config.toml, the default.\n" +
		"A change counts from a thread's next start or resume."
	change := func(use, short string, args int, model func([]string) *string) *cobra.Command {
		return a.command(use, short, 0, args+1, func(ctx context.Context, given []string) error {
			dir, err := folder()
			if err != nil {
				return err
			}
			in := set{Project: dir}
			if dir == "" && len(given) > 0 {
				in.Purpose, given = given[0], given[1:]
			}
			if len(given) != args || in.Purpose == "" && dir == "" {
				return vyre.Errorf(vyre.CodeInvalid, "models: give a purpose or --project, one of them").WithHint("usage: vyre models " + use)
			}
			in.Model = model(given)
			return tool(ctx, a, "sessions.models.set", in, a.showModels)
		})
	}
	c.AddCommand(
		change("set [PURPOSE] MODEL", "Set the model of a purpose, or of --project: large, small or the agent's own id", 1,
			func(given []string) *string { return &given[0] }),
		change("unset [PURPOSE]", "Take the model of a purpose, or of --project, back", 0, func([]string) *string { return nil }),
	)
	c.PersistentFlags().StringVar(&project, "project", "", "a project's folder")
	return c
}

func (a *app) showModels(out modelsOutput) string {
	rows := make([][]string, 0, len(out.Models))
	for _, m := range out.Models {
		var names []string
		for p, n := range m.Names {
			names = append(names, p+": "+or(n, "its default"))
		}
		slices.Sort(names)
		rows = append(rows, []string{string(m.Purpose), term.Line(m.Model, 0), m.From, term.Line(strings.Join(names, ", "), 0)})
	}
	var b strings.Builder
	b.WriteString(view.Table(a.dataStyle(), []string{"PURPOSE", "MODEL", "FROM", "MEANS"}, rows))
	for _, s := range out.Set {
		if s.Scope == vyre.ModelOfProject {
			fmt.Fprintf(&b, "project %s: %s\n", term.Line(s.Name, 0), term.Line(s.Model, 0))
		}
	}
	return b.String()
}

type promptOutput struct {
	vyre.PromptVersion
	History []vyre.PromptVersion `json:"history"`
}

func (a *app) cmdPrompt() *cobra.Command {
	type of struct {
		Purpose string `json:"purpose"`
		Version int    `json:"version,omitempty"`
	}
	type text struct {
		Purpose string `json:"purpose"`
		Text    string `json:"text"`
	}
	c := &cobra.Command{
		Use:   "prompt",
		Short: "Read and set what is added to the agent's own prompt, by purpose",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	version := 0
	show := a.command("show PURPOSE", "Print the text in force; --version prints an earlier one", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "sessions.prompt.get", of{args[0], version}, func(p promptOutput) string {
			if p.Text == "" {
				a.note("Nothing is added for %s.", args[0])
				return ""
			}
			return strings.TrimSuffix(term.Clean(p.Text), "\n") + "\n"
		})
	})
	show.Flags().IntVar(&version, "version", 0, "an earlier version")
	history := a.command("history PURPOSE", "List the versions, the newest first", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "sessions.prompt.get", of{Purpose: args[0]}, func(p promptOutput) string {
			rows := make([][]string, 0, len(p.History))
			for _, v := range p.History {
				what := fmt.Sprintf("%d bytes", v.Bytes)
				if v.Reverts > 0 {
					what += fmt.Sprintf(", as version %d", v.Reverts)
				}
				rows = append(rows, []string{fmt.Sprint(v.Version), view.Ago(v.At, a.Now()), what})
			}
			return view.Table(a.dataStyle(), []string{"VERSION", "SET", "TEXT"}, rows)
		})
	})
	set := a.command("set PURPOSE TEXT", "Set the text (- reads standard input; an empty one adds nothing)", 2, -1, func(ctx context.Context, args []string) error {
		words := strings.Join(args[1:], " ")
		if words == "-" {
			b, err := a.in.All(ctx, maxText)
			if err != nil {
				return vyre.Invalid("text", "standard input could not be read: %v", err)
			}
			words = string(b)
		}
		return tool(ctx, a, "sessions.prompt.set", text{args[0], words}, shownPrompt)
	})
	revert := a.command("revert PURPOSE [VERSION]", "Take up an earlier version again, by default the one before", 1, 2, func(ctx context.Context, args []string) error {
		in := of{Purpose: args[0]}
		if len(args) == 2 {
			if _, err := fmt.Sscanf(args[1], "%d", &in.Version); err != nil || in.Version < 1 {
				return vyre.Invalid("version", "%q is no version", args[1])
			}
		}
		return tool(ctx, a, "sessions.prompt.revert", in, shownPrompt)
	})
	c.AddCommand(show, history, set, revert)
	return c
}

func shownPrompt(p promptOutput) string {
	return done("version %d of %s, %d bytes; it counts from a thread's next start or resume", p.Version, p.Purpose, p.Bytes)
}
