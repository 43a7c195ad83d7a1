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

// queueOutput is what threads.queue gives.
type queueOutput struct {
	Messages []vyre.Message `json:"messages"`
	Steering []vyre.Message `json:"steering"`
}

type queuedInput struct {
	Thread  vyre.ThreadID  `json:"thread"`
	Message vyre.MessageID `json:"message"`
	Text    string         `json:"text,omitempty"`
	Before  vyre.MessageID `json:"before,omitempty"`
}

// queueCommands are the verbs of what waits.
func (a *app) queueCommands() []*cobra.Command {
	send := func(out sendOutput) string { return done("%s %s", sentAs(out.Via), out.Message) }
	var before string
	move := a.command("move <thread> <message>", "Put a queued message before another one, or last", 2, 2, func(ctx context.Context, args []string) error {
		return a.withQueued(ctx, args[0], args[1], before, func(in queuedInput) error {
			return tool(ctx, a, "threads.move", in, func(anything) string { return done("moved %s", in.Message) })
		})
	})
	move.Flags().StringVar(&before, "before", "", "the queued `message` it goes before; without it, it goes last")
	return []*cobra.Command{
		a.cmdQueue(),
		a.command("edit <thread> <message> <text>", "Give a queued message other words (- reads standard input)", 3, -1, func(ctx context.Context, args []string) error {
			text, err := a.text(ctx, "text", args[2:])
			if err != nil {
				return err
			}
			return a.withQueued(ctx, args[0], args[1], "", func(in queuedInput) error {
				in.Text = text
				return tool(ctx, a, "threads.edit", in, func(anything) string { return done("edited %s", in.Message) })
			})
		}),
		a.command("unqueue <thread> <message>", "Take a queued message back", 2, 2, func(ctx context.Context, args []string) error {
			return a.withQueued(ctx, args[0], args[1], "", func(in queuedInput) error {
				return tool(ctx, a, "threads.unqueue", in, func(anything) string { return done("taken back: %s", in.Message) })
			})
		}),
		move,
		a.command("send-now <thread> <message>", "Send a queued message now: into the running turn, or as the next one", 2, 2, func(ctx context.Context, args []string) error {
			return a.withQueued(ctx, args[0], args[1], "", func(in queuedInput) error { return tool(ctx, a, "threads.send_now", in, send) })
		}),
		a.cmdTasks(),
		a.cmdStopTask(),
	}
}

func (a *app) cmdQueue() *cobra.Command {
	return a.command("queue <thread>", "List the messages that wait", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.queue", threadInput{id}, a.showQueue)
		})
	})
}

func (a *app) showQueue(out queueOutput) string {
	if len(out.Messages)+len(out.Steering) == 0 {
		a.note("Nothing waits.")
	}
	s := a.dataStyle()
	var b strings.Builder
	line := func(m vyre.Message, how string) {
		fmt.Fprintf(&b, "%s  %s%s\n", m.ID, term.Line(m.Text, 80), how)
	}
	for _, m := range out.Steering {
		line(m, s.Dim("  (joins the running turn)"))
	}
	for _, m := range out.Messages {
		line(m, "")
	}
	return b.String()
}

// withQueued runs f with the queued messages that are meant, by their ids or the
// beginnings of them. One that does not wait goes on as it is: the daemon says why.
func (a *app) withQueued(ctx context.Context, thread, message, before string, f func(in queuedInput) error) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	in := queuedInput{}
	if in.Thread, err = a.thread(ctx, c, thread); err != nil {
		return err
	}
	var out queueOutput
	if err := c.Call(ctx, "threads.queue", threadInput{in.Thread}, &out); err != nil {
		return err
	}
	var waiting []named
	for _, m := range out.Messages {
		waiting = append(waiting, named{id: string(m.ID), name: term.Line(m.Text, 24)})
	}
	find := func(ref string) (vyre.MessageID, error) {
		id, err := match("message", ref, waiting, "`vyre queue` lists what waits.")
		if vyre.CodeOf(err) == vyre.CodeNotFound && vyre.ValidID(ref) {
			return vyre.MessageID(ref), nil
		}
		return vyre.MessageID(id), err
	}
	if in.Message, err = find(message); err != nil {
		return err
	}
	if before != "" {
		if in.Before, err = find(before); err != nil {
			return err
		}
	}
	return f(in)
}

func (a *app) cmdTasks() *cobra.Command {
	return a.command("tasks <thread>", "List a thread's work in the background", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.tasks", threadInput{id}, func(out struct {
				Tasks []vyre.Task `json:"tasks"`
			},
			) string {
				if len(out.Tasks) == 0 {
					a.note("Nothing runs in the background of %s.", view.Short(id))
				}
				var b strings.Builder
				for _, t := range out.Tasks {
					fmt.Fprintf(&b, "%s  %s  %s\n", t.ID, t.State, term.Line(t.Title, 80))
				}
				return b.String()
			})
		})
	})
}

func (a *app) cmdStopTask() *cobra.Command {
	type in struct {
		Thread vyre.ThreadID `json:"thread"`
		Task   string        `json:"task"`
	}
	return a.command("stop-task <thread> <task>", "End one piece of work in the background", 2, 2, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.stop_task", in{id, args[1]}, func(anything) string { return done("ended %s", args[1]) })
		})
	})
}
