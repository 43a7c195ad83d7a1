package engine_test

import (
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// fault sets a fault of a peer.
func fault(p *peerProc, set func(*peerProc)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set(p)
}

// eventually looks again and again at what no event tells.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s did not come", what)
		}
	}
}

// A stop that is not proven is not booked: the caller is told, the session stays
// known to identity, other requests are still served, and it is tried again by
// itself until the tree is empty.
func TestStopUnproven(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	fault(p, func(p *peerProc) { p.failStop = 1 })
	if err := w.eng.Stop(t.Context(), id, "person"); vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Fatalf("stop: %v", err)
	}
	if len(w.eng.Sessions()) != 1 || w.thread(id).State == vyre.StateStopped {
		t.Error("an unproven stop was booked")
	}
	if s := w.send(id, "later", ""); s.Via != vyre.ViaQueue {
		t.Errorf("sent %+v", s)
	}
	w.untilKind(vyre.EvThreadStopped, 1)
	w.untilKind(vyre.EvThreadSent, 2) // the message that came meanwhile brings it back
	if len(w.eng.Sessions()) != 1 || w.peers.count() != 2 {
		t.Errorf("%d sessions, %d processes", len(w.eng.Sessions()), w.peers.count())
	}
}

// A delivery that fails is tried again; the message arrives once and in order.
func TestDeliveryIsRetried(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("")
	p := w.peers.newest()
	fault(p, func(p *peerProc) { p.failSend = 3 })
	w.send(id, "go", "")
	p.sent(1)
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	fault(p, func(p *peerProc) { p.failSend = 2 })
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: w.asks(id)[0].ID, Decision: vyre.Allow}); err != nil {
		t.Fatal(err)
	}
	if len(p.said("send")) != 1 || len(p.said("answer")) != 1 {
		t.Errorf("%d sends, %d answers", len(p.said("send")), len(p.said("answer")))
	}
}

// A report of the mode before a change that is on its way is late, no breach:
// tightened or loosened, the new mode stands.
func TestLateModeReport(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	n := 0
	for _, m := range []vyre.Mode{vyre.ModePlan, vyre.ModeAsk, vyre.ModeEdits, vyre.ModeAsk} {
		from := w.thread(id).Mode
		if err := w.eng.SetMode(t.Context(), id, m, "person"); err != nil {
			t.Fatal(err)
		}
		p.say(peerLine{Type: "mode", Mode: string(from)}) // written before the frame was read
		n++
		p.say(peerLine{Type: "replied", Offset: int(p.nth("mode", n).N)})
		p.say(peerLine{Type: "mode", Mode: string(m)})
		p.say(peerLine{Type: "text", Key: "x" + string(m) + string(from), Text: "on"})
		w.untilKind(vyre.EvThreadText, n)
		if got := w.thread(id).Mode; got != m {
			t.Errorf("%s → %s: the mode is %s", from, m, got)
		}
	}
	for _, e := range w.events() {
		if e.Kind == vyre.EvThreadBreach {
			t.Errorf("a breach: %s", e.Data)
		}
	}
}

// A daemon that can't learn which inputs its shim has taken does not guess: it
// tries again, and the next message gets a number of its own.
func TestAdoptionAsksAgain(t *testing.T) {
	w := newWorld(t, echo)
	id := w.begin("one")
	w.untilKind(vyre.EvThreadFinished, 1)
	p := w.peers.newest()
	w.stop()
	fault(p, func(p *peerProc) { p.failAccepted = 1 })
	w.start()
	eventually(t, "the message", func() bool {
		_, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "two", Key: "k2"})
		return err == nil
	})
	w.untilKind(vyre.EvThreadFinished, 2)
	if got := p.said("send"); len(got) != 2 || got[1].Data["text"] != "two" {
		t.Errorf("delivered %v", got)
	}
}

// A plan's approval that never reached the agent changes no mode.
func TestPlanUndelivered(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	p.say(peerLine{Type: "plan", Request: "r1"})
	w.untilKind(vyre.EvAskRaised, 1)
	fault(p, func(p *peerProc) { p.failSend = 1 << 30 })
	done := make(chan error, 1)
	go func() {
		_, err := w.eng.Answer(t.Context(), engine.AnswerInput{
			Ask: w.asks(id)[0].ID, Decision: vyre.Allow, Option: engine.OptionApproveEdits,
		})
		done <- err
	}()
	eventually(t, "the answer on its way", func() bool { return w.asks(id)[0].State == vyre.AskAnswering })
	if err := w.eng.Stop(t.Context(), id, "person"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("answer: %v", err)
	}
	if m := w.thread(id).Mode; m != vyre.ModeAsk {
		t.Errorf("mode %s", m)
	}
}

// An agent that dies before it took its first input refuses the start as one that
// ended at once, whichever is seen first; nothing is left.
func TestDeadBeforeItsFirstInput(t *testing.T) {
	w := newWorld(t, func(*peerProc, peerFrame) {})
	w.peers.born = func(p *peerProc) { fault(p, func(p *peerProc) { p.deaf = true }) }
	done := make(chan error, 1)
	go func() {
		_, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", CWD: "/", Prompt: "x"})
		done <- err
	}()
	eventually(t, "the process", func() bool { return w.peers.count() == 1 })
	w.peers.newest().die(agent.Exited{Code: 7, Stderr: "no model\n"})
	if err := <-done; vyre.CodeOf(err) != vyre.CodeUnavailable || vyre.AsError(err).Details["exit_code"] != 7 {
		t.Errorf("start: %v", err)
	}
	if evs := w.events(); len(evs) != 0 || len(w.eng.Sessions()) != 0 {
		t.Errorf("left: %d events, %d sessions", len(evs), len(w.eng.Sessions()))
	}
}

// However many modes are asked for and however late each is reported, it is no
// breach, and the person's last word stands.
func TestModeSeries(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	series := []vyre.Mode{vyre.ModeEdits, vyre.ModePlan, vyre.ModeAsk, vyre.ModeEdits, vyre.ModePlan, vyre.ModeEdits, vyre.ModeAsk}
	for _, m := range series {
		if err := w.eng.SetMode(t.Context(), id, m, "person"); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range series { // replies first, reports after, as they come
		p.say(peerLine{Type: "replied", Offset: int(p.nth("mode", i+1).N)})
		if i > 0 {
			p.say(peerLine{Type: "mode", Mode: string(series[i-1])})
		}
		_ = m
	}
	p.say(peerLine{Type: "mode", Mode: "ask"})
	p.say(peerLine{Type: "text", Key: "x", Text: "on"})
	w.untilKind(vyre.EvThreadText, 1)
	if got := w.thread(id); got.Mode != vyre.ModeAsk || got.State != vyre.StateRunning {
		t.Errorf("thread %+v", got)
	}
	p.say(peerLine{Type: "mode", Mode: "edits"}) // settled by now: nobody set this
	w.untilKind(vyre.EvThreadBreach, 1)
}

// A denial that also ends the turn has the same ladder as an interrupt.
func TestDenyStopLadder(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.bound = 30 * time.Millisecond
	w.start()
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: w.asks(id)[0].ID, Decision: vyre.Deny, Interrupt: true}); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 1)
	u, _, _ := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if u.Status != vyre.TurnCanceled || !p.stopped {
		t.Errorf("turn %+v", u)
	}
}

// At the bound, sends to stopped threads at once are each run or refused whole:
// none is acknowledged and left behind.
func TestRoomIsReserved(t *testing.T) {
	w := newWorld(t, slow)
	var ids []vyre.ThreadID
	for range 5 {
		id := w.begin("")
		if err := w.eng.Stop(t.Context(), id, "person"); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	w.stop()
	w.maxLive = 2
	w.start()
	var wg sync.WaitGroup
	errs := make([]error, len(ids))
	for i, id := range ids {
		wg.Go(func() { _, errs[i] = w.eng.Send(t.Context(), id, engine.SendInput{Text: "go"}) })
	}
	wg.Wait()
	taken := 0
	for i, id := range ids {
		q, _ := w.db.Queue(t.Context(), id)
		switch {
		case errs[i] == nil:
			taken++
			eventually(t, "the turn", func() bool { return w.thread(id).State == vyre.StateRunning })
		case vyre.CodeOf(errs[i]) != vyre.CodeBusy || len(q) != 0:
			t.Errorf("%v with %d queued", errs[i], len(q))
		}
	}
	if taken != 2 {
		t.Errorf("%d taken", taken)
	}
}
