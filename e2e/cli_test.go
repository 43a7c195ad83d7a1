package e2e

import (
	"os/exec"
	"strings"
)

// cli runs the command line on this home and returns what it printed.
func (h *home) cli(stdin string, args ...string) (string, error) {
	cmd := exec.Command(vyreBin, args...)
	cmd.Env, cmd.Dir, cmd.Stdin = h.env, h.agent.CWD, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
