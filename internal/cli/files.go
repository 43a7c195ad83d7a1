package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/cli/view"
	"vyre/internal/client"
)

// attachFiles keeps files for a message and returns their ids.
func (a *app) attachFiles(ctx context.Context, c *client.Client, thread vyre.ThreadID, files []string) ([]string, error) {
	type input struct {
		Thread vyre.ThreadID `json:"thread,omitempty"`
		Path   string        `json:"path"`
	}
	var ids []string
	for _, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return nil, err
		}
		var out vyre.Attachment
		if err := c.Call(ctx, "threads.attach", input{thread, path}, &out); err != nil {
			return nil, err
		}
		ids = append(ids, out.ID)
	}
	return ids, nil
}

// attachFor is attachFiles for a command that has no connection yet.
func (a *app) attachFor(ctx context.Context, thread vyre.ThreadID, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return a.attachFiles(ctx, c, thread, files)
}

func (a *app) cmdExport() *cobra.Command {
	format := "markdown"
	c := a.command("export <thread>", "Write a whole thread to standard output, as Markdown or JSON", 1, 1, func(ctx context.Context, args []string) error {
		switch format {
		case "md":
			format = "markdown"
		case "markdown", "json":
		default:
			return vyre.Invalid("format", "it is md or json")
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
		return a.export(ctx, c, id, format)
	})
	c.Long = "Writes the thread page by page, so that its size does not matter: `vyre export <thread> > thread.md`."
	c.Flags().StringVar(&format, "format", format, "md or json")
	return c
}

// export writes pages as they come; the whole is never in memory.
func (a *app) export(ctx context.Context, c *client.Client, id vyre.ThreadID, format string) error {
	type input struct {
		Thread vyre.ThreadID `json:"thread"`
		Format string        `json:"format"`
		Next   string        `json:"next,omitempty"`
	}
	w := bufio.NewWriter(a.Out)
	in, sep := input{Thread: id, Format: format}, ""
	for first := true; ; first = false {
		var page struct {
			Thread json.RawMessage   `json:"thread"`
			Text   string            `json:"text"`
			Items  []json.RawMessage `json:"items"`
			Next   string            `json:"next"`
		}
		if err := c.Call(ctx, "threads.export", in, &page); err != nil {
			return err
		}
		if format == "json" && first {
			fmt.Fprintf(w, "{\"thread\":%s,\"items\":[", page.Thread)
		}
		for _, it := range page.Items {
			fmt.Fprintf(w, "%s\n%s", sep, it)
			sep = ","
		}
		if _, err := w.WriteString(page.Text); err != nil {
			return err
		}
		if in.Next = page.Next; in.Next == "" {
			break
		}
	}
	if format == "json" {
		fmt.Fprint(w, "\n]}\n")
	}
	return w.Flush()
}

type deleteInput struct {
	Thread     vyre.ThreadID `json:"thread"`
	DryRun     bool          `json:"dry_run,omitempty"`
	Transcript bool          `json:"transcript,omitempty"`
}

type deleteOutput struct {
	Name        string   `json:"name"`
	Turns       int64    `json:"turns"`
	Items       int64    `json:"items"`
	Asks        int64    `json:"asks"`
	Messages    int64    `json:"messages"`
	Attachments int      `json:"attachments"`
	Transcript  []string `json:"transcript"`
	Worktree    string   `json:"worktree"`
}

func (a *app) cmdDelete() *cobra.Command {
	var in deleteInput
	var yes bool
	c := a.command("delete <thread>", "Delete a thread for ever; says what goes and asks", 1, 1, func(ctx context.Context, args []string) error {
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		if in.Thread, err = a.thread(ctx, c, args[0]); err != nil {
			return err
		}
		if in.DryRun {
			return tool(ctx, a, "threads.delete", in, a.showDelete)
		}
		if !yes {
			dry := in
			dry.DryRun = true
			var out deleteOutput
			if err := c.Call(ctx, "threads.delete", dry, &out); err != nil {
				return err
			}
			fmt.Fprint(a.Err, a.showDelete(out))
			if err := a.confirm(ctx, "Delete it for ever?"); err != nil {
				return err
			}
		}
		return tool(ctx, a, "threads.delete", in, func(deleteOutput) string { return done("deleted %s", view.Short(in.Thread)) })
	})
	c.Flags().BoolVar(&in.Transcript, "transcript", false, "the agent's own transcript too")
	c.Flags().BoolVar(&in.DryRun, "dry-run", false, "say what would go and delete nothing")
	c.Flags().BoolVar(&yes, "yes", false, "don't ask")
	return c
}

func (a *app) showDelete(out deleteOutput) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d turns, %d items, %d messages, %d asks, %d attachments, and the data of its events\n",
		term.Line(out.Name, 60), out.Turns, out.Items, out.Messages, out.Asks, out.Attachments)
	for _, p := range out.Transcript {
		fmt.Fprintf(&b, "the agent's own: %s\n", term.Line(p, 400))
	}
	if out.Worktree != "" {
		fmt.Fprintf(&b, "its worktree stays: %s\n", term.Line(out.Worktree, 400))
	}
	return b.String()
}

// confirm asks on the terminal; without one it refuses.
func (a *app) confirm(ctx context.Context, question string) error {
	if !a.in.TTY() {
		return vyre.Errorf(vyre.CodeInvalid, "nobody can be asked here").WithHint("Give --yes to do it without a question.")
	}
	fmt.Fprintf(a.Err, "%s [y/N] ", question)
	line, err := a.in.Line(ctx)
	if err != nil && err != io.EOF { //nolint:errorlint // a terminal's end is this value
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return vyre.Errorf(vyre.CodeInvalid, "nothing was done").WithHint("Answer y to go on.")
}
