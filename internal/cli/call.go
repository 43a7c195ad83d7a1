package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/client"
)

func (a *app) cmdCall() *cobra.Command {
	c := a.command("call <tool> [<json>]", "Call a tool: its output as JSON, or the error on standard error", 1, 2, func(ctx context.Context, args []string) error {
		a.json = true // an error is an envelope
		input := json.RawMessage("{}")
		if len(args) == 2 {
			input = json.RawMessage(args[1])
		}
		if string(input) == "-" {
			b, err := a.in.All(ctx, maxText)
			if err != nil {
				return vyre.Errorf(vyre.CodeInvalid, "standard input could not be read: %v", err)
			}
			input = b
		}
		return a.raw(ctx, args[0], input)
	})
	c.Long = "Calls a tool of the running daemon and prints what it answers. It never starts a daemon.\n" +
		"`-` reads the input from standard input. `vyre tool` lists the tools."
	return c
}

// raw calls a tool on a document as it is and prints the answer as it came.
func (a *app) raw(ctx context.Context, name string, input json.RawMessage) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	out, err := c.Raw(ctx, name, input)
	if err != nil {
		return err
	}
	return a.printJSON(out)
}

func (a *app) cmdEvents() *cobra.Command {
	var after int64
	var thread string
	var kinds []string
	var follow bool
	c := a.command("events", "Print events, one JSON document a line", 0, 0, func(ctx context.Context, _ []string) error {
		if after < 0 {
			return vyre.Invalid("after", "it is below 0")
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		o := client.EventsOptions{Follow: follow, OnLost: func(error) { a.note("The daemon went away; waiting for it.") }}
		for _, k := range kinds {
			o.Kinds = append(o.Kinds, vyre.Kind(k))
		}
		if thread != "" {
			if o.Thread, err = a.thread(ctx, c, thread); err != nil {
				return err
			}
		}
		return a.events(ctx, c, vyre.Seq(after), o)
	})
	c.Long = "Prints the events after a cursor, in order, and ends at the newest one unless it follows.\n" +
		"It never starts a daemon. A cursor that can't be served is an error (exit code 5)."
	f := c.Flags()
	f.Int64Var(&after, "after", 0, "the `seq` after which to begin; 0 begins at the oldest event kept")
	f.StringVar(&thread, "thread", "", "only of this thread")
	f.StringSliceVar(&kinds, "kind", nil, "only of this kind (may be repeated)")
	f.BoolVar(&follow, "follow", false, "wait for more at the end")
	return c
}

func (a *app) events(ctx context.Context, c *client.Client, after vyre.Seq, o client.EventsOptions) error {
	for ev, err := range c.Events(ctx, after, o) {
		if err != nil {
			return err
		}
		if err := a.printValue(ev); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// cmdTool offers every tool with a flag for each field of its input.
func (a *app) cmdTool() *cobra.Command {
	return &cobra.Command{
		Use:                "tool [<name> --field value …]",
		Short:              "List the tools, or call one with a flag for each field",
		DisableFlagParsing: true, // the flags depend on the tool
		RunE: func(c *cobra.Command, args []string) error {
			a.ran = true
			if len(args) == 0 || args[0] == "--help" || args[0] == "-h" || args[0] == "--json" {
				return a.listTools(args)
			}
			return a.callTool(c.Context(), args[0], args[1:])
		},
	}
}

func (a *app) listTools(args []string) error {
	if len(args) > 0 && args[0] == "--json" {
		a.json = true
		type row struct {
			Tool    string            `json:"tool"`
			Summary string            `json:"summary"`
			Effect  vyre.Effect       `json:"effect"`
			Callers []vyre.CallerKind `json:"callers"`
		}
		rows := []row{}
		for _, e := range a.Tools().Tools() {
			rows = append(rows, row{e.Name, e.Summary, e.Effect, e.Callers})
		}
		return a.printValue(map[string]any{"tools": rows})
	}
	for _, e := range a.Tools().Tools() {
		if _, err := io.WriteString(a.Out, fmt.Sprintf("%-20s %s\n", e.Name, e.Summary)); err != nil {
			return err
		}
	}
	return nil
}
