package shim

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"vyre"
	"vyre/internal/shim/procs"
)

// term sends TERM to a session's parent, as a person or a machine that shuts down does.
func term(t testing.TB, s vyre.Session) {
	t.Helper()
	if err := procs.Signal(s.PID, s.StartTime, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

func TestTermEndsTheSession(t *testing.T) {
	// TERM to a session's parent ends the agent and all it started, deaf ones too; the
	// output is whole, and the record says how it ended and that nobody is left.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, brood+"trap '' TERM; while read x; do :; done; echo last; while :; do sleep 0.05; done")
		s, p := b.start(cmd)
		expect(t, p, "ready")
		all := kids(t, cmd.Dir)
		term(t, s)
		closed(t, "the exit is known", p.Done())
		if lines := texts(collect(t, p)); len(lines) != 1 || lines[0] != "last" {
			t.Errorf("what came after: %q", lines)
		}
		closed(t, "the parent is gone", p.gone)
		allGone(t, all)
		if e, ok := readExit(s.Dir); !ok || !e.Empty || e.Signal != int(syscall.SIGKILL) {
			t.Errorf("the record says %+v, %v", e, ok)
		}
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		b.nothingRuns(s)
	})
}

func TestTermLetsTheAgentLeave(t *testing.T) {
	// An agent that ends at the end of its input is not signalled: it leaves with its own code.
	b := newBench(t)
	s, p := b.start(script(t, "while read x; do :; done; echo bye; exit 5"))
	term(t, s)
	closed(t, "the parent is gone", p.gone)
	if e := p.Exit(); e.Code != 5 || e.Signal != "" {
		t.Errorf("exit %+v", e)
	}
	if lines := texts(collect(t, p)); len(lines) != 1 || lines[0] != "bye" {
		t.Errorf("output %q", lines)
	}
}

func TestTermOfUnused(t *testing.T) {
	// TERM to the parent of an agent that was never let go ends it, leaving nothing.
	b := newBench(t)
	s, p := b.prepare(script(t, "echo ran > ran"))
	term(t, s)
	closed(t, "the parent is gone", p.gone)
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestTermWithTheHomeGone(t *testing.T) {
	// With its folder removed and no daemon there, TERM still ends a session whose agent
	// works on, although what it says can't be kept any more.
	b := newBench(t, func(c *Config) { c.SegmentBytes, c.NoCgroup = 1<<10, true })
	s, p := b.start(script(t, "trap '' TERM; echo ready; read x; while :; do echo "+strings.Repeat("x", 600)+"; sleep 0.01; done"))
	expect(t, p, "ready")
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	p.Detach()
	term(t, s)
	until(t, "the parent is gone", func() bool { b.buryLost(); return !b.alive(s.BootID, s.PID, s.StartTime) })
	b.nothingRuns(s)
}

func TestHangUpEndsNothing(t *testing.T) {
	// What a terminal sends to all it started ends no session.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP} {
		if err := procs.Signal(s.PID, s.StartTime, sig); err != nil {
			t.Fatal(err)
		}
	}
	send(t, p, 1, "still here\n")
	expect(t, p, "still here")
}
