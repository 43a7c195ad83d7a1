package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

func (a *app) cmdRun() *cobra.Command {
	in := startInput{Provider: "claude", CWD: "."}
	budget := ""
	var files []string
	c := a.command("run <prompt>", "Start a thread here and watch its first turn (- reads standard input)", 1, -1, func(ctx context.Context, args []string) error {
		var err error
		if in.Prompt, err = a.text(ctx, "prompt", args); err != nil {
			return err
		}
		if budget != "" {
			if in.BudgetMicros, err = micros(budget); err != nil {
				return err
			}
		}
		if in.CWD, err = filepath.Abs(in.CWD); err != nil {
			return err
		}
		if _, err := a.ensure(ctx, true); err != nil {
			return err
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		if in.Attachments, err = a.attachFiles(ctx, c, "", files); err != nil {
			return err
		}
		return a.run(ctx, c, in)
	})
	c.Long = "Starts a thread in the current folder, prints what the agent says as it comes, and asks here what it asks.\n" +
		"Ctrl-C interrupts the turn; a second one leaves, and the turn goes on.\n" +
		"The exit code is 0 for a turn that completed, 1 for one that failed, 130 for one that was interrupted.\n" +
		"With --json it prints the tool's output, waits for the turn's end and leaves asks to others."
	f := c.Flags()
	f.StringVar(&in.Provider, "provider", in.Provider, "which agent, as vyre providers lists them")
	f.StringVar(&in.Model, "model", "", "the model: large, small or the agent's own id; by default as vyre models shows")
	f.StringVar(&in.Purpose, "purpose", "", "what the thread is for; by default from the folder")
	f.BoolVar(&in.Once, "once", false, "a job: one turn, without tools and settings, within a budget")
	f.StringVar(&budget, "budget", "", "what the thread may cost, in dollars")
	f.StringVar((*string)(&in.Mode), "mode", "", "how much goes unasked: ask, edits or plan")
	f.StringVar(&in.CWD, "cwd", in.CWD, "the folder to work in")
	f.StringVar(&in.Name, "name", "", "a name for the thread")
	f.StringSliceVar(&files, "attach", nil, "a picture or `file` that goes with the prompt (may be repeated)")
	f.BoolVar(&in.Worktree, "worktree", false, "work in a git worktree of its own")
	f.StringVar(&in.Branch, "branch", "", "with --worktree: the name of its new branch")
	f.StringVar(&in.Base, "base", "", "with --worktree: where it begins; default what is checked out")
	return c
}

// run starts a thread and follows its first turn.
func (a *app) run(ctx context.Context, c *client.Client, in startInput) error {
	head, err := c.Head(ctx, "")
	if err != nil {
		return err
	}
	var started startOutput
	if err := c.Call(ctx, "threads.start", in, &started); err != nil {
		return err
	}
	f := a.newFollow(c, started.Thread, head)
	f.turn, f.busy = started.Turn, true
	if a.json {
		if err := a.printValue(started); err != nil {
			return err
		}
	} else {
		a.note("thread %s (%s) in %s", view.Short(started.Thread), in.Provider, in.CWD)
	}
	return f.run(ctx)
}

func (a *app) cmdAttach() *cobra.Command {
	limit := 0
	c := a.command("attach <thread>", "Watch a thread, talk to it and answer what it asks", 1, 1, func(ctx context.Context, args []string) error {
		if _, err := a.ensure(ctx, true); err != nil {
			return err
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		id, err := a.thread(ctx, c, args[0])
		if err != nil {
			return err
		}
		return a.attach(ctx, c, id, limit)
	})
	c.Long = "Shows the end of the timeline and goes on live. A line that you type is a message.\n" +
		"Ctrl-C interrupts a running turn, and leaves when none runs; Ctrl-D leaves. The thread goes on."
	c.Flags().IntVar(&limit, "limit", 20, "how many items to show first")
	return c
}

// attach draws the present and follows from it. The cursor is taken first, so
// that nothing falls between the two; what is told twice is drawn once.
func (a *app) attach(ctx context.Context, c *client.Client, id vyre.ThreadID, limit int) error {
	head, err := c.Head(ctx, id)
	if err != nil {
		return err
	}
	var t vyre.Thread
	if err := c.Call(ctx, "threads.get", threadInput{id}, &t); err != nil {
		return err
	}
	var items itemsOutput
	if limit > 0 {
		if err := c.Call(ctx, "threads.items", itemsInput{Thread: id, Limit: limit}, &items); err != nil {
			return err
		}
	}
	asks, err := openAsks(ctx, c, id)
	if err != nil {
		return err
	}
	f := a.newFollow(c, id, head)
	f.compose = true
	f.busy = t.State == vyre.StateRunning || t.State == vyre.StateWaiting
	if a.json {
		if err := a.printValue(items); err != nil {
			return err
		}
		return f.run(ctx)
	}
	f.live.Echo = true
	f.live.Items(items.Items)
	f.out.Note(f.out.Notes.Dim("thread " + view.Short(id) + " (" + t.Provider + ", " + string(t.State) + "); Ctrl-D leaves"))
	for _, ask := range asks {
		f.raise(ask)
	}
	return f.run(ctx)
}
