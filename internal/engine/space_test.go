package engine_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

// With a full disk a thread is parked, and says so without the disk; nothing is
// acknowledged; an interrupt reaches the agent all the same. With room it goes on
// by itself: the log tells that it was parked, the words are whole, the open ask
// is withdrawn, and no refused answer ever reaches the agent.
func TestParkedByAFullDisk(t *testing.T) {
	store := &fullDisk{refused: make(chan struct{}, 1)}
	w := newWorld(t, slow)
	w.wrap = func(s engine.Store) engine.Store { store.Store = s; return store }
	w.restart()
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "text", Key: "t", Text: "one "})
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]

	store.full.Store(true)
	p.say(peerLine{Type: "text", Key: "t", Offset: 4, Text: "two"})
	eventually(t, "the parking", func() bool { return w.eng.WaitsForSpace(id) })
	if n := w.eng.WaitingForSpace(); n != 1 {
		t.Errorf("%d threads wait", n)
	}
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "no room", Key: "k"}); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("a send: %v", err)
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: vyre.Allow}); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("an answer: %v", err)
	}
	for range 2 { // again says no more to the agent
		if _, err := w.eng.Interrupt(t.Context(), id); vyre.CodeOf(err) != vyre.CodeNoSpace || !strings.Contains(err.Error(), "was told") {
			t.Errorf("an interrupt: %v", err)
		}
	}
	p.nth("interrupt", 1)
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(p.sent(1).Data["id"].(string))}, Status: "failed"})

	store.full.Store(false)
	w.untilKind(vyre.EvThreadFinished, 1)
	eventually(t, "the end of the parking", func() bool { return !w.eng.WaitsForSpace(id) })
	log := w.kinds(id)
	// What finds no room first may be the acknowledgement of a frame, which tells nothing.
	_, after, _ := strings.Cut(log, "thread.parked thread.parked ")
	if !strings.Contains(after, "thread.text") || strings.Count(log, "thread.parked") != 2 || strings.Count(log, "ask.cancelled") != 1 {
		t.Errorf("log %s", log)
	}
	if n := len(p.said("answer")) + len(p.said("interrupt")) - 1; n != 0 {
		t.Errorf("the agent got %d frames too many", n)
	}
	u, _, _ := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if u.Status != vyre.TurnCanceled {
		t.Errorf("turn %+v", u)
	}
	items, _, _ := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id})
	if items[len(items)-1].Text != "one two" {
		t.Errorf("items %+v", items)
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: vyre.Allow}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("a late answer: %v", err)
	}
	w.send(id, "on we go", "k")
	w.untilKind(vyre.EvThreadSent, 2)
}

// A start and a message that needs a process are refused, before anything is
// written, while the disk is too full for a new session; a running thread goes on.
func TestNoSpaceForAStart(t *testing.T) {
	w := newWorld(t, echo)
	short := atomic.Bool{}
	w.space = func() error {
		if short.Load() {
			return vyre.Errorf(vyre.CodeNoSpace, "little room")
		}
		return nil
	}
	w.restart()
	id, other := w.begin(""), w.begin("")
	if err := w.eng.Stop(t.Context(), other, "person"); err != nil {
		t.Fatal(err)
	}
	short.Store(true)
	_, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", CWD: "/", Prompt: "x"})
	if vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("a start: %v", err)
	}
	if _, err := w.eng.Send(t.Context(), other, engine.SendInput{Text: "x"}); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("a send that needs a process: %v", err)
	}
	if q, _ := w.db.Queue(t.Context(), other); len(q) != 0 || w.thread(other).State != vyre.StateStopped {
		t.Errorf("left: %+v in %s", q, w.thread(other).State)
	}
	if w.peers.count() != 2 {
		t.Errorf("%d processes", w.peers.count())
	}
	w.send(id, "still here", "")
	w.untilKind(vyre.EvThreadFinished, 1)
}
