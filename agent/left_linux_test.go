package agent_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"vyre/agent/agenttest"
)

// nothingLeft fails if a process of this home still runs.
func nothingLeft(t *testing.T, h *agenttest.Home) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, _ := os.ReadFile(filepath.Join(d, "environ"))
		if bytes.Contains(env, []byte("CLAUDE_CONFIG_DIR="+h.Config+"\x00")) {
			cmd, _ := os.ReadFile(filepath.Join(d, "cmdline"))
			t.Errorf("left running: %s %q", filepath.Base(d), bytes.ReplaceAll(cmd, []byte{0}, []byte(" ")))
		}
	}
}
