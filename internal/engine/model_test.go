package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

// script is an agent that behaves as Claude Code was measured to: it holds what it
// is given, folds it into a turn at a step, runs together what waited together,
// passes over ids that it has seen, and gives back on an interrupt what it has not
// begun. What it does and when is the test's.
type script struct {
	mu      sync.Mutex
	procs   map[*peerProc]*mind
	history map[vyre.MessageID]bool // of the conversation, by wire id
	runs    map[string]int          // by the message's name, the first word of its text
	deaf    bool                    // it ignores interrupts
	asks    int
	calls   map[string]string // by the request of their question
}

// mind is what one process of it has in mind.
type mind struct {
	held    []peerHeld
	seen    map[vyre.MessageID]bool
	running bool
	turn    []vyre.MessageID
}

type peerHeld struct {
	id   vyre.MessageID
	name string
}

func (s *script) frame(p *peerProc, f peerFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.procs[p]
	if m == nil {
		m = &mind{seen: map[vyre.MessageID]bool{}}
		s.procs[p] = m
	}
	switch f.Say {
	case "hello":
		p.say(peerLine{Type: "ready", Attach: f.Data["attach"] == true, Open: nil})
	case "send":
		id := vyre.MessageID(f.Data["id"].(string))
		if m.seen[id] {
			return // nothing: it has seen that one
		}
		m.seen[id] = true
		name, _, _ := strings.Cut(f.Data["text"].(string), " ")
		m.held = append(m.held, peerHeld{id, name})
	case "cancel":
		id := vyre.MessageID(f.Data["id"].(string))
		i := slices.IndexFunc(m.held, func(h peerHeld) bool { return h.id == id })
		if i < 0 {
			p.say(peerLine{Type: "refused", Offset: int(f.N), Text: "it does not wait"})
			return
		}
		m.held = slices.Delete(m.held, i, i+1)
		p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{id}})
		p.say(peerLine{Type: "replied", Offset: int(f.N)})
	case "answer":
		if key, ok := s.calls[f.Data["request"].(string)]; ok {
			p.say(peerLine{Type: "result", Key: key, Ran: f.Data["decision"] == "allow"})
		}
	case "interrupt":
		if s.deaf {
			return
		}
		for _, h := range m.held {
			p.say(peerLine{Type: "dropped", Messages: []vyre.MessageID{h.id}})
		}
		m.held = nil
		if m.running {
			m.running = false
			p.say(peerLine{Type: "end", Messages: m.turn, Status: "canceled"})
		}
	}
}

// take makes the first n held messages part of the turn.
func (s *script) take(m *mind, n int) []vyre.MessageID {
	var ids []vyre.MessageID
	for _, h := range m.held[:n] {
		ids = append(ids, h.id)
		s.history[h.id] = true
		s.runs[h.name]++
	}
	m.held = slices.Clone(m.held[n:])
	m.turn = append(m.turn, ids...)
	return ids
}

// act lets the newest process do something, if it can.
func (s *script) act(p *peerProc, what string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.procs[p]
	if m == nil || p.isGone() {
		return false
	}
	switch {
	case what == "begin" && !m.running && len(m.held) > 0:
		m.running, m.turn = true, nil
		p.say(peerLine{Type: "turn", Messages: s.take(m, 1+n%len(m.held))})
	case what == "own" && !m.running:
		m.running, m.turn = true, nil
		p.say(peerLine{Type: "turn"})
	case what == "step" && m.running && len(m.held) > 0:
		for _, id := range s.take(m, 1+n%len(m.held)) {
			p.say(peerLine{Type: "taken", Messages: []vyre.MessageID{id}})
		}
	case what == "ask" && m.running:
		s.asks++
		p.say(peerLine{Type: "ask", Request: fmt.Sprintf("r%d", s.asks), Text: "may I"})
	case (what == "look" || what == "evil") && m.running: // a call that the rules decide
		s.asks++
		key := fmt.Sprintf("c%d", s.asks)
		s.calls["q-"+key] = key
		p.say(peerLine{Type: "tool", Key: key, Cmd: what})
		p.say(peerLine{Type: "hook", Key: key, Tool: "Do", Request: "h-" + key, Cmd: what, CWD: "/"})
		p.say(peerLine{Type: "ask", Key: key, Request: "q-" + key, Cmd: what, Text: what})
	case what == "breach" && m.running: // a call runs that nobody allowed
		s.asks++
		key := fmt.Sprintf("c%d", s.asks)
		p.say(
			peerLine{Type: "tool", Key: key, Cmd: "make it"},
			peerLine{Type: "ask", Key: key, Request: "q-" + key, Cmd: "make it", Text: "make it"},
			peerLine{Type: "result", Key: key, Ran: true},
		)
	case what == "end" && m.running:
		m.running = false
		status := []string{"completed", "failed"}[n%2]
		p.say(peerLine{Type: "end", Messages: m.turn, Status: status})
	default:
		return false
	}
	return true
}

func (p *peerProc) isGone() bool { p.mu.Lock(); defer p.mu.Unlock(); return p.gone }

// step is one move of a plan.
type modelMove struct {
	Do    string
	N     int
	Quiet bool // let everything come to rest before the next one
}

var modelMoves = []string{
	"send", "send", "send", "queue", "queue", "edit", "unqueue", "move", "send_now", "interrupt", "stop", "resume", "answer",
	"begin", "begin", "begin", "own", "step", "step", "ask", "look", "evil", "breach", "end", "end", "end", "die", "restart", "reboot", "replay", "later",
}

// Whatever is done to a thread in whatever order, each message that was
// acknowledged runs exactly once (never, once it was taken back), each turn ends
// exactly once, every change of state is in the table, and nobody waits for ever.
func TestModel(t *testing.T) {
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) modelMove {
			return modelMove{
				rapid.SampledFrom(modelMoves).Draw(rt, "do"), rapid.IntRange(0, 7).Draw(rt, "n"),
				rapid.IntRange(0, 3).Draw(rt, "quiet") > 0,
			}
		}), 1, 40).Draw(rt, "plan")
		steers := rapid.IntRange(0, 4).Draw(rt, "steers") > 0
		known := rapid.IntRange(0, 4).Draw(rt, "known") > 0
		cancels := rapid.Bool().Draw(rt, "cancels")
		deaf := rapid.IntRange(0, 5).Draw(rt, "deaf") == 5
		n++
		var faults []string
		t.Run(fmt.Sprintf("plan%d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { faults = runPlan(t, plan, steers, cancels, known, deaf) })
		})
		if len(faults) > 0 {
			rt.Fatalf("%s", strings.Join(faults, "\n"))
		}
	})
}

// modelRun is one plan on its way.
type modelRun struct {
	t        *testing.T
	w        *world
	s        *script
	id       vyre.ThreadID
	known    bool
	sent     []string // keys of acknowledged messages
	texts    map[string]string
	gone     map[string]bool // taken back
	cut      bool            // something was interrupted or stopped
	breaches bool            // the agent did what nobody allowed
	strict   bool            // only what was interrupted may have been canceled
	aimed    sync.Map        // turns that an interrupt was for
	calls    sync.WaitGroup
	faults   []string
}

func (r *modelRun) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

func runPlan(t *testing.T, plan []modelMove, steers, cancels, known, deaf bool) []string {
	s := &script{procs: map[*peerProc]*mind{}, history: map[vyre.MessageID]bool{}, runs: map[string]int{}, calls: map[string]string{}, deaf: deaf}
	w := newWorld(t, s.frame)
	w.stop()
	w.setRules()
	w.provider.steers, w.provider.cancels = steers, cancels
	w.provider.tells = func(id vyre.MessageID) (bool, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.history[id], known
	}
	w.start()
	r := &modelRun{t: t, w: w, s: s, known: known, texts: map[string]string{}, gone: map[string]bool{}, strict: cancels && !deaf}
	r.id = w.begin("")
	for _, m := range plan {
		r.move(m)
		if m.Quiet {
			synctest.Wait()
		}
	}
	r.settle()
	r.check()
	if len(r.faults) > 0 {
		var log []string
		for _, e := range w.events() {
			log = append(log, fmt.Sprintf("%s %d %s", e.Kind, e.Turn.N(), e.Data))
		}
		r.fault("plan %+v\nsteers %v cancels %v known %v deaf %v\n%s", plan, steers, cancels, known, deaf, strings.Join(log, "\n"))
	}
	return r.faults
}

// expect takes an error that the state allows, and calls every other a fault.
func (r *modelRun) expect(what string, err error, codes ...vyre.Code) bool {
	if err != nil && !slices.Contains(codes, vyre.CodeOf(err)) {
		r.fault("%s: %v", what, err)
	}
	return err == nil
}

var modelPerson = vyre.Person(vyre.Owner, "test")

func (r *modelRun) move(m modelMove) {
	eng, ctx := r.w.eng, context.Background()
	pick := func() string {
		if len(r.sent) == 0 {
			return "none"
		}
		return r.sent[m.N%len(r.sent)]
	}
	gone := []vyre.Code{vyre.CodeConflict, vyre.CodeNotFound}
	switch m.Do {
	case "send", "queue":
		key := fmt.Sprintf("m%d", len(r.sent))
		r.texts[key] = key + " says"
		_, err := eng.Send(ctx, r.id, engine.SendInput{Text: r.texts[key], Key: vyre.MessageID(key), Queue: m.Do == "queue", By: modelPerson.String()})
		if r.expect("send", err) {
			r.sent = append(r.sent, key)
		}
	case "replay":
		if key := pick(); key != "none" {
			_, err := eng.Send(ctx, r.id, engine.SendInput{Text: r.texts[key], Key: vyre.MessageID(key), By: modelPerson.String()})
			r.expect("replay", err)
			_, err = eng.Send(ctx, r.id, engine.SendInput{Text: "other", Key: vyre.MessageID(key), By: modelPerson.String()})
			if vyre.CodeOf(err) != vyre.CodeConflict {
				r.fault("other words under %s: %v", key, err)
			}
		}
	case "edit":
		key := pick()
		_, err := eng.EditQueued(ctx, r.id, vyre.MessageID(key), key+" edited", modelPerson)
		r.expect("edit", err, gone...)
	case "unqueue":
		key := pick()
		if _, err := eng.Unqueue(ctx, r.id, vyre.MessageID(key), modelPerson); r.expect("unqueue", err, gone...) {
			r.gone[key] = true
		}
	case "move":
		before := vyre.MessageID("")
		if m.N%3 > 0 && len(r.sent) > 0 {
			before = vyre.MessageID(r.sent[(m.N+1)%len(r.sent)])
		}
		_, err := eng.MoveQueued(ctx, r.id, vyre.MessageID(pick()), before, modelPerson)
		r.expect("move", err, append(gone, vyre.CodeInvalid)...)
	case "send_now":
		_, err := eng.SendNow(ctx, r.id, vyre.MessageID(pick()), modelPerson)
		r.expect("send_now", err, gone...)
	case "interrupt":
		r.cut = true
		if u, ok := r.turn(); ok {
			r.aimed.Store(u, true) // at the latest it is this one, unless the call comes to nothing
		}
		r.background("interrupt", func() error {
			u, err := eng.Interrupt(ctx, r.id)
			r.aimed.Store(u, true)
			return err
		})
	case "stop":
		r.cut, r.strict = true, false
		r.background("stop", func() error { return eng.Stop(ctx, r.id, "person") })
	case "resume":
		r.background("resume", func() error { return eng.Resume(ctx, r.id) })
	case "answer":
		if a, err := r.w.db.UnsettledAsks(ctx, r.id); err == nil && len(a) > 0 {
			in := engine.AnswerInput{Ask: a[0].ID, Decision: vyre.Allow, By: modelPerson}
			r.background("answer", func() error { _, err := eng.Answer(ctx, in); return err })
		}
	case "die":
		r.w.peers.newest().die(agent.Exited{Code: -1, Signal: "killed"})
	case "restart":
		r.w.restart()
	case "reboot":
		r.w.stop()
		r.w.peers.newest().die(agent.Exited{Code: -1, Signal: "restart"})
		r.w.start()
	case "later":
		<-time.After(6 * time.Second) // of the bubble's clock: timers fire
	case "breach":
		if r.s.act(r.w.peers.newest(), m.Do, m.N) {
			r.cut, r.strict, r.breaches = true, false, true
		}
	default:
		r.s.act(r.w.peers.newest(), m.Do, m.N)
	}
}

// background makes a call that may have to wait.
func (r *modelRun) background(what string, f func() error) {
	r.calls.Go(func() {
		err := f()
		switch vyre.CodeOf(err) {
		case vyre.CodeConflict, vyre.CodeUnavailable, vyre.CodeBusy:
		default:
			if err != nil {
				r.t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// settle lets the agent do all that it has to, until nothing moves any more.
func (r *modelRun) settle() {
	ctx := context.Background()
	r.s.mu.Lock()
	r.s.deaf = false
	r.s.mu.Unlock()
	for range 400 {
		synctest.Wait()
		if asks, _ := r.w.db.UnsettledAsks(ctx, r.id); len(asks) > 0 {
			r.move(modelMove{Do: "answer"})
			synctest.Wait()
		}
		p := r.w.peers.newest()
		if r.s.act(p, "step", 0) || r.s.act(p, "end", 0) || r.s.act(p, "begin", 0) {
			continue
		}
		th := r.w.thread(r.id)
		q, _ := r.w.db.Queue(ctx, r.id)
		switch {
		case len(q) > 0 && (th.State == vyre.StateStopped || th.State == vyre.StateFailed || th.State == vyre.StateIdle && r.w.peers.newest().isGone()):
			r.background("resume", func() error { return r.w.eng.Resume(ctx, r.id) })
			continue
		case th.State == vyre.StateRunning || th.State == vyre.StateWaiting || len(q) > 0 || th.State == vyre.StateStarting:
			<-time.After(time.Minute) // timers; if that moves nothing, the check will say so
			continue
		}
		break
	}
	r.calls.Wait()
	synctest.Wait()
}

// turn is the newest turn there is.
func (r *modelRun) turn() (vyre.TurnID, bool) {
	for n := r.w.thread(r.id).Turns; n > 0; n-- {
		if u, ok, err := r.w.db.Turn(context.Background(), vyre.MakeTurnID(r.id, n)); err == nil && ok {
			return u.ID, true
		}
	}
	return "", false
}

func (r *modelRun) check() {
	ctx := context.Background()
	for n := r.w.thread(r.id).Turns; n > 0 && r.strict; n-- {
		u, ok, err := r.w.db.Turn(ctx, vyre.MakeTurnID(r.id, n))
		if err != nil || !ok || u.Status != vyre.TurnCanceled {
			continue
		}
		if _, aimed := r.aimed.Load(u.ID); !aimed {
			r.fault("turn %d was canceled and nobody interrupted it", n)
		}
	}
	th := r.w.thread(r.id)
	if th.State != vyre.StateIdle && th.State != vyre.StateStopped {
		r.fault("the thread is left %s", th.State)
	}
	state, ends := vyre.StateStarting, map[vyre.TurnID]int{}
	begun := map[vyre.TurnID]int{}
	for _, e := range r.w.events() {
		switch e.Kind {
		case vyre.EvThreadState:
			var d vyre.ThreadState
			_ = json.Unmarshal(e.Data, &d)
			if d.From != state || !slices.ContainsFunc(vyre.Table, func(x vyre.Transition) bool { return x.From == d.From && x.To == d.To }) {
				r.fault("state %s, told %s → %s", state, d.From, d.To)
			}
			state = d.To
		case vyre.EvAskRaised:
			if s := string(e.Data); strings.Contains(s, `"look"`) || strings.Contains(s, `"evil"`) {
				r.fault("a question that the rules decide was raised: %s", s)
			}
		case vyre.EvThreadBreach:
			if !r.breaches {
				r.fault("a breach of an agent that kept to every answer: %s", e.Data)
			}
		case vyre.EvThreadFinished:
			ends[e.Turn]++
		case vyre.EvThreadTurn:
			var d vyre.ThreadTurn
			_ = json.Unmarshal(e.Data, &d)
			if d.Status == vyre.TurnStarted {
				begun[e.Turn]++
			}
		}
	}
	for turn, n := range begun {
		if n != 1 || ends[turn] != 1 {
			r.fault("turn %d began %d times and ended %d times", turn.N(), n, ends[turn])
		}
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, key := range r.sent {
		m, found, err := r.w.db.Message(ctx, r.id, vyre.MessageID(key))
		if err != nil || !found {
			r.fault("message %s: %v %v", key, found, err)
			continue
		}
		u, _, _ := r.w.db.Turn(ctx, m.Turn)
		n, why := r.s.runs[key], ""
		switch {
		case n > 1:
			why = "more than once"
		case r.gone[key] != (m.State == vyre.MessageRemoved):
			why = "taken back is another matter"
		case r.gone[key] && n > 0:
			why = "although it was taken back"
		case r.gone[key], n == 1 && (m.State == vyre.MessageDone || m.State == vyre.MessageUnknown):
		case n == 0 && m.State == vyre.MessageUnknown && !r.known:
		case n == 0 && m.State == vyre.MessageDone && u.Status == vyre.TurnCanceled && r.cut: // interrupted before it began
		default:
			why = "lost"
		}
		if why != "" {
			r.fault("message %s ran %d times: %s; state %s via %s in turn %d %s", key, n, why, m.State, m.Via, m.Turn.N(), u.Status)
		}
	}
	items, _, err := r.w.db.Items(ctx, sqlite.ItemQuery{Thread: r.id, Limit: 200})
	if err != nil {
		r.fault("items: %v", err)
	}
	for _, it := range items {
		if it.Status == vyre.ItemRunning {
			r.fault("item %s is left running", it.Key)
		}
	}
}
