package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// steering is a world whose agent takes messages into a running turn.
func steering(t *testing.T) (*world, vyre.ThreadID, *peerProc) {
	t.Helper()
	w := newWorld(t, slow1)
	w.stop()
	w.provider.steers = true
	w.start()
	id := w.begin("one")
	p := w.peers.newest()
	p.sent(1)
	w.until("the first turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadItem })
	return w, id, p
}

// slow1 begins a turn for what is no steer and leaves all else to the test.
func slow1(p *peerProc, f peerFrame) {
	if f.Say == "send" && f.Data["steer"] == true {
		return
	}
	slow(p, f)
}

func wire(f peerFrame) vyre.MessageID { return vyre.MessageID(f.Data["id"].(string)) }

func (w *world) queued(id vyre.ThreadID) string {
	w.t.Helper()
	q, err := w.db.Queue(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	var s []string
	for _, m := range q {
		s = append(s, m.Text)
	}
	return strings.Join(s, " ")
}

func (w *world) message(id vyre.ThreadID, m vyre.MessageID) vyre.Message {
	w.t.Helper()
	out, found, err := w.db.Message(w.t.Context(), id, m)
	if err != nil || !found {
		w.t.Fatal(found, err)
	}
	return out
}

// A message sent while a turn runs goes to the agent at once, and is told again
// when the agent takes it; what is put together shares one turn and one result.
func TestSteer(t *testing.T) {
	w, id, p := steering(t)
	a, b := w.send(id, "two", "k2"), w.send(id, "three", "k3")
	if a.Via != vyre.ViaSteer || a.Turn != vyre.MakeTurnID(id, 1) || b.Via != vyre.ViaSteer {
		t.Errorf("sent %+v, %+v", a, b)
	}
	if again := w.send(id, "two", "k2"); again != a {
		t.Errorf("replay %+v", again)
	}
	two, three := wire(p.sent(2)), wire(p.sent(3))
	p.say(peerLine{Type: "taken", Messages: []vyre.MessageID{two}})
	p.say(peerLine{Type: "taken", Messages: []vyre.MessageID{three}})
	w.untilKind(vyre.EvThreadSteered, 2)
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(p.sent(1)), two, three}, Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	u, _, _ := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if len(u.Messages) != 3 || w.message(id, "k3").State != vyre.MessageDone || w.thread(id).Turns != 1 {
		t.Errorf("turn %+v, message %+v", u, w.message(id, "k3"))
	}
}

// A message that no step was left for becomes the next turn, and the log says so;
// what comes after it keeps its order, and the queue waits for both.
func TestSteerBecomesTheNextTurn(t *testing.T) {
	w, id, p := steering(t)
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "last", Queue: true}); err != nil {
		t.Fatal(err)
	}
	w.send(id, "two", "k2")
	w.send(id, "three", "k3")
	two, three := wire(p.sent(2)), wire(p.sent(3))
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(p.sent(1))}, Status: "completed"})
	e := w.until("the next turn", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadSent && strings.Contains(string(e.Data), `"k2","via":"turn"`)
	})
	if e.Turn != vyre.MakeTurnID(id, 2) {
		t.Errorf("turn %s", e.Turn)
	}
	if s := w.send(id, "four", "k4"); s.Via != vyre.ViaSteer || s.Turn != vyre.MakeTurnID(id, 2) {
		t.Errorf("sent %+v", s)
	}
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{two, three}}) // put together by the agent
	w.untilKind(vyre.EvThreadSteered, 1)
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{two, three}, Status: "completed"})
	w.until("the third turn", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadSent && strings.Contains(string(e.Data), `"k4","via":"turn"`)
	})
	four := wire(p.sent(4))
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{four}})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{four}, Status: "completed"})
	if f := p.sent(5); f.Data["text"] != "last" {
		t.Errorf("then %v", f)
	}
}

// While an ask is open a message can still be sent into the turn; the ask stays.
func TestSteerWhileAsked(t *testing.T) {
	w, id, p := steering(t)
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	if s := w.send(id, "two", "k2"); s.Via != vyre.ViaSteer {
		t.Errorf("sent %+v", s)
	}
	p.sent(2)
	if a := w.asks(id); a[0].State != vyre.AskOpen || w.thread(id).State != vyre.StateWaiting {
		t.Errorf("ask %+v", a[0])
	}
}

// An agent that can't be steered is no error: the message waits, and can be sent
// as the next one.
func TestNoSteering(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("one")
	w.peers.newest().sent(1)
	if s := w.send(id, "two", "k2"); s.Via != vyre.ViaQueue {
		t.Errorf("sent %+v", s)
	}
	w.send(id, "three", "k3")
	s, err := w.eng.SendNow(t.Context(), id, "k3", vyre.Person(vyre.Owner, "test"))
	if err != nil || s.Via != vyre.ViaQueue || w.queued(id) != "three two" {
		t.Errorf("sent now %+v, %v; the queue %q", s, err, w.queued(id))
	}
}

// A queued message can be edited, moved, taken back and sent now; its key stands
// for what was first sent under it, over a restart too; what was taken back is not
// queued again, and what the agent has is not edited.
func TestQueueTools(t *testing.T) {
	w, id, p := steering(t)
	me, ctx := vyre.Person(vyre.Owner, "test"), t.Context()
	for _, k := range []string{"a", "b", "c", "d"} {
		if _, err := w.eng.Send(ctx, id, engine.SendInput{Text: k, Key: vyre.MessageID("k" + k), Queue: true, By: me.String()}); err != nil {
			t.Fatal(err)
		}
	}
	if m, err := w.eng.EditQueued(ctx, id, "kb", "B", me); err != nil || m.Text != "B" {
		t.Errorf("edit: %+v, %v", m, err)
	}
	if _, err := w.eng.MoveQueued(ctx, id, "kd", "ka", me); err != nil || w.queued(id) != "d a B c" {
		t.Errorf("move: %v; %q", err, w.queued(id))
	}
	if _, err := w.eng.MoveQueued(ctx, id, "kd", "", me); err != nil || w.queued(id) != "a B c d" {
		t.Errorf("move last: %v; %q", err, w.queued(id))
	}
	for range 2 { // twice is once
		if m, err := w.eng.Unqueue(ctx, id, "ka", me); err != nil || m.State != vyre.MessageRemoved {
			t.Errorf("unqueue: %+v, %v", m, err)
		}
	}
	w.restart()
	if s, err := w.eng.Send(ctx, id, engine.SendInput{Text: "b", Key: "kb", By: me.String()}); err != nil || s.Via != vyre.ViaQueue {
		t.Errorf("replay of an edited one: %+v, %v", s, err)
	}
	if _, err := w.eng.Send(ctx, id, engine.SendInput{Text: "B", Key: "kb", By: me.String()}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("other words: %v", err)
	}
	if s := w.send(id, "a", "ka"); s.State != vyre.MessageRemoved || w.queued(id) != "B c d" {
		t.Errorf("replay of one taken back: %+v; %q", s, w.queued(id))
	}
	if s, err := w.eng.SendNow(ctx, id, "kd", me); err != nil || s.Via != vyre.ViaSteer || p.sent(2).Data["text"] != "d" {
		t.Errorf("send now: %+v, %v", s, err)
	}
	_, err := w.eng.EditQueued(ctx, id, "kd", "x", me)
	if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeConflict || !strings.Contains(e.Hint, "threads.rewind") {
		t.Errorf("edit of a delivered one: %v", err)
	}
	if _, err := w.eng.Unqueue(ctx, id, "nobody", me); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("unknown: %v", err)
	}
	if _, err := w.eng.MoveQueued(ctx, id, "kb", "kb", me); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("before itself: %v", err)
	}
}

// A thread may edit and take back what it sent itself, and nothing else.
func TestQueueIsTheirs(t *testing.T) {
	w, id, _ := steering(t)
	ctx := t.Context()
	self := vyre.Caller{Kind: vyre.CallerThread, ID: string(id)}
	for key, by := range map[vyre.MessageID]string{"mine": self.String(), "yours": "person:owner:test"} {
		if _, err := w.eng.Send(ctx, id, engine.SendInput{Text: "x", Key: key, Queue: true, By: by}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.eng.EditQueued(ctx, id, "yours", "y", self); vyre.CodeOf(err) != vyre.CodeDenied {
		t.Errorf("edit: %v", err)
	}
	if _, err := w.eng.Unqueue(ctx, id, "yours", self); vyre.CodeOf(err) != vyre.CodeDenied {
		t.Errorf("unqueue: %v", err)
	}
	if _, err := w.eng.EditQueued(ctx, id, "mine", "y", self); err != nil {
		t.Errorf("their own: %v", err)
	}
	if _, err := w.eng.Unqueue(ctx, id, "mine", vyre.Person(vyre.Owner, "web")); err != nil {
		t.Errorf("by a person: %v", err)
	}
}

// What an interrupt finds on its way to the agent waits in the queue again, before
// what was queued and in the order it was sent; what is typed while the turn ends
// goes last; then all of it runs, under ids that the agent has not seen.
func TestInterruptReturnsSteers(t *testing.T) {
	w, id, p := steering(t)
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "q", Key: "kq", Queue: true}); err != nil {
		t.Fatal(err)
	}
	w.send(id, "a", "ka")
	w.send(id, "b", "kb")
	a, b := wire(p.sent(2)), wire(p.sent(3))
	done := make(chan error, 1)
	go func() { _, err := w.eng.Interrupt(t.Context(), id); done <- err }()
	p.nth("interrupt", 1)
	if s := w.send(id, "late", "kl"); s.Via != vyre.ViaQueue {
		t.Errorf("sent while it is interrupted: %+v", s)
	}
	p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{a}})
	p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{b}})
	eventually(t, "the queue", func() bool { return w.queued(id) == "a b q late" })
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(p.sent(1))}, Status: "failed"})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	u, _, _ := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if u.Status != vyre.TurnCanceled || len(u.Messages) != 1 {
		t.Errorf("turn %+v", u)
	}
	for n, want := range []string{"a", "b", "q", "late"} {
		f := p.sent(4 + n)
		if f.Data["text"] != want || f.Data["steer"] == true || wire(f) == a || wire(f) == b {
			t.Errorf("then %v, want %s", f, want)
		}
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(f)}, Status: "completed"})
		w.untilKind(vyre.EvThreadFinished, n+2)
	}
	if len(p.said("interrupt")) != 1 {
		t.Error("a later turn was interrupted")
	}
}

// An interrupt before the agent told that its turn began ends that turn canceled,
// and no later one; the agent's late word on it changes nothing.
func TestInterruptBeforeTheTurnBegan(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		if f.Say == "hello" {
			p.say(peerLine{Type: "ready"})
		}
	})
	id := w.begin("one")
	p := w.peers.newest()
	one := wire(p.sent(1))
	done := make(chan error, 1)
	go func() { _, err := w.eng.Interrupt(t.Context(), id); done <- err }()
	p.nth("interrupt", 1)
	w.send(id, "two", "k2")
	p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{one}})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	two := wire(p.sent(2))
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{one}, Status: "canceled"}) // stale
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{two}})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{two}, Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 2)
	var got []string
	for _, e := range w.events() {
		var d vyre.ThreadFinished
		if e.Kind == vyre.EvThreadFinished && json.Unmarshal(e.Data, &d) == nil {
			got = append(got, string(d.Status))
		}
	}
	if !slices.Equal(got, []string{"canceled", "completed"}) {
		t.Errorf("turns ended %v", got)
	}
}

// An interrupt with an ask open withdraws it: an answer after that is a conflict
// and never reaches the agent; of an answer and an interrupt at once one wins, and
// the loser is told.
func TestAnswerAgainstInterrupt(t *testing.T) {
	for range 10 {
		w, id, p := steering(t)
		p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
		w.untilKind(vyre.EvAskRaised, 1)
		ask := w.asks(id)[0].ID
		answered, interrupted := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: ask, Decision: vyre.Allow})
			answered <- err
		}()
		go func() { _, err := w.eng.Interrupt(t.Context(), id); interrupted <- err }()
		p.nth("interrupt", 1)
		err := <-answered
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(p.sent(1))}, Status: "canceled"})
		if e := <-interrupted; e != nil {
			t.Fatal(e)
		}
		a, e := w.db.Ask(t.Context(), ask)
		if e != nil {
			t.Fatal(e)
		}
		switch n := len(p.said("answer")); {
		case err == nil && n == 1 && a.State == vyre.AskAnswered:
		case vyre.CodeOf(err) == vyre.CodeConflict && n == 0 && a.State == vyre.AskCancelled:
		default:
			t.Fatalf("answer: %v, delivered %d times, the ask is %s", err, n, a.State)
		}
		if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: ask, Decision: vyre.Deny}); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Fatalf("after the interrupt: %v", err)
		}
	}
}

// Where the agent ignores an interrupt its process is ended; what was typed goes
// on in a new one by itself.
func TestHardInterruptGoesOn(t *testing.T) {
	w := newWorld(t, slow1)
	w.stop()
	w.bound, w.provider.steers = 30*time.Millisecond, true
	w.start()
	id := w.begin("one")
	w.peers.newest().sent(1)
	w.send(id, "two", "k2")
	if _, err := w.eng.Interrupt(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a new process", func() bool { return w.peers.count() == 2 })
	if f := w.peers.newest().sent(1); f.Data["text"] != "two" {
		t.Errorf("it was sent %v", f)
	}
}

// An agent that dies with a message on its way: what its history lacks is sent
// again, what it holds is not, and where nobody can tell it is shown as unknown.
func TestDeathWithASteer(t *testing.T) {
	for _, c := range []struct {
		name       string
		yes, known bool
		sends      int
		state      vyre.MessageState
	}{
		{"not taken", false, true, 1, vyre.MessageSent},
		{"taken", true, true, 0, vyre.MessageUnknown},
		{"nobody knows", false, false, 0, vyre.MessageUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, id, p := steering(t)
			w.stop()
			w.provider.tells = func(m vyre.MessageID) (bool, bool) {
				return m == agent.WireID("k2") && c.yes, c.known
			}
			w.start()
			w.send(id, "two", "k2")
			p.sent(2)
			p.die(agent.Exited{Code: -1, Signal: "killed"})
			w.untilKind(vyre.EvThreadStopped, 1)
			if c.sends > 0 {
				w.until("the second turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadSent && e.Turn.N() == 2 })
			}
			m := w.message(id, "k2")
			if m.State == vyre.MessageTaken {
				m.State = vyre.MessageSent // the new process is quick
			}
			if m.State != c.state {
				t.Errorf("message %+v", m)
			}
			if n := w.peers.count() - 1; n != c.sends {
				t.Errorf("%d new processes", n)
			}
		})
	}
}

// An interrupt calls back what is on its way before it cuts anything: where the
// turn ends meanwhile and the message has begun the next one, that one is not hit.
func TestInterruptHitsNoLaterTurn(t *testing.T) {
	w := newWorld(t, slow1)
	w.stop()
	w.provider.steers, w.provider.cancels = true, true
	w.start()
	id := w.begin("one")
	p := w.peers.newest()
	one := wire(p.sent(1))
	w.send(id, "two", "k2")
	two := wire(p.sent(2))
	done := make(chan vyre.TurnID, 1)
	go func() {
		u, err := w.eng.Interrupt(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		done <- u
	}()
	f := p.nth("cancel", 1)
	if wire(f) != two || len(p.said("interrupt")) != 0 {
		t.Fatalf("called back %v after %d interrupts", f, len(p.said("interrupt")))
	}
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{one}, Status: "completed"})
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{two}})
	p.say(peerLine{Type: "refused", Offset: int(f.N), Text: "it does not wait"})
	if u := <-done; u != vyre.MakeTurnID(id, 1) {
		t.Errorf("ended %s", u)
	}
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{two}, Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 2)
	if n := len(p.said("interrupt")); n != 0 {
		t.Errorf("%d interrupts reached the next turn", n)
	}
}

// A message that was called back waits in the queue, and the interrupt follows.
func TestInterruptAfterTheCallBack(t *testing.T) {
	w := newWorld(t, slow1)
	w.stop()
	w.provider.steers, w.provider.cancels = true, true
	w.start()
	id := w.begin("one")
	p := w.peers.newest()
	one := wire(p.sent(1))
	w.send(id, "two", "k2")
	two := wire(p.sent(2))
	done := make(chan error, 1)
	go func() { _, err := w.eng.Interrupt(t.Context(), id); done <- err }()
	f := p.nth("cancel", 1)
	p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{two}})
	p.say(peerLine{Type: "replied", Offset: int(f.N)})
	p.nth("interrupt", 1)
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{one}, Status: "canceled"})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if f := p.sent(3); f.Data["text"] != "two" || wire(f) == two {
		t.Errorf("then %v", f)
	}
}
