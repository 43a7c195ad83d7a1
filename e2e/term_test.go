package e2e

import (
	"strings"
	"syscall"
	"testing"

	"vyre"
)

// TERM to a session's parent, from a person or a machine that shuts down, ends the agent
// and all that it started, whether a daemon is there or not: the turn has failed, what
// was said is kept, and the next message resumes.
func TestTermOfAParent(t *testing.T) {
	h := newHome(t)
	id := h.begin("")
	for n, away := range []bool{false, true} {
		h.send(id, "say kept\n"+`tool Bash {"command":"(setsid sh -c 'nohup tail -f /dev/null >/dev/null 2>&1 &'); touch begun.txt; tail -f /dev/null"}`+"\nsay late")
		h.mustAnswer(h.ask(id), vyre.Allow, nil)
		h.eventually("the detached process", func() bool { return len(h.pids(id)) >= 5 }) // parent, agent, shell and two tails
		pids, parent := h.pids(id), h.shimPID(id)
		if away {
			h.kill()
		}
		if err := syscall.Kill(parent, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		h.goneAll(pids)
		if away {
			h.start()
		}
		if s := h.finished(id, n+1); s != vyre.TurnFailed {
			t.Errorf("away %v: the turn %s", away, s)
		}
		h.until("the stop", func() bool { return h.thread(id).State == vyre.StateStopped })
		if th := h.thread(id); th.Reason != vyre.StopCrash || strings.Count(h.text(id, vyre.ItemText), "kept") != n+1 {
			t.Errorf("away %v: %+v, %q", away, th, h.text(id, vyre.ItemText))
		}
	}
	h.send(id, "say back")
	if s := h.finished(id, 3); s != vyre.TurnCompleted {
		t.Errorf("after: %s", s)
	}
}
