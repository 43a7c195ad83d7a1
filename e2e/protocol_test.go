package e2e

import (
	"strings"
	"testing"

	"vyre"
)

// runAs ends the home's daemon without a word and starts another build's.
func (h *home) runAs(bin string) {
	h.t.Helper()
	h.kill()
	h.bin = bin
	h.start()
}

// A session whose parent speaks the protocol of the version before goes on under a
// newer daemon: its turn ends whole and its question is answered. One more version
// later nobody can talk to it: it is left alive, its thread says so and refuses what
// would be lost, the daemon that can finishes it, and a stop ends it.
func TestParentsOfEarlierVersions(t *testing.T) {
	h := newHome(t)
	old := h.begin(touch)
	a := h.ask(old)

	h.runAs(nextProto.path(t))
	young := h.begin("say young")
	h.finished(young, 1)
	spoken := map[vyre.ThreadID]int{}
	for _, l := range h.status().Build.Live {
		spoken[l.Thread] = l.Protocol
	}
	if st := h.status(); st.Build.Shim.Oldest != 2 || st.Build.Shim.Newest != 3 || spoken[old] != 2 || spoken[young] != 3 {
		t.Fatalf("%+v", st)
	}
	h.mustAnswer(a, vyre.Allow, nil)
	if s := h.finished(old, 1); s != vyre.TurnCompleted || !h.exists("made.txt") {
		t.Errorf("the turn of the older parent: %s", s)
	}
	gate := h.api.Gate("hold")
	h.send(old, "gate hold\nsay late")
	if err := gate.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}

	pids := h.pids(old)
	place := h.bin
	if _, words, code := h.vyre(place, "upgrade", "--to", farProto.path(t)); code != 5 || !strings.Contains(words, string(old)) || strings.Contains(words, string(young)) {
		t.Errorf("an upgrade that would cut a session: exit %d, %s", code, words)
	}
	h.runAs(farProto.path(t))
	h.until("the mark", func() bool { return strings.Contains(h.thread(old).Err, "can't talk to") })
	if err := h.try("threads.send", map[string]any{"thread": old, "text": "say lost"}, nil); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("a message to it: %v", err)
	}
	h.send(young, "say still")
	if s := h.finished(young, 2); s != vyre.TurnCompleted {
		t.Errorf("the other: %s", s)
	}
	gate.Open()

	h.runAs(nextProto.path(t)) // the one that can finishes it
	if s := h.finished(old, 2); s != vyre.TurnCompleted || !strings.HasSuffix(h.text(old, vyre.ItemText), "late") {
		t.Errorf("back under the one before: %s, %q", s, h.text(old, vyre.ItemText))
	}
	if th := h.thread(old); th.Err != "" {
		t.Errorf("the mark stays: %q", th.Err)
	}
	if n := h.api.Runs("say late"); n != 1 {
		t.Errorf("it ran %d times", n)
	}

	h.runAs(farProto.path(t))
	h.until("the mark", func() bool { return h.thread(old).Err != "" })
	h.call("threads.stop", map[string]any{"thread": old}, nil)
	h.goneAll(pids)
	if th := h.thread(old); th.State != vyre.StateStopped || th.Reason != vyre.StopPerson {
		t.Errorf("after the stop: %+v", th)
	}
	h.send(old, "say fresh")
	if s := h.finished(old, 3); s != vyre.TurnCompleted {
		t.Errorf("resumed: %s", s)
	}
	for _, l := range h.status().Build.Live {
		if l.Thread == old && l.Protocol != 4 {
			t.Errorf("resumed under %d", l.Protocol)
		}
	}
}
