package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

type treeWork struct {
	Changed   []string `json:"changed"`
	Untracked []string `json:"untracked"`
	Ignored   []string `json:"ignored"`
	Commits   []string `json:"commits"`
	Nested    []string `json:"nested"`
}

func (w *treeWork) String() string {
	if w == nil {
		return "?"
	}
	var parts []string
	for _, p := range []struct {
		list []string
		what string
	}{{w.Changed, "changed"}, {w.Untracked, "untracked"}, {w.Ignored, "ignored"}, {w.Commits, "commits"}, {w.Nested, "repositories"}} {
		if len(p.list) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", len(p.list), p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (a *app) cmdWorktree() *cobra.Command {
	c := &cobra.Command{Use: "worktree", Short: "List, compare and remove the worktrees of threads", Args: cobra.NoArgs}
	c.AddCommand(a.cmdWorktreeList(), a.cmdWorktreeDiff(), a.cmdWorktreeRemove())
	return c
}

func (a *app) cmdWorktreeList() *cobra.Command {
	type input struct {
		Work bool `json:"work"`
	}
	c := a.command("ls", "List the worktrees, and what is in each that nothing else has", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "worktree.list", input{true}, func(out struct {
			Worktrees []struct {
				Name   string        `json:"name"`
				Branch string        `json:"branch"`
				Thread vyre.ThreadID `json:"thread"`
				Work   *treeWork     `json:"work"`
			} `json:"worktrees"`
		},
		) string {
			if len(out.Worktrees) == 0 {
				a.note("There is no worktree. `vyre run --worktree \"…\"` makes one.")
				return ""
			}
			rows := make([][]string, 0, len(out.Worktrees))
			for _, t := range out.Worktrees {
				rows = append(rows, []string{t.Name, t.Branch, view.Short(t.Thread), t.Work.String()})
			}
			return view.Table(a.dataStyle(), []string{"NAME", "BRANCH", "THREAD", "WORK"}, rows)
		})
	})
	c.Aliases = []string{"list"}
	return c
}

func (a *app) cmdWorktreeDiff() *cobra.Command {
	type input struct {
		Thread vyre.ThreadID `json:"thread"`
		Stat   bool          `json:"stat,omitempty"`
	}
	var in input
	c := a.command("diff <thread>", "Show what a thread's worktree changed", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in.Thread = id
			return tool(ctx, a, "worktree.diff", in, func(out struct {
				Files []struct {
					Path    string `json:"path"`
					Added   int    `json:"added"`
					Deleted int    `json:"deleted"`
				} `json:"files"`
				Diff string `json:"diff"`
				Cut  bool   `json:"cut"`
			},
			) string {
				if out.Cut {
					a.note("There is more than is shown.")
				}
				if !in.Stat {
					if a.dataStyle().TTY {
						return term.Clean(out.Diff)
					}
					return out.Diff
				}
				var b strings.Builder
				for _, f := range out.Files {
					fmt.Fprintf(&b, "+%d\t-%d\t%s\n", f.Added, f.Deleted, term.Line(f.Path, 400))
				}
				return b.String()
			})
		})
	})
	c.Flags().BoolVar(&in.Stat, "stat", false, "only which files, and how many lines")
	return c
}

func (a *app) cmdWorktreeRemove() *cobra.Command {
	type input struct {
		Thread vyre.ThreadID `json:"thread,omitempty"`
		Name   string        `json:"name,omitempty"`
		Force  bool          `json:"force,omitempty"`
	}
	var in input
	c := a.command("rm <thread>", "Remove a thread's worktree; with work in it only with --force, which keeps that", 0, 1, func(ctx context.Context, args []string) error {
		show := func(out struct {
			Worktree string `json:"worktree"`
			Kept     string `json:"kept"`
			Moved    string `json:"moved"`
		},
		) string {
			s := done("removed %s", out.Worktree)
			if out.Kept != "" {
				s += done("its work is kept as %s", out.Kept)
			}
			if out.Moved != "" {
				s += done("its ignored files are in %s", out.Moved)
			}
			return s
		}
		if in.Name != "" || len(args) == 0 {
			return tool(ctx, a, "worktree.remove", in, show)
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in.Thread = id
			return tool(ctx, a, "worktree.remove", in, show)
		})
	})
	c.Aliases = []string{"remove"}
	c.Flags().BoolVar(&in.Force, "force", false, "also with work in it, which a reference then keeps")
	c.Flags().StringVar(&in.Name, "name", "", "instead of a thread: the worktree's name")
	return c
}
