package engine_test

import (
	"testing"
	"time"

	"vyre"
	"vyre/internal/engine"
)

// A session that rests is closed after its time and resumed by the next message;
// one with an open ask is not, however long it waits.
func TestIdle(t *testing.T) {
	w := newWorld(t, echo)
	w.stop()
	w.idle = 20 * time.Millisecond
	w.start()
	id := w.begin("hello")
	w.untilKind(vyre.EvThreadStopped, 1)
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopIdle {
		t.Errorf("thread %+v", th)
	}
	if s := w.send(id, "again", ""); s.Via != vyre.ViaResume {
		t.Errorf("sent %+v", s)
	}
	w.untilKind(vyre.EvThreadFinished, 2)

	w.stop()
	w.peers.script = slow
	w.start()
	waiting := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	other := w.begin("") // rests, so it goes; by then the ask was open for longer
	w.until("the other's stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == other })
	if th := w.thread(waiting); th.State != vyre.StateWaiting || p.stopped {
		t.Errorf("an open ask did not keep its session: %+v", th)
	}
}

// Beyond the bound the session that rested longest gives room; if all are at work
// the start is refused as busy and leaves nothing.
func TestMaxLive(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.maxLive = 2
	w.start()
	first, second := w.begin(""), w.begin("")
	w.begin("work")
	if w.thread(first).Reason != vyre.StopCap || w.thread(second).State != vyre.StateIdle {
		t.Errorf("first %+v second %+v", w.thread(first), w.thread(second))
	}
	w.send(second, "work too", "")
	_, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", CWD: "/"})
	if vyre.CodeOf(err) != vyre.CodeBusy || w.peers.count() != 3 {
		t.Errorf("a third at work: %v, %d processes", err, w.peers.count())
	}
}

// A store that was copied from another home names that home's sessions: they are
// neither read nor ended nor removed; here their threads are stopped.
func TestCopiedStore(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	p.say(peerLine{Type: "text", Key: "t", Text: "taken"})
	w.untilKind(vyre.EvThreadText, 1)
	w.stop()
	open, err := w.db.OpenSessions(t.Context())
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	open[0].Dir = "/other/home/" + string(open[0].ID)
	if err := w.db.Commit(t.Context(), &vyre.Commit{Sessions: open}); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.untilKind(vyre.EvThreadStopped, 1)
	if p.stopped || w.thread(id).State != vyre.StateStopped {
		t.Errorf("stopped %v, thread %+v", p.stopped, w.thread(id))
	}
	for _, s := range w.peers.discarded() {
		if s.Dir == open[0].Dir {
			t.Error("another home's folder was removed")
		}
	}
}
