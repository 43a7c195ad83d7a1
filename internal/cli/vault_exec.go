package cli

import (
	"context"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vyre"
)

func (a *app) cmdVaultExec() *cobra.Command {
	var name string
	c := a.command("exec NAME -- COMMAND [ARG]...", "Run a command of a session with a granted item in its environment", 2, -1, func(ctx context.Context, args []string) error {
		return a.vaultExec(ctx, args[0], name, args[1:])
	})
	c.Flags().StringVar(&name, "as", "", "the variable's name (default: the item's, in capitals, with _ for -)")
	c.Long = "Runs a command inside a session with the value of an item that was granted to it, in one variable of\n" +
		"that command's environment and of nothing else. Only a session can: its thread is told by where this runs."
	c.Flags().SetInterspersed(false)
	return c
}

// vaultExec becomes the command: no process of ours stays that has the value.
func (a *app) vaultExec(ctx context.Context, item, as string, command []string) error {
	thread := a.Getenv("VYRE_THREAD")
	if thread == "" {
		return vyre.Errorf(vyre.CodeDenied, "this is not inside a session of Vyre").
			WithHint("Items are granted to sessions, for their commands. A person has them already.")
	}
	if as == "" {
		as = strings.ToUpper(strings.ReplaceAll(item, "-", "_"))
	}
	if !variable(as) {
		return vyre.Invalid("as", "%q can't be the name of a variable", as)
	}
	if command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return vyre.Invalid("command", "there is none")
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return vyre.NotFound("command", command[0])
	}
	value, err := a.vaultTake(ctx, thread, item)
	if err != nil {
		return err
	}
	env := []string{as + "=" + value}
	for _, kv := range a.Environ {
		if !strings.HasPrefix(kv, as+"=") {
			env = append(env, kv)
		}
	}
	err = syscall.Exec(path, command, env)
	return vyre.Errorf(vyre.CodeUnavailable, "%s can't be run", command[0]).Because(err)
}

func (a *app) vaultTake(ctx context.Context, thread, item string) (string, error) {
	type input struct {
		Thread string `json:"thread"`
		Name   string `json:"name"`
	}
	c, err := a.client()
	if err != nil {
		return "", err
	}
	defer c.Close()
	var out struct {
		Value string `json:"value"`
	}
	return out.Value, c.Call(ctx, "vault.take", input{thread, item}, &out)
}

func variable(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
