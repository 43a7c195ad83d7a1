package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/engine"
)

func (w *world) breached(id vyre.ThreadID, words string) {
	w.t.Helper()
	w.until("the breach", func(e vyre.Event) bool {
		var d vyre.ThreadBreach
		return e.Kind == vyre.EvThreadBreach && json.Unmarshal(e.Data, &d) == nil && strings.Contains(d.What, words)
	})
	w.until("the stop", func(e vyre.Event) bool {
		var d vyre.ThreadStopped
		return e.Kind == vyre.EvThreadStopped && json.Unmarshal(e.Data, &d) == nil && d.Reason == vyre.StopBreach
	})
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopBreach || !w.peers.newest().isGone() {
		w.t.Errorf("%s %s", th.State, th.Reason)
	}
}

// A result of a call whose question is open or was denied, or that nobody may make, is a
// breach: the session is stopped and says so. Where a child of the agent forged it into
// the agent's output, it is the same.
func TestBreachOfACall(t *testing.T) {
	for name, c := range map[string]struct {
		words string
		do    func(w *world, id vyre.ThreadID, p *peerProc)
	}{
		"an open question": {"its question was open", func(w *world, _ vyre.ThreadID, p *peerProc) {
			p.calls("c1", "make it")
			p.asksFor("c1", "make it")
			w.untilKind(vyre.EvAskRaised, 1)
		}},
		"a denied question": {"that was denied", func(w *world, id vyre.ThreadID, p *peerProc) {
			p.calls("c1", "make it")
			p.asksFor("c1", "make it")
			w.untilKind(vyre.EvAskRaised, 1)
			if _, err := w.eng.Answer(w.t.Context(), engine.AnswerInput{Ask: w.asks(id)[0].ID, Decision: vyre.Deny, By: modelPerson}); err != nil {
				w.t.Error(err)
			}
		}},
		"a denied question, after a restart": {"that was denied", func(w *world, id vyre.ThreadID, p *peerProc) {
			p.calls("c1", "make it")
			p.asksFor("c1", "make it")
			w.untilKind(vyre.EvAskRaised, 1)
			if _, err := w.eng.Answer(w.t.Context(), engine.AnswerInput{Ask: w.asks(id)[0].ID, Decision: vyre.Deny, By: modelPerson}); err != nil {
				w.t.Error(err)
			}
			w.restart()
		}},
		"refused in its hook": {"that was denied", func(_ *world, _ vyre.ThreadID, p *peerProc) { p.calls("c1", "evil x") }},
		"never hooked nor asked": {"nobody may make", func(_ *world, _ vyre.ThreadID, p *peerProc) {
			p.say(peerLine{Type: "tool", Key: "c1", Cmd: "evil x"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := ruled(t)
			id := w.begin("go")
			p := w.peers.newest()
			c.do(w, id, p)
			p.say(peerLine{Type: "result", Key: "c1", Ran: true})
			w.breached(id, c.words)
		})
	}
}

// A result that says that a denied call did not run is no breach, and neither is one of
// a call that was allowed, that the rules let pass, or whose question was withdrawn.
func TestNoBreach(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "evil x")
	p.say(peerLine{Type: "result", Key: "c1"})
	p.calls("c2", "make it")
	p.say(peerLine{Type: "result", Key: "c2", Ran: true}) // a rule of the person's own settings
	p.calls("c3", "make it")
	p.asksFor("c3", "make it")
	w.untilKind(vyre.EvAskRaised, 1)
	p.say(peerLine{Type: "withdraw", Request: "q-c3", Text: "a hook of the person's own allowed it"})
	p.say(peerLine{Type: "result", Key: "c3", Ran: true})
	p.say(peerLine{Type: "end", Messages: turnMessages(w, id), Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	for _, e := range w.events() {
		if e.Kind == vyre.EvThreadBreach {
			t.Errorf("%s", e.Data)
		}
	}
	if _, b := w.item(id, "c2"); b.By != vyre.ByRule {
		t.Errorf("what nobody here decided went ahead by %s", b.By)
	}
}

// After a breach only a person brings the thread back: no agent's message does, and no
// daemon's start.
func TestOnlyAPersonResumesAfterABreach(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "later", Queue: true, By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	p.calls("c1", "evil x")
	p.say(peerLine{Type: "result", Key: "c1", Ran: true})
	w.breached(id, "that was denied")
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "hi", By: "thread:x", Waker: vyre.ModeAsk}); vyre.CodeOf(err) != vyre.CodePersonOnly {
		t.Errorf("an agent's message: %v", err)
	}
	q, err := w.db.Queue(t.Context(), id)
	if err != nil || len(q) != 1 {
		t.Fatalf("%+v %v", q, err)
	}
	if _, err := w.eng.SendNow(t.Context(), id, q[0].ID, vyre.Caller{Kind: vyre.CallerThread, ID: string(id)}); vyre.CodeOf(err) == "" {
		t.Errorf("an agent's send now: %v", err)
	}
	w.restart()
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopBreach {
		t.Errorf("a restart made it %s %s", th.State, th.Reason)
	}
	w.send(id, "go on", "k2")
	w.until("it runs again", func(e vyre.Event) bool {
		var d vyre.ThreadState
		return e.Kind == vyre.EvThreadState && json.Unmarshal(e.Data, &d) == nil && d.From == vyre.StateStopped
	})
}

// A daemon that dies between seeing a breach and stopping its session is followed by one
// that stops it.
func TestBreachOverARestart(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "evil x")
	p.mu.Lock()
	p.failStop = 1 // the stop that would follow at once does not come through
	p.mu.Unlock()
	p.say(peerLine{Type: "result", Key: "c1", Ran: true})
	w.untilKind(vyre.EvThreadBreach, 1)
	w.restart()
	w.breached(id, "that was denied")
}
