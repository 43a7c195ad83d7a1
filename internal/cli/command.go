package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
)

// Groups of the help page.
const (
	groupThreads = "threads"
	groupDaemon  = "daemon"
	groupTools   = "tools"
)

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "vyre",
		Short:         "Vyre owns coding-agent sessions: start them, watch them, answer what they ask",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		Args:          cobra.NoArgs,
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return vyre.Errorf(vyre.CodeInvalid, "%s", err).WithHint("`" + c.CommandPath() + " --help` lists the flags.")
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print the tool's output as JSON, and errors too")
	root.AddGroup(
		&cobra.Group{ID: groupThreads, Title: "Threads:"},
		&cobra.Group{ID: groupDaemon, Title: "Daemon and home:"},
		&cobra.Group{ID: groupTools, Title: "For programs:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupThreads, a.cmdRun(), a.cmdAttach(), a.cmdList(), a.cmdItems(), a.cmdSend(), a.cmdAsks(), a.cmdAnswer(), a.cmdApply())
	add(groupThreads, a.simpleCommands()...)
	add(groupThreads, a.cmdExport(), a.cmdDelete(), a.cmdWorktree(), a.cmdTrust())
	add(groupThreads, a.queueCommands()...)
	add(groupThreads, a.branchCommands()...)
	add(groupThreads, a.cmdBudget(), a.cmdUsage(), a.cmdModels(), a.cmdPrompt())
	add(groupDaemon, a.cmdUp(), a.cmdDown(), a.cmdDaemon(), a.cmdOpen(), a.cmdPair(), a.cmdDevices(), a.cmdDoctor(), a.cmdProviders(),
		a.cmdVault(), a.cmdGrants(), a.cmdPolicy(), a.cmdGate(), a.cmdBackup(), a.cmdVerify(), a.cmdAudit(), a.cmdDu(), a.cmdVersion(), a.cmdTry())
	add(groupTools, a.cmdCall(), a.cmdTool(), a.cmdEvents())
	add(groupDaemon, a.cmdService(), a.cmdUpgrade(), a.cmdSpeaks())
	root.SetHelpCommandGroupID(groupTools)
	root.SetCompletionCommandGroupID(groupTools)
	return root
}

// command makes one command that takes between least and most arguments; most
// below 0 means any number.
func (a *app) command(use, short string, least, most int, run func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < least || most >= 0 && len(args) > most {
				return vyre.Errorf(vyre.CodeInvalid, "%s: it does not take %s", c.CommandPath(), arguments(len(args))).
					WithHint("usage: " + c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			a.ran = true
			return run(c.Context(), args)
		},
	}
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	default:
		return fmt.Sprintf("%d arguments", n)
	}
}

// tool calls a tool and prints its output: as JSON, or as show draws it.
func tool[Out any](ctx context.Context, a *app, name string, in any, show func(Out) string) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	input, err := json.Marshal(in)
	if err != nil {
		return err
	}
	raw, err := c.Raw(ctx, name, input)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(raw)
	}
	var out Out
	if err := json.Unmarshal(raw, &out); err != nil {
		return vyre.Errorf(vyre.CodeInternal, "the daemon's answer to %s could not be read", name).
			WithHint("The daemon and this program may be of different versions: `vyre upgrade` has the daemon run this one.")
	}
	_, err = io.WriteString(a.Out, show(out))
	return err
}

// printJSON writes a document and a newline.
func (a *app) printJSON(doc json.RawMessage) error {
	if a.dataStyle().TTY {
		doc = term.JSON(doc)
	}
	_, err := a.Out.Write(append(bytes.TrimRight(doc, "\n"), '\n'))
	return err
}

// printValue writes v as a document.
func (a *app) printValue(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return a.printJSON(b.Bytes())
}

// maxText bounds what is read from standard input where one text is wanted.
const maxText = 16 << 20

// text is the text that arguments give: joined by spaces, or standard input for "-".
func (a *app) text(ctx context.Context, what string, args []string) (string, error) {
	s := strings.Join(args, " ")
	if len(args) == 1 && args[0] == "-" {
		b, err := a.in.All(ctx, maxText)
		if err != nil {
			return "", vyre.Invalid(what, "standard input could not be read: %v", err)
		}
		s = strings.TrimSuffix(string(b), "\n")
	}
	if strings.TrimSpace(s) == "" {
		return "", vyre.Invalid(what, "there is no text")
	}
	return s, nil
}
