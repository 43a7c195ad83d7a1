package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

type forkInput struct {
	Thread  vyre.ThreadID  `json:"thread"`
	Message vyre.MessageID `json:"message,omitempty"`
	Name    string         `json:"name,omitempty"`
}

type rewindInput struct {
	Thread  vyre.ThreadID  `json:"thread"`
	Message vyre.MessageID `json:"message"`
	Files   bool           `json:"files,omitempty"`
	DryRun  bool           `json:"dry_run,omitempty"`
	Text    string         `json:"text,omitempty"`
}

type rewindOutput struct {
	Turns int64 `json:"turns"`
	Items int64 `json:"items"`
	Files *struct {
		Files      []string `json:"files"`
		Insertions int      `json:"insertions"`
		Deletions  int      `json:"deletions"`
	} `json:"files"`
	Sent *sendOutput `json:"sent"`
}

// branchCommands are the verbs that take a conversation another way.
func (a *app) branchCommands() []*cobra.Command {
	return []*cobra.Command{a.cmdFork(), a.cmdRewind(), a.cmdCompact()}
}

func (a *app) cmdFork() *cobra.Command {
	var in forkInput
	c := a.command("fork <thread>", "Copy a conversation into a new thread; the source stays as it is", 1, 1, func(ctx context.Context, args []string) error {
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in.Thread = id
			return tool(ctx, a, "threads.fork", in, func(th struct {
				Thread vyre.ThreadID `json:"thread"`
			},
			) string {
				return done("forked: %s", th.Thread)
			})
		})
	})
	c.Flags().StringVar((*string)(&in.Message), "before", "", "the copy ends before this `message` (vyre rewind THREAD lists them)")
	c.Flags().StringVar(&in.Name, "name", "", "its `name`; by default the source's")
	return c
}

func (a *app) cmdRewind() *cobra.Command {
	var in rewindInput
	yes := false
	c := a.command("rewind <thread> [message]", "Take a conversation back to before a message", 1, 2, func(ctx context.Context, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		if in.Thread, err = a.thread(ctx, c, args[0]); err != nil {
			return err
		}
		if len(args) == 1 {
			return a.listMessages(ctx, c, in.Thread)
		}
		in.Message = vyre.MessageID(args[1])
		if in.DryRun {
			return tool(ctx, a, "threads.rewind", in, showRewind)
		}
		if !yes {
			dry := in
			dry.DryRun, dry.Text = true, ""
			var out rewindOutput
			if err := c.Call(ctx, "threads.rewind", dry, &out); err != nil {
				return err
			}
			a.note("%s", strings.TrimSuffix(showRewind(out), "\n"))
			if err := a.confirm(ctx, "Go back?"); err != nil {
				return err
			}
		}
		return tool(ctx, a, "threads.rewind", in, func(out rewindOutput) string {
			if out.Sent != nil {
				return done("gone back; %s %s", sentAs(out.Sent.Via), out.Sent.Message)
			}
			return done("gone back: %s", view.Short(in.Thread))
		})
	})
	c.Long = "Without a message it lists those that the conversation can go back before. Nothing is deleted:\nwhat was said stays readable (vyre call threads.items with rewound)."
	c.Flags().BoolVar(&in.Files, "files", false, "put files that the agent's tools changed back as well")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "only say what would go")
	c.Flags().StringVar(&in.Text, "text", "", "send this instead of the message: that edits it")
	c.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return c
}

func showRewind(out rewindOutput) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d turns with %d items leave the conversation; they stay readable.\n", out.Turns, out.Items)
	if f := out.Files; f != nil {
		fmt.Fprintf(&b, "%d files go back (+%d -%d lines):\n", len(f.Files), f.Insertions, f.Deletions)
		for _, name := range f.Files {
			fmt.Fprintf(&b, "  %s\n", term.Line(name, 200))
		}
	}
	return b.String()
}

// listMessages shows what began the turns of a thread, with the ids to name them by.
func (a *app) listMessages(ctx context.Context, c *client.Client, id vyre.ThreadID) error {
	in := struct {
		Thread vyre.ThreadID `json:"thread"`
		Before vyre.ItemID   `json:"before,omitempty"`
		Limit  int           `json:"limit"`
	}{Thread: id, Limit: 200}
	var lines []string
	for {
		var page struct {
			Items []vyre.Item `json:"items"`
			Next  vyre.ItemID `json:"next"`
		}
		if err := c.Call(ctx, "threads.items", in, &page); err != nil {
			return err
		}
		var here []string
		for _, it := range page.Items {
			var body struct {
				Message vyre.MessageID `json:"message"`
			}
			if it.Kind == vyre.ItemUser && json.Unmarshal(it.Body, &body) == nil && body.Message != "" {
				here = append(here, fmt.Sprintf("%s  %s\n", body.Message, term.Line(it.Text, 80)))
			}
		}
		lines = append(here, lines...)
		if in.Before = page.Next; in.Before == "" {
			break
		}
	}
	if len(lines) == 0 {
		a.note("Nothing was said yet.")
	}
	_, err := fmt.Fprint(a.Out, strings.Join(lines, ""))
	return err
}

func (a *app) cmdCompact() *cobra.Command {
	return a.command("compact <thread> [what to keep]", "Have the agent sum up the conversation, to free its context window", 1, -1, func(ctx context.Context, args []string) error {
		type input struct {
			Thread       vyre.ThreadID `json:"thread"`
			Instructions string        `json:"instructions,omitempty"`
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			in := input{id, strings.Join(args[1:], " ")}
			return tool(ctx, a, "threads.compact", in, func(out sendOutput) string { return done("%s %s", sentAs(out.Via), out.Message) })
		})
	})
}

func (a *app) cmdResume() *cobra.Command {
	cwd := ""
	c := a.command("resume <thread>", "Start a thread's session again", 1, 1, func(ctx context.Context, args []string) error {
		type input struct {
			Thread vyre.ThreadID `json:"thread"`
			CWD    string        `json:"cwd,omitempty"`
		}
		if cwd != "" {
			abs, err := filepath.Abs(cwd)
			if err != nil {
				return err
			}
			cwd = abs
		}
		return a.withThread(ctx, args[0], func(id vyre.ThreadID) error {
			return tool(ctx, a, "threads.resume", input{id, cwd}, func(anything) string { return done("resumed %s", view.Short(id)) })
		})
	})
	c.Flags().StringVar(&cwd, "cwd", "", "where the thread's `folder` is now, if it moved")
	return c
}
