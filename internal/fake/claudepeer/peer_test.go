package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The driver reads the peer as it reads the agent: a turn's words once, an ask
// whose answer does what was allowed, an interrupt that ends what would go on.
func TestDriverReadsThePeer(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "claude")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := agent.Open(t.Context(), claude.New(), agent.WithBinary(bin), agent.WithCWD(dir),
		agent.WithEnv([]string{"PATH=" + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + dir, "HOME=" + dir}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	turn := func(script string) (words string, end agent.TurnEnded) {
		if _, err := s.Send(script); err != nil {
			t.Fatal(err)
		}
		for ev := range s.Events() {
			switch ev := ev.(type) {
			case agent.Text:
				words += ev.Text
				if strings.Contains(script, "hold") {
					if err := s.Say(agent.Interrupt{}); err != nil {
						t.Error(err)
					}
				}
			case agent.Ask:
				if err := s.Answer(ev, agent.Answer{Decision: vyre.Allow}); err != nil {
					t.Error(err)
				}
			case agent.TurnEnded:
				return words, ev
			}
		}
		t.Fatal("the session ended")
		return "", agent.TurnEnded{}
	}
	if words, end := turn("say hello\nwords 3"); words != "hellow1 w2 w3 " || end.Status != vyre.TurnCompleted {
		t.Errorf("%q %+v", words, end)
	}
	if words, end := turn("append made\nsay done"); words != "done" || end.Status != vyre.TurnCompleted {
		t.Errorf("%q %+v", words, end)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "made")); string(b) != "x\n" {
		t.Errorf("made %q", b)
	}
	if words, end := turn("say begun\nhold\nsay never"); words != "begun" || end.Status != vyre.TurnCanceled {
		t.Errorf("%q %+v", words, end)
	}
}
