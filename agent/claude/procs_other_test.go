//go:build !linux

package claude_test

import (
	"syscall"
	"testing"

	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

var provider = claude.New()

func agentPID(t *testing.T, _ *agenttest.Home) int {
	t.Helper()
	t.Skip("other processes can't be looked into on this system")
	return 0
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
