package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
)

func (a *app) cmdList() *cobra.Command {
	in := listInput{}
	var archived bool
	c := a.command("ls", "List the threads, newest first", 0, 0, func(ctx context.Context, _ []string) error {
		if archived {
			in.Archived = &archived
		}
		return tool(ctx, a, "threads.list", in, a.showThreads)
	})
	c.Aliases = []string{"list"}
	c.Flags().StringVar(&in.State, "state", "", "only threads in this state")
	c.Flags().StringVar(&in.Project, "project", "", "only threads of this project")
	c.Flags().BoolVar(&archived, "archived", false, "only threads that were put away")
	c.Flags().IntVar(&in.Limit, "limit", 0, "at most so many")
	c.Flags().StringVar(&in.Next, "next", "", "go on where an earlier list ended")
	return c
}

func (a *app) showThreads(out struct {
	Threads []vyre.Thread `json:"threads"`
	Next    string        `json:"next"`
},
) string {
	if len(out.Threads) == 0 {
		a.note("There is no thread yet. `vyre run \"…\"` starts one.")
		return ""
	}
	if out.Next != "" {
		a.note("There are more: --next %s", out.Next)
	}
	return view.Threads(a.dataStyle(), out.Threads, a.Now())
}

func (a *app) cmdItems() *cobra.Command {
	var in itemsInput
	c := a.command("items <thread>", "Show a thread's timeline", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in.Thread = id
			return tool(ctx, a, "threads.items", in, func(out itemsOutput) string {
				style := a.dataStyle()
				live := view.NewLive(term.NewOut(a.Out, style, a.Out, style))
				live.Items(out.Items)
				live.End()
				return ""
			})
		})
	})
	c.Flags().StringVar((*string)(&in.After), "after", "", "only what came after this item")
	c.Flags().StringVar((*string)(&in.Before), "before", "", "only what came before this item")
	c.Flags().IntVar(&in.Limit, "limit", 0, "at most so many")
	return c
}

func (a *app) cmdSend() *cobra.Command {
	var in sendInput
	var files []string
	var queue bool
	c := a.command("send <thread> <text>", "Say something to a thread (- reads standard input)", 2, -1, func(ctx context.Context, args []string) error {
		text, err := a.text(ctx, "text", args[1:])
		if err != nil {
			return err
		}
		if queue {
			in.Mode = "queue"
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in.Thread, in.Text = id, text
			if in.Attachments, err = a.attachFor(ctx, id, files); err != nil {
				return err
			}
			return tool(ctx, a, "threads.send", in, func(out sendOutput) string {
				return done("%s %s", sentAs(out.Via), out.Message)
			})
		})
	})
	c.Flags().BoolVar(&queue, "queue", false, "wait for the running turn's end instead of joining it")
	c.Flags().StringVar(&in.Mode, "mode", "", "queue: the same as --queue")
	c.Flags().StringVar(&in.Key, "key", "", "the message's id; the same key again sends nothing twice")
	c.Flags().StringSliceVar(&files, "attach", nil, "a picture or `file` that goes with it (may be repeated)")
	return c
}

func sentAs(via vyre.Via) string {
	switch via {
	case vyre.ViaQueue:
		return "queued until the running turn ends:"
	case vyre.ViaSteer:
		return "joins the running turn:"
	case vyre.ViaResume:
		return "sent, the session is being resumed:"
	default:
		return "sent:"
	}
}

// simpleCommands are the verbs that name a thread, call one tool and say so.
func (a *app) simpleCommands() []*cobra.Command {
	type threadMode struct {
		Thread vyre.ThreadID `json:"thread"`
		Mode   vyre.Mode     `json:"mode"`
	}
	type threadModel struct {
		Thread vyre.ThreadID `json:"thread"`
		Model  string        `json:"model"`
	}
	type threadName struct {
		Thread vyre.ThreadID `json:"thread"`
		Name   string        `json:"name"`
	}
	verb := func(use, short, name, did string, more int, input func(id vyre.ThreadID, args []string) any) *cobra.Command {
		return a.command(use, short, 1+more, 1+more, func(ctx context.Context, args []string) error {
			return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
				return tool(ctx, a, name, input(id, args[1:]), func(anything) string { return done("%s %s", did, view.Short(id)) })
			})
		})
	}
	type threadArchived struct {
		Thread   vyre.ThreadID `json:"thread"`
		Archived bool          `json:"archived"`
	}
	undo := false
	archive := a.command("archive <thread>", "Put a thread away that is not at work; nothing is deleted", 1, 1, func(ctx context.Context, args []string) error {
		did := "archived"
		if undo {
			did = "taken out again:"
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.archive", threadArchived{id, !undo}, func(anything) string { return done("%s %s", did, view.Short(id)) })
		})
	})
	archive.Flags().BoolVar(&undo, "undo", false, "take it out again")
	alone := func(id vyre.ThreadID, _ []string) any { return threadInput{id} }
	return []*cobra.Command{
		a.cmdInterrupt(),
		verb("stop <thread>", "End a thread's session; a message resumes it", "threads.stop", "stopped", 0, alone),
		a.cmdResume(),
		archive,
		verb("rename <thread> <name>", "Give a thread a name", "threads.rename", "renamed", 1,
			func(id vyre.ThreadID, args []string) any { return threadName{id, args[0]} }),
		verb("mode <thread> ask|edits|plan", "Set how much goes unasked", "threads.mode", "mode set:", 1,
			func(id vyre.ThreadID, args []string) any { return threadMode{id, vyre.Mode(args[0])} }),
		verb("model <thread> <model>", "Set a thread's model", "threads.model", "model set:", 1,
			func(id vyre.ThreadID, args []string) any { return threadModel{id, args[0]} }),
	}
}

func (a *app) cmdInterrupt() *cobra.Command {
	return a.command("interrupt <thread>", "End the running turn; the session lives on", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.interrupt", threadInput{id}, func(out struct {
				Turn vyre.TurnID `json:"turn"`
			},
			) string {
				if out.Turn == "" {
					return done("no turn runs in %s", view.Short(id))
				}
				return done("interrupted %s", view.Short(id))
			})
		})
	})
}
