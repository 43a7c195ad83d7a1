package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	c.AddCommand(put, list, remove)
	return c
}

func (a *app) showVault(out struct {
	Items []struct {
		Name    string    `json:"name"`
		Updated vyre.Time `json:"updated"`
	} `json:"items"`
},
) string {
	if len(out.Items) == 0 {
		a.note("The vault is empty.")
		return ""
	}
	rows := make([][]string, 0, len(out.Items))
	for _, it := range out.Items {
		rows = append(rows, []string{it.Name, view.Ago(it.Updated, a.Now())})
	}
	return view.Table(a.dataStyle(), []string{"NAME", "CHANGED"}, rows)
}

// vaultPut never takes a value from an argument: every process of this machine
// can read those.
func (a *app) vaultPut(ctx context.Context, args []string) error {
	type input struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	if len(args) != 1 {
		e := vyre.Errorf(vyre.CodeInvalid, "vault put takes one name; the value is read from standard input, never from an argument")
		return e.WithHint("printf %s \"$KEY\" | vyre vault put NAME   (what was given here can be seen in the shell's history and by every process)")
	}
	value, err := a.secret(ctx, args[0])
	if err != nil {
		return err
	}
	return tool(ctx, a, "vault.put", input{args[0], value}, func(anything) string { return done("kept %s", args[0]) })
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
