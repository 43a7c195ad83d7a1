package cli

import (
	"context"
	"encoding/json"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
)

// speaks is what a build understands of what an earlier one leaves: what `vyre
// speaks` prints, and an upgrade reads.
type speaks struct {
	Version string        `json:"version"`
	Shim    protocolShape `json:"shim"`
	Store   int           `json:"store"`
}

// cmdSpeaks is for `vyre upgrade` of another version, so its output only grows.
func (a *app) cmdSpeaks() *cobra.Command {
	c := a.command("speaks", "Print what this build understands of running sessions and of the store", 0, 0, func(context.Context, []string) error {
		oldest, newest, store := a.Speaks()
		return a.printValue(speaks{a.Version, protocolShape{oldest, newest}, store})
	})
	c.Hidden = true
	return c
}

// speakBound is how long a program may take to say what it speaks.
const speakBound = 20 * time.Second

// hear asks a program what it speaks. Errors: invalid (field to) for one that does
// not run here or is no vyre that could say.
func (a *app) hear(ctx context.Context, program string) (speaks, error) {
	ctx, cancel := context.WithTimeout(ctx, speakBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "speaks")
	cmd.Env, cmd.WaitDelay = a.Environ, time.Second
	out, err := cmd.Output()
	var s speaks
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil || s.Version == "" || s.Store < 1 || s.Shim.Newest < 1 {
		e := vyre.Invalid("to", "this program does not run here as a vyre that can take over").
			WithHint("Check that it is built for this machine, and not older than the upgrade command: run it with `version`.").Because(err)
		if x, ok := err.(*exec.ExitError); ok && len(x.Stderr) > 0 { //nolint:errorlint // Output returns it bare
			e.Message += ": " + term.Line(string(x.Stderr), 200)
		}
		return s, e
	}
	return s, nil
}
