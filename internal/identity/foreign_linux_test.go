package identity

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vyre"
)

type noSessions struct{}

func (noSessions) Open() []vyre.Session { return nil }

// While an agent runs that no shim holds, a person is told from it less well: the
// level says so, and goes up again when it is gone.
func TestForeignAgentLowersTheLevel(t *testing.T) {
	p := NewPeers(noSessions{}, []string{"a-foreign-agent"})
	before := p.Level()
	if before < "L1" {
		t.Fatalf("level %s", before)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "a-foreign-agent")
	if err := os.WriteFile(program, b, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	look := func() string {
		p.foreign.mu.Lock()
		p.foreign.at = time.Time{} // look anew
		p.foreign.mu.Unlock()
		return p.Level()
	}
	if got := look(); got != "L1" {
		t.Errorf("with a foreign agent: %s", got)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got := look(); got != before {
		t.Errorf("after it is gone: %s, before %s", got, before)
	}
}
