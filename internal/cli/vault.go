package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/view"
)

// maxSecret bounds one value, in bytes.
const maxSecret = 64 << 10

func (a *app) cmdVault() *cobra.Command {
	c := &cobra.Command{
		Use:   "vault",
		Short: "Keep keys for agents, sealed; values go in and never come out",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	type named struct {
		Name string `json:"name"`
	}
	put := a.command("put NAME", "Put a value that is read from standard input", 0, -1, a.vaultPut)
	list := a.command("ls", "List the names", 0, 0, func(ctx context.Context, _ []string) error {
		return tool(ctx, a, "vault.list", anything{}, a.showVault)
	})
	list.Aliases = []string{"list"}
	remove := a.command("rm NAME", "Delete a value", 1, 1, func(ctx context.Context, args []string) error {
		return tool(ctx, a, "vault.delete", named{args[0]}, func(anything) string { return done("deleted %s", args[0]) })
	})
	remove.Aliases = []string{"delete"}
	rotate := a.command("rotate NAME", "Give an item a new value, read from standard input; sessions have it from their next start", 0, -1, a.vaultRotate)
	c.AddCommand(put, rotate, list, remove)
	c.AddCommand(a.vaultHolders()...)
	c.AddCommand(a.cmdVaultExec())
	return c
}

func (a *app) showVault(out vaultList) string {
	if len(out.Items)+len(out.Requests) == 0 {
		a.note("The vault is empty.")
		return ""
	}
	var text string
	if len(out.Items) > 0 {
		rows := make([][]string, 0, len(out.Items))
		for _, it := range out.Items {
			var who []string
			for _, g := range it.Grants {
				who = append(who, g.Kind+" "+g.Holder)
			}
			used := "never"
			if it.Used > 0 {
				used = view.Ago(it.Used, a.Now())
			}
			rows = append(rows, []string{it.Name, strconv.Itoa(it.Version), view.Ago(it.Updated, a.Now()), used, strings.Join(who, ", ")})
		}
		text = view.Table(a.dataStyle(), []string{"NAME", "VERSION", "CHANGED", "USED", "GRANTED TO"}, rows)
	}
	if len(out.Requests) > 0 {
		rows := make([][]string, 0, len(out.Requests))
		for _, q := range out.Requests {
			rows = append(rows, []string{q.Request, q.Name, view.Short(q.Thread), view.Ago(q.Created, a.Now()), q.Why})
		}
		text += "\n" + view.Table(a.dataStyle(), []string{"REQUEST", "FOR", "THREAD", "ASKED", "WHY"}, rows)
		a.note("vyre vault answer REQUEST decides one.")
	}
	return text
}

func (a *app) vaultPut(ctx context.Context, args []string) error {
	return a.vaultStore(ctx, "put", args)
}

func (a *app) vaultRotate(ctx context.Context, args []string) error {
	return a.vaultStore(ctx, "rotate", args)
}

// vaultStore never takes a value from an argument: every process of this machine
// can read those.
func (a *app) vaultStore(ctx context.Context, verb string, args []string) error {
	if len(args) != 1 {
		e := vyre.Errorf(vyre.CodeInvalid, "vault %s takes one name; the value is read from standard input, never from an argument", verb)
		return e.WithHint("printf %s \"$KEY\" | vyre vault " + verb + " NAME   (what was given here can be seen in the shell's history and by every process)")
	}
	value, err := a.secret(ctx, args[0])
	if err != nil {
		return err
	}
	return a.keepValue(ctx, verb, args[0], value)
}

func (a *app) keepValue(ctx context.Context, verb, name, value string) error {
	type input struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	type stored struct {
		Version  int  `json:"version"`
		Redacted bool `json:"redacted"`
	}
	return tool(ctx, a, "vault."+verb, input{name, value}, func(out stored) string {
		if !out.Redacted {
			a.note("It is too short to be kept out of what agents' sessions record.")
		}
		return done("kept %s, version %d", name, out.Version)
	})
}

// secret reads a value: unechoed at a terminal, else standard input whole,
// without one newline at its end.
func (a *app) secret(ctx context.Context, name string) (string, error) {
	var value string
	if a.in.TTY() {
		fmt.Fprintf(a.Err, "Value of %s (it is not shown): ", name)
		line, err := a.in.Secret(ctx)
		fmt.Fprintln(a.Err)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		value = line
	} else {
		b, err := a.in.All(ctx, maxSecret)
		if err != nil {
			return "", vyre.Invalid("value", "%v", err).WithHint("A value may have up to 64 KiB.")
		}
		value = strings.TrimSuffix(string(b), "\n")
	}
	if value == "" {
		return "", vyre.Invalid("value", "it is empty")
	}
	if !utf8.ValidString(value) {
		return "", vyre.Invalid("value", "it is not text (UTF-8)")
	}
	return value, nil
}
