package identity

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
	look := func() string { return p.standing(nil, true).Level }
	if got := p.standing(nil, true); got.Level != "L1" || !strings.Contains(got.Doubt, "a-foreign-agent") || got.Raise == "" {
		t.Errorf("with a foreign agent: %+v", got)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if got := look(); got != before {
		t.Errorf("after it is gone: %s, before %s", got, before)
	}
}

// A call that decides rests on what is so at its moment: an agent that began since the
// last call on the same connection is seen, where an ordinary call would not see it yet.
func TestDecidingLooksAnew(t *testing.T) {
	d := listen(t)
	run(t, helper("dial", d.path))
	peer := NewPeers(books(nil), []string{"a-late-agent"}).Accept(d.accept(t))
	defer peer.Close()
	if got, err := peer.Caller(); err != nil || !got.IsPerson() || got.Doubt != "" {
		t.Fatalf("got %+v, %v", got, err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), sleep, "60")
	cmd.Args[0] = "a-late-agent"
	run(t, cmd)
	if got, err := peer.Deciding(); err != nil || !got.IsPerson() || got.Level != "L1" || !strings.Contains(got.Doubt, "a-late-agent") {
		t.Errorf("got %+v, %v", got, err)
	}
}
