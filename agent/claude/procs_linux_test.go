package claude_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

var provider = claude.New()

// agentPID finds the agent of a home by its environment.
func agentPID(t *testing.T, h *agenttest.Home) int {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, _ := os.ReadFile(filepath.Join(d, "environ"))
		exe, _ := os.Readlink(filepath.Join(d, "exe"))
		if exe == h.Binary && bytes.Contains(env, []byte("CLAUDE_CONFIG_DIR="+h.Config+"\x00")) {
			pid, err := strconv.Atoi(filepath.Base(d))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("no agent of this home runs")
	return 0
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
