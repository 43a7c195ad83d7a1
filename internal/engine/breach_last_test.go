package engine_test

import (
	"testing"
	"time"

	"vyre"
	"vyre/internal/engine"
)

// A breach that comes in what a stopped agent said last is booked as a breach, and what
// waits stays: no limit's reset and no agent brings the thread back.
func TestBreachInTheLastWords(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "later", Queue: true, By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	p.calls("c1", "evil x")
	p.nth("hook", 1)
	p.mu.Lock()
	p.atStop = func() { p.say(peerLine{Type: "result", Key: "c1", Ran: true}) }
	p.mu.Unlock()
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.breached(id, "that was denied")
}

// A limit's reset does not undo a person's stop: what waits is theirs to go on with.
func TestResetBringsNoStoppedThreadBack(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "later", Queue: true, By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	p.calls("c1", "evil x")
	p.nth("hook", 1)
	end := []peerLine{
		{Type: "limit", Status: "rejected", At: time.Now().Add(time.Hour)},
		{Type: "end", Status: "failed", Limit: true, Messages: turnMessages(w, id)},
	}
	p.mu.Lock()
	p.atStop = func() { p.say(end...) }
	p.mu.Unlock()
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	if th := w.thread(id); th.Parked != vyre.ParkedLimit || th.Reason != vyre.StopPerson {
		t.Fatalf("%s %s", th.Parked, th.Reason)
	}
	w.stop()
	w.jump.Store(int64(2 * time.Hour))
	w.start()
	w.until("the limit's end", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadParked && w.thread(id).Parked == "" })
	if err := w.eng.SetBudget(t.Context(), id, 1_000_000, "person:owner:test"); err != nil { // after what the reset set going
		t.Fatal(err)
	}
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopPerson || w.peers.count() != 1 {
		t.Errorf("%s %s, %d processes", th.State, th.Reason, w.peers.count())
	}
	w.send(id, "go on", "")
	w.untilKind(vyre.EvThreadStarted, 2)
}
