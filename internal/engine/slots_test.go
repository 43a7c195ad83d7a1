package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/engine/slots"
)

// bounded is a world in which n subagents may work at once.
func bounded(t *testing.T, n int) *world {
	w := newWorld(t, slow)
	w.stop()
	w.slots = map[vyre.SlotKind]slots.Bound{vyre.SlotSubagent: {Node: n}, vyre.SlotTeammate: {Node: n}}
	w.start()
	return w
}

// two are threads at work, with their agents.
func (w *world) two() (a vyre.ThreadID, pa *peerProc, b vyre.ThreadID, pb *peerProc) {
	a = w.begin("a")
	pa = w.peers.newest()
	b = w.begin("b")
	return a, pa, b, w.peers.newest()
}

// subagent has a peer begin a subagent: the call, then the hook before it.
func subagent(p *peerProc, call string) {
	p.say(peerLine{Type: "call", Key: call, Tool: "Sub"})
	p.say(peerLine{Type: "hook", Key: call, Tool: "Sub", Request: "h-" + call})
}

func (w *world) slotIs(thread vyre.ThreadID, state vyre.SlotState) {
	w.t.Helper()
	w.until("a slot that is "+string(state), func(e vyre.Event) bool {
		var d vyre.SlotsChanged
		return e.Kind == vyre.EvSlotsChanged && e.Thread == thread && json.Unmarshal(e.Data, &d) == nil && d.State == string(state)
	})
}

func (p *peerProc) answersTo(what, request string) (n int) {
	for _, f := range p.said(what) {
		if f.Data["request"] == request {
			n++
		}
	}
	return n
}

// A subagent for which there is no place waits in its hook and goes on, once, when
// another one's call is over.
func TestSubagentWaits(t *testing.T) {
	w := bounded(t, 1)
	a, pa, b, pb := w.two()
	subagent(pa, "c1")
	pa.nth("hook", 1)
	subagent(pb, "c2")
	w.slotIs(b, vyre.SlotWaiting)
	if len(pb.said("hook")) != 0 {
		t.Fatal("the second did not wait")
	}
	pa.say(peerLine{Type: "result", Key: "c1"})
	pb.nth("hook", 1)
	w.slotIs(a, vyre.SlotReleased)
	w.slotIs(b, vyre.SlotHeld)
	if n := pb.answersTo("hook", "h-c2"); n != 1 {
		t.Errorf("%d answers", n)
	}
}

// A request whose id is part of another's, whose answer is on its way, is answered too.
func TestHookIDsAreWhole(t *testing.T) {
	w := bounded(t, 2)
	w.begin("a")
	p := w.peers.newest()
	p.say(
		peerLine{Type: "hook", Key: "c10", Tool: "Sub", Request: "h-c10"},
		peerLine{Type: "hook", Key: "c1", Tool: "Sub", Request: "h-c1"},
		peerLine{Type: "hook", Key: "c10", Tool: "Sub", Request: "h-c10"},
		peerLine{Type: "hook", Key: "c2", Tool: "Other", Request: "h-c2"},
	)
	p.nth("hook", 3)
	for _, r := range []string{"h-c10", "h-c1", "h-c2"} {
		if n := p.answersTo("hook", r); n != 1 {
			t.Errorf("%d answers to %s", n, r)
		}
	}
}

// A subagent that goes on behind its call keeps its place until it ends.
func TestSubagentBehindKeepsItsPlace(t *testing.T) {
	w := bounded(t, 1)
	a, pa, b, pb := w.two()
	subagent(pa, "c1")
	pa.nth("hook", 1)
	pa.say(peerLine{Type: "behind", Key: "c1", Status: "running"})
	pa.say(peerLine{Type: "result", Key: "c1"})
	pa.say(peerLine{Type: "end", Messages: turnMessages(w, a), Status: "completed"})
	w.until("the turn's end", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadFinished && e.Thread == a })
	subagent(pb, "c2")
	w.slotIs(b, vyre.SlotWaiting)
	pa.say(peerLine{Type: "behind", Key: "c1", Status: "completed"})
	pb.nth("hook", 1)
}

func turnMessages(w *world, id vyre.ThreadID) []vyre.MessageID {
	u, _, err := w.db.Turn(w.t.Context(), vyre.MakeTurnID(id, 1))
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Messages
}

// A subagent that a subagent begins takes a place if there is one, and is refused at
// once with its position if not: waiting for the place of whoever began it, both
// would wait for ever.
func TestSubagentOfASubagentDoesNotWait(t *testing.T) {
	w := bounded(t, 1)
	w.begin("a")
	p := w.peers.newest()
	subagent(p, "c1")
	p.nth("hook", 1)
	p.say(peerLine{Type: "hook", Key: "c2", Tool: "Sub", Request: "h-c2", Agent: "sub"})
	if f := p.nth("hook", 2); f.Data["request"] != "h-c2" || f.Data["decision"] != string(vyre.Deny) {
		t.Errorf("%+v", f)
	}
	if all := w.eng.Slots(); len(all) != 1 || all[0].Call != "c1" {
		t.Errorf("%+v", all)
	}
	w.stop()
	w.slots[vyre.SlotSubagent] = slots.Bound{Node: 2}
	w.start()
	p.say(peerLine{Type: "hook", Key: "c3", Tool: "Sub", Request: "h-c3", Agent: "sub"})
	if f := p.nth("hook", 3); f.Data["request"] != "h-c3" || f.Data["decision"] != "" {
		t.Errorf("%+v", f)
	}
}

// What a subagent in the background begins keeps its place after the turn, until that
// background work ends.
func TestSubagentBehindCountsWhatItBegins(t *testing.T) {
	w := bounded(t, 2)
	a := w.begin("a")
	p := w.peers.newest()
	subagent(p, "c1")
	p.nth("hook", 1)
	p.say(peerLine{Type: "behind", Key: "c1", Status: "running"})
	p.say(peerLine{Type: "result", Key: "c1"})
	p.say(peerLine{Type: "end", Messages: turnMessages(w, a), Status: "completed"})
	w.until("the turn's end", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadFinished && e.Thread == a })
	p.say(peerLine{Type: "hook", Key: "c2", Tool: "Sub", Request: "h-c2", Agent: "sub"})
	p.nth("hook", 2)
	b := w.begin("b")
	subagent(w.peers.newest(), "c3")
	w.slotIs(b, vyre.SlotWaiting)
	p.say(peerLine{Type: "behind", Key: "c1", Status: "completed"})
	w.slotIs(b, vyre.SlotHeld)
}

// Places that a daemon finds free when it takes over, as its bounds are higher, are
// given at once; a teammate's that somebody waited for left with who waited.
func TestSlotsOfHigherBounds(t *testing.T) {
	w := bounded(t, 1)
	a := w.begin("a")
	pa := w.peers.newest()
	b := w.begin("b")
	pb := w.peers.newest()
	subagent(pa, "c1")
	pa.nth("hook", 1)
	subagent(pb, "c2")
	w.slotIs(b, vyre.SlotWaiting)
	if _, err := w.eng.TakeSlot(t.Context(), a, false); err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() { _, err := w.eng.TakeSlot(t.Context(), b, true); waited <- err }()
	w.until("that a teammate waits", func(e vyre.Event) bool {
		var d vyre.SlotsChanged
		return e.Kind == vyre.EvSlotsChanged && json.Unmarshal(e.Data, &d) == nil &&
			d.Kind == string(vyre.SlotTeammate) && d.State == string(vyre.SlotWaiting)
	})
	w.stop()
	if err := <-waited; err == nil {
		t.Error("it waited through the daemon's end")
	}
	w.slots[vyre.SlotSubagent] = slots.Bound{Node: 2}
	w.start()
	w.slotIs(b, vyre.SlotHeld)
	pb.say(peerLine{Type: "hook", Key: "c2", Tool: "Sub", Request: "h-c2"}) // told again
	pb.nth("hook", 1)
	if all := w.eng.Slots(); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

// slotStore holds the commit of a held slot until somebody looks a thread up.
type slotStore struct {
	engine.Store
	mu      sync.Mutex
	held    bool
	holding chan struct{} // closed when a commit is held
	looked  chan struct{} // closed at the first look after that
}

func (s *slotStore) Commit(ctx context.Context, c *vyre.Commit) error {
	err := s.Store.Commit(ctx, c)
	if len(c.Slots) > 0 && c.Slots[0].State == vyre.SlotHeld {
		s.mu.Lock()
		s.held = true
		s.mu.Unlock()
		close(s.holding)
		<-s.looked
	}
	return err
}

func (s *slotStore) Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error) {
	s.mu.Lock()
	if s.held {
		s.held = false
		close(s.looked)
	}
	s.mu.Unlock()
	return s.Store.Thread(ctx, id)
}

// A teammate's place that was given to a caller that had just left comes back.
func TestTeammateWhoLeftAsItWasGiven(t *testing.T) {
	w := bounded(t, 1)
	w.stop()
	store := &slotStore{Store: w.db, holding: make(chan struct{}), looked: make(chan struct{})}
	w.wrap = func(engine.Store) engine.Store { return store }
	w.start()
	a := w.begin("")
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := w.eng.TakeSlot(ctx, a, false); left <- err }()
	<-store.holding
	cancel()
	if err := <-left; vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Error(err)
	}
	_, _ = store.Thread(t.Context(), a) // lets the commit end, if nobody looked
	w.slotIs(a, vyre.SlotReleased)
	if all := w.eng.Slots(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// Whoever waits gives its place in the line back when its turn is cut, and every
// place when its session ends.
func TestSlotsComeBack(t *testing.T) {
	w := bounded(t, 1)
	a, pa, b, pb := w.two()
	subagent(pa, "c1")
	pa.nth("hook", 1)
	subagent(pb, "c2")
	w.slotIs(b, vyre.SlotWaiting)
	pb.say(peerLine{Type: "unhook", Request: "h-c2"})
	w.slotIs(b, vyre.SlotReleased)
	if err := w.eng.Stop(t.Context(), a, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	if left := w.eng.Slots(); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	kept, err := w.db.Slots(t.Context())
	if err != nil || len(kept) != 0 {
		t.Errorf("%+v %v", kept, err)
	}
}

// A daemon that dies while one waits is followed by one that knows the line: the
// place is still held, who waits goes on when it is free, and is told once.
func TestSlotsOverARestart(t *testing.T) {
	w := bounded(t, 1)
	_, pa, b, pb := w.two()
	subagent(pa, "c1")
	pa.nth("hook", 1)
	subagent(pb, "c2")
	w.slotIs(b, vyre.SlotWaiting)
	w.restart()
	// What is still open is told again after the hello.
	pb.say(peerLine{Type: "hook", Key: "c2", Tool: "Sub", Request: "h-c2"})
	pa.say(peerLine{Type: "result", Key: "c1"})
	pb.nth("hook", 1)
	if n := pb.answersTo("hook", "h-c2"); n != 1 {
		t.Errorf("%d answers", n)
	}
	if pa.answersTo("hook", "h-c1") != 1 {
		t.Errorf("the first was answered %d times", pa.answersTo("hook", "h-c1"))
	}
}

// A teammate's place is refused at once with the position where nobody waits for
// it, is given to who waits, and comes back with the session that took it.
func TestTeammates(t *testing.T) {
	w := bounded(t, 1)
	a, b := w.begin(""), w.begin("")
	first, err := w.eng.TakeSlot(t.Context(), a, false)
	if err != nil || first.State != vyre.SlotHeld {
		t.Fatal(first, err)
	}
	_, err = w.eng.TakeSlot(t.Context(), b, false)
	if e := vyre.AsError(err); e.Code != vyre.CodeBusy || e.Details["position"] != 1 {
		t.Errorf("%+v", e)
	}
	got := make(chan vyre.Slot)
	go func() {
		s, err := w.eng.TakeSlot(t.Context(), b, true)
		if err != nil {
			t.Error(err)
		}
		got <- s
	}()
	w.slotIs(b, vyre.SlotWaiting)
	if _, err := w.eng.ReleaseSlot(t.Context(), first.ID, b); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("another thread's place was given back: %v", err)
	}
	if _, err := w.eng.ReleaseSlot(t.Context(), first.ID, ""); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s.State != vyre.SlotHeld {
		t.Errorf("%+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := w.eng.TakeSlot(ctx, a, true); left <- err }()
	w.until("a second wait", func(e vyre.Event) bool {
		return e.Kind == vyre.EvSlotsChanged && e.Thread == a && slices.ContainsFunc(w.eng.Slots(), func(s vyre.Slot) bool { return s.Thread == a })
	})
	cancel()
	if err := <-left; vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Error(err)
	}
	if all := w.eng.Slots(); len(all) != 1 || all[0].Thread != b {
		t.Errorf("who stopped waiting is still in the line: %+v", all)
	}
}

// A session that somebody follows is not closed for resting; it is once they leave.
func TestWatcherKeepsASession(t *testing.T) {
	w := newWorld(t, echo)
	w.stop()
	w.idle = 20 * time.Millisecond
	w.start()
	id := w.begin("")
	leave := w.eng.Watch(id)
	other := w.begin("") // rests for at least as long before it goes
	w.until("the other's stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == other })
	third := w.begin("")
	w.until("the third's stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == third })
	if w.thread(id).State != vyre.StateIdle {
		t.Errorf("%+v", w.thread(id))
	}
	leave()
	leave()
	w.until("its stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == id })
}

// Where room is needed a session that nobody watches goes before one that is
// watched, however long that rested.
func TestWatchedGoesLast(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.maxLive = 2
	w.start()
	first, second := w.begin(""), w.begin("")
	defer w.eng.Watch(first)()
	w.begin("work")
	if w.thread(second).Reason != vyre.StopCap || w.thread(first).State != vyre.StateIdle {
		t.Errorf("first %+v second %+v", w.thread(first), w.thread(second))
	}
}

// Messages that wait for a place go on by themselves when one becomes free.
func TestQueueGoesOnWhenThereIsRoom(t *testing.T) {
	w := newWorld(t, slow)
	b := w.begin("one")
	if _, err := w.eng.Send(t.Context(), b, engine.SendInput{Text: "two", Queue: true, By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	pb := w.peers.newest()
	a := w.begin("work")
	pa := w.peers.newest()
	w.stop()
	pb.die(agent.Exited{Code: 1})
	w.maxLive = 1
	w.start() // b's agent is gone, its queue wants another, and a is at work
	w.until("that it waits", func(e vyre.Event) bool {
		var d vyre.ThreadState
		return e.Kind == vyre.EvThreadState && e.Thread == b && json.Unmarshal(e.Data, &d) == nil && d.To == vyre.StateFailed
	})
	pa.say(peerLine{Type: "end", Messages: turnMessages(w, a), Status: "completed"})
	w.until("its turn", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadTurn && e.Thread == b && e.Turn == vyre.MakeTurnID(b, 2)
	})
	if w.thread(a).Reason != vyre.StopCap {
		t.Errorf("%+v", w.thread(a))
	}
}
