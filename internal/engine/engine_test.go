package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

// A start with a prompt runs one turn: the log tells it in order, the items hold
// the words, and the thread is idle again.
func TestTurn(t *testing.T) {
	w := newWorld(t, echo)
	id := w.begin("hello")
	w.untilKind(vyre.EvThreadFinished, 1)
	want := "thread.started thread.state thread.state thread.turn thread.sent thread.item " +
		"thread.text thread.item thread.turn thread.finished thread.state"
	if got := w.kinds(id); got != want {
		t.Errorf("log\n%s\nwant\n%s", got, want)
	}
	items, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id, Limit: 50})
	if err != nil || len(items) != 2 || items[0].Text != "hello" || items[1].Text != "echo: hello" {
		t.Errorf("items %+v, %v", items, err)
	}
	if s := w.thread(id).State; s != vyre.StateIdle {
		t.Errorf("state %s", s)
	}
}

// A refused start leaves no thread, no session and no process.
func TestStartRefused(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		p.die(agent.Exited{Code: 3, Stderr: "no model today\n"})
	})
	_, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", CWD: "/"})
	if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "no model today") {
		t.Errorf("error %v", err)
	}
	ths, _, _ := w.db.Threads(t.Context(), sqlite.ThreadQuery{Limit: 10})
	open, _ := w.db.OpenSessions(t.Context())
	if len(ths) != 0 || len(open) != 0 || !w.peers.newest().stopped || len(w.eng.Sessions()) != 0 {
		t.Errorf("left over: %d threads, %d sessions", len(ths), len(open))
	}
	if _, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "nobody", CWD: "/"}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("unknown provider: %v", err)
	}
}

// The same key starts one thread, however often and at once it is used; with
// another input it is a conflict.
func TestStartKey(t *testing.T) {
	w := newWorld(t, echo)
	in := engine.StartInput{Provider: "peer", Prompt: "once", CWD: "/", Key: "k1"}
	var wg sync.WaitGroup
	ids := make([]vyre.ThreadID, 8)
	for i := range ids {
		wg.Go(func() {
			var err error
			if ids[i], _, err = w.eng.Start(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("two threads: %v", ids)
		}
	}
	if w.peers.count() != 1 {
		t.Errorf("%d processes", w.peers.count())
	}
	in.Prompt = "twice"
	if _, _, err := w.eng.Start(t.Context(), in); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("other input: %v", err)
	}
}

// A message to a running thread waits in the store, each is a turn of its own,
// and a repeated key is one message; another text under it is a conflict.
func TestQueue(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("one")
	w.untilKind(vyre.EvThreadSent, 1)
	a := w.send(id, "two", "k2")
	if a.Via != vyre.ViaQueue || a.Turn != "" {
		t.Errorf("sent %+v", a)
	}
	w.send(id, "three", "k3")
	if b := w.send(id, "two", "k2"); b.Message != a.Message || b.Via != a.Via {
		t.Errorf("replay %+v", b)
	}
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "other", Key: "k2"}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("conflict: %v", err)
	}
	p := w.peers.newest()
	for n := 1; n <= 3; n++ {
		w.untilKind(vyre.EvThreadSent, n)
		f := p.sent(n)
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(f.Data["id"].(string))}, Status: "completed"})
		w.untilKind(vyre.EvThreadFinished, n)
	}
	if got := p.said("send"); len(got) != 3 || got[1].Data["text"] != "two" || got[2].Data["text"] != "three" {
		t.Errorf("delivered %v", got)
	}
	if w.thread(id).State != vyre.StateIdle {
		t.Errorf("state %s", w.thread(id).State)
	}
}

// An answer reaches the agent once; the same again gives the first outcome; a
// different one is a conflict that names it; of fifty at once one wins.
func TestAnswer(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	if w.thread(id).State != vyre.StateWaiting || a.Digest == "" || len(a.ID) != 18 {
		t.Errorf("ask %+v in state %s", a, w.thread(id).State)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := map[vyre.Decision]int{}
	for i := range 50 {
		d := vyre.Allow
		if i%2 == 1 {
			d = vyre.Deny
		}
		wg.Go(func() {
			got, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: d, By: vyre.Person("owner", "test")})
			switch {
			case err == nil && got.Decision == d:
				mu.Lock()
				won[d]++
				mu.Unlock()
			case vyre.CodeOf(err) != vyre.CodeConflict || vyre.AsError(err).Details["decision"] == d:
				t.Errorf("answer %s: %v %v", d, got, err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || won[vyre.Allow]+won[vyre.Deny] != 25 {
		t.Errorf("winners %v", won)
	}
	if n := len(p.said("answer")); n != 1 {
		t.Errorf("the agent got %d answers", n)
	}
	if w.thread(id).State != vyre.StateRunning || len(w.asks(id)) != 0 {
		t.Errorf("state %s", w.thread(id).State)
	}
}

// An interrupt withdraws the open ask at once, an answer after it is refused and
// never reaches the agent, and the queue goes on.
func TestInterrupt(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	first := p.sent(1).Data["id"].(string)
	done := make(chan error, 1)
	go func() {
		turn, err := w.eng.Interrupt(t.Context(), id)
		if err == nil && turn != vyre.MakeTurnID(id, 1) {
			t.Errorf("interrupted %s", turn)
		}
		done <- err
	}()
	w.untilKind(vyre.EvAskCancelled, 1)
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: vyre.Allow}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("late answer: %v", err)
	}
	w.send(id, "after", "k")
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(first)}, Status: "canceled"})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	p.sent(2)
	if len(p.said("answer")) != 0 || len(p.said("interrupt")) != 1 {
		t.Error("the agent got what it should not")
	}
	// The stale result of the cancelled turn does not end the next one.
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(first)}, Status: "canceled"})
	p.say(peerLine{Type: "text", Key: "x", Text: "still here"})
	w.untilKind(vyre.EvThreadText, 1)
	if w.thread(id).State != vyre.StateRunning {
		t.Errorf("state %s", w.thread(id).State)
	}
}

// A daemon that goes in the middle of a turn is not noticed: words are whole and
// told once, the open ask is answerable, the queued messages run once.
func TestRestart(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		if f.Say == "hello" && f.Data["attach"] == true {
			l := peerLine{Type: "ready", Attach: true}
			if len(p.said("answer")) == 0 {
				l.Open = []string{"r1"}
			}
			p.say(l)
			return
		}
		slow(p, f)
	})
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "text", Key: "t", Text: "one "})
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	w.send(id, "two", "k2")
	w.send(id, "three", "k3")
	ask := w.asks(id)[0].ID
	w.stop()
	p.say(peerLine{Type: "text", Key: "t", Offset: 4, Text: "two"})
	w.start()
	w.untilKind(vyre.EvThreadText, 2)
	if a := w.asks(id); len(a) != 1 || a[0].ID != ask {
		t.Fatalf("asks %+v", a)
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: ask, Decision: vyre.Allow}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		w.untilKind(vyre.EvThreadSent, n)
		f := p.sent(n)
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(f.Data["id"].(string))}, Status: "completed"})
		w.untilKind(vyre.EvThreadFinished, n)
		w.restart()
	}
	if len(p.said("send")) != 3 || len(p.said("answer")) != 1 || w.peers.count() != 1 {
		t.Errorf("sends %d answers %d processes %d", len(p.said("send")), len(p.said("answer")), w.peers.count())
	}
	var words strings.Builder
	for _, e := range w.events() {
		if e.Kind == vyre.EvThreadText {
			var d vyre.ThreadText
			_ = json.Unmarshal(e.Data, &d)
			words.WriteString(d.Text)
		}
	}
	if words.String() != "one two" {
		t.Errorf("words %q", words.String())
	}
}

// An agent that dies in a turn ends it as failed, its asks are withdrawn, the words
// it had said stay in the item, and the next message resumes.
func TestCrash(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "text", Key: "t", Text: "half "})
	p.say(peerLine{Type: "text", Key: "t", Offset: 5, Text: "a word"})
	p.say(peerLine{Type: "ask", Request: "r1", Text: "may I"})
	w.untilKind(vyre.EvAskRaised, 1)
	p.die(agent.Exited{Code: 137, Stderr: "killed"})
	w.untilKind(vyre.EvThreadStopped, 1)
	th := w.thread(id)
	if th.State != vyre.StateStopped || th.Reason != vyre.StopCrash || len(w.asks(id)) != 0 {
		t.Errorf("thread %+v", th)
	}
	u, _, _ := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if u.Status != vyre.TurnFailed || !strings.Contains(u.Error, "137") {
		t.Errorf("turn %+v", u)
	}
	items, _, _ := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: id, Limit: 50})
	if !slices.ContainsFunc(items, func(it vyre.Item) bool {
		return it.Text == "half a word" && it.Status == vyre.ItemFailed
	}) {
		t.Errorf("the words are lost: %+v", items)
	}
	// The next send resumes with the words that were sent.
	s := w.send(id, "again", "")
	if s.Via != vyre.ViaResume || s.Turn != vyre.MakeTurnID(id, 2) {
		t.Errorf("sent %+v", s)
	}
	w.untilKind(vyre.EvThreadSent, 2)
	if w.peers.count() != 2 {
		t.Errorf("%d processes", w.peers.count())
	}
}

// A message that was handed over and never taken is said again after a crash if
// the agent's history lacks it; an agent that always dies is not restarted for ever.
func TestCrashLoop(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		switch f.Say {
		case "hello":
			p.say(peerLine{Type: "ready"})
		case "send":
			go p.die(agent.Exited{Code: 1})
		}
	})
	id := w.begin("go")
	w.until("the last stop", func(vyre.Event) bool {
		th := w.thread(id)
		return w.peers.count() == 4 && th.State == vyre.StateStopped
	})
	q, _ := w.db.Queue(t.Context(), id)
	if len(q) != 1 || q[0].Text != "go" {
		t.Errorf("queue %+v", q)
	}
}

// A mode that nobody set is a breach: the session is stopped and the thread told.
func TestBreach(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	p := w.peers.newest()
	if err := w.eng.SetMode(t.Context(), id, vyre.ModePlan, "person"); err != nil {
		t.Fatal(err)
	}
	p.say(peerLine{Type: "mode", Mode: "plan"})
	p.say(peerLine{Type: "mode", Mode: "edits"})
	w.untilKind(vyre.EvThreadBreach, 1)
	w.untilKind(vyre.EvThreadStopped, 1)
	if th := w.thread(id); th.Reason != vyre.StopBreach || th.Mode != vyre.ModePlan || !p.stopped {
		t.Errorf("thread %+v", th)
	}
}

// A stop takes the whole tree and keeps the queue for a person; nothing restarts it.
func TestStop(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	w.send(id, "later", "k2")
	if err := w.eng.Stop(t.Context(), id, "person"); err != nil {
		t.Fatal(err)
	}
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopPerson {
		t.Errorf("thread %+v", th)
	}
	w.restart()
	if w.peers.count() != 1 || len(w.eng.Sessions()) != 0 {
		t.Error("a stopped thread came back by itself")
	}
	if err := w.eng.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadSent, 2)
}

// What the agent does unasked between turns is a turn of origin agent.
func TestAgentTurn(t *testing.T) {
	w := newWorld(t, echo)
	w.begin("hello")
	w.untilKind(vyre.EvThreadFinished, 1)
	p := w.peers.newest()
	p.say(peerLine{Type: "turn"})
	p.say(peerLine{Type: "said", Key: "u", Text: "the task ended"})
	p.say(peerLine{Type: "end", Status: "completed"})
	e := w.untilKind(vyre.EvThreadFinished, 2)
	if e.Turn.N() != 2 {
		t.Errorf("turn %s", e.Turn)
	}
}
