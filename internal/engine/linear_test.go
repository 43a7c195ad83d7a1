package engine_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// What a caller did with an ask, and what it was told.
type (
	askOp struct {
		ask      vyre.AskID
		what     string // read, try or answer: an answer tries first, and is told later
		decision vyre.Decision
		by       string
	}
	// askState is one ask: open, then answering (decided and on disk, on its way to
	// the agent), then answered or cancelled for ever. As an answer's output it is what
	// the caller was told; empty is nothing.
	askState struct {
		state    vyre.AskState
		decision vyre.Decision
		by       string
	}
)

// askModel is the promise of an ask: it is answered once, by one caller with one
// verdict, or cancelled; nobody sees either go back. Whoever says the same gets the
// first outcome, whoever says another is told what was decided. That an answer
// arrives, and that the agent withdraws its question or goes before it did, are
// nobody's operations: they may come between any two.
var askModel = (&porcupine.NondeterministicModel{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		by := map[vyre.AskID]int{}
		for _, op := range history {
			id := op.Input.(askOp).ask
			if _, ok := by[id]; !ok {
				by[id] = len(parts)
				parts = append(parts, nil)
			}
			parts[by[id]] = append(parts[by[id]], op)
		}
		return parts
	},
	Init: func() []any { return []any{askState{state: vyre.AskOpen}} },
	Step: func(state, input, output any) (next []any) {
		in, told := input.(askOp), output.(askState)
		for _, s := range meanwhile(state.(askState)) {
			switch {
			case in.what == "try":
				if next = append(next, s); s.state == vyre.AskOpen {
					next = append(next, askState{vyre.AskAnswering, in.decision, in.by})
				}
			case told == s && (in.what == "read" || s.state != vyre.AskOpen):
				next = append(next, s)
			}
		}
		return next
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v → %+v", in, out) },
}).ToModel()

// meanwhile is what a state may have become by itself.
func meanwhile(s askState) []askState {
	switch s.state {
	case vyre.AskOpen:
		return []askState{s, {state: vyre.AskCancelled}}
	case vyre.AskAnswering:
		return []askState{s, {vyre.AskAnswered, s.decision, s.by}, {state: vyre.AskCancelled}}
	case vyre.AskAnswered, vyre.AskCancelled:
	}
	return []askState{s}
}

// linear is one world under random interleavings.
type linear struct {
	*world
	mu     sync.Mutex // guards eng and history
	clock  atomic.Int64
	rounds []porcupine.Operation
}

func (l *linear) engine() *engine.Engine {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.eng
}

// record notes an operation.
func (l *linear) record(client int, in askOp, call, end int64, out askState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rounds = append(l.rounds, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: end})
}

// answer answers and holds at once what can be told from this answer alone.
func (l *linear) answer(client int, ask vyre.AskID, d vyre.Decision) {
	by := vyre.Person(fmt.Sprint("p", client), "test")
	in := askOp{ask: ask, what: "try", decision: d, by: by.String()}
	call := l.clock.Add(1)
	a, err := l.engine().Answer(l.t.Context(), engine.AnswerInput{Ask: ask, Decision: d, By: by})
	end := l.clock.Add(1)
	var told askState
	e := vyre.AsError(err)
	switch {
	case err == nil:
		told = askState{vyre.AskAnswered, a.Decision, a.By}
		if a.State != vyre.AskAnswered || a.Decision != d {
			l.t.Errorf("%s was answered with %s %s", d, a.State, a.Decision)
		}
	case e.Code != vyre.CodeConflict: // the daemon left, or the agent was gone: no word on the ask
		l.record(client, in, call, 1<<60, told)
		return
	default:
		told.state, _ = e.Details["state"].(vyre.AskState)
		if told.decision, _ = e.Details["decision"].(vyre.Decision); told.decision != "" {
			told.by = fmt.Sprint(e.Details["by"])
		}
		if told.decision == d {
			l.t.Errorf("%s was refused as decided: %s", d, told.decision)
		}
	}
	l.record(client, in, call, end, askState{})
	in.what = "answer"
	l.record(client, in, call, end, told)
}

func (l *linear) read(client int, ask vyre.AskID) {
	call := l.clock.Add(1)
	a, err := l.db.Ask(l.t.Context(), ask)
	if err != nil {
		l.t.Error(err)
		return
	}
	out := askState{state: a.State}
	if a.State != vyre.AskOpen && a.State != vyre.AskCancelled {
		out.decision, out.by = a.Decision, a.By
	}
	l.record(client, askOp{ask: ask, what: "read"}, call, l.clock.Add(1), out)
}

// Under random interleavings of answers by several callers, reads, sends,
// interrupts, stops, the agent's death, its withdrawal and the daemon's restart,
// the history of every ask is that of one ask: answered once or cancelled, and
// seen so by all; and the agent gets at most one answer, the one that stands.
func TestAsksAreLinearizable(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	l := &linear{world: newWorld(t, interruptible)}
	for i := range rounds {
		l.round(rand.New(rand.NewPCG(seed, uint64(i))), i)
		if t.Failed() {
			t.Fatalf("round %d", i)
		}
	}
}

// interruptible begins turns, and ends them when it is told to.
func interruptible(p *peerProc, f peerFrame) {
	switch f.Say {
	case "hello":
		l := peerLine{Type: "ready", Attach: f.Data["attach"] == true}
		if l.Attach {
			l.Open = p.unanswered()
		}
		p.say(l)
	case "send":
		slow(p, f)
	case "interrupt":
		sent := p.said("send")
		p.say(peerLine{Type: "end", Status: "canceled", Messages: []vyre.MessageID{vyre.MessageID(sent[len(sent)-1].Data["id"].(string))}})
	}
}

// unanswered are the requests that the peer raised and got no answer to.
func (p *peerProc) unanswered() (open []string) {
	answered := map[any]bool{}
	for _, f := range p.said("answer") {
		answered[f.Data["request"]] = true
	}
	for _, r := range []string{"r0", "r1"} {
		if !answered[r] {
			open = append(open, r)
		}
	}
	return open
}

func (l *linear) round(rnd *rand.Rand, n int) {
	id := l.begin("go")
	p := l.peers.newest()
	p.sent(1)
	for _, r := range []string{"r0", "r1"} {
		p.say(peerLine{Type: "ask", Request: r, Text: "may I"})
	}
	eventually(l.t, "the asks", func() bool { return len(l.asks(id)) == 2 })
	asks := l.asks(id)
	l.rounds = nil
	var wg sync.WaitGroup
	start := make(chan struct{})
	begin := func(yields int, f func()) {
		wg.Go(func() {
			<-start
			for range yields {
				runtime.Gosched()
			}
			f()
		})
	}
	for c := range 5 {
		ask, again := asks[rnd.IntN(2)].ID, asks[rnd.IntN(2)].ID
		d := []vyre.Decision{vyre.Allow, vyre.Deny}[rnd.IntN(2)]
		begin(rnd.IntN(40), func() {
			l.answer(c, ask, d)
			l.read(c, again)
			l.answer(c, again, d)
		})
	}
	begin(rnd.IntN(40), func() { l.read(5, asks[0].ID); l.read(5, asks[1].ID); l.read(5, asks[0].ID) })
	which := rnd.IntN(7)
	begin(rnd.IntN(200), l.disturbance(which, id, p))
	close(start)
	wg.Wait()
	for _, a := range asks {
		l.read(6, a.ID)
	}
	if res := porcupine.CheckOperationsTimeout(askModel, l.rounds, 10*time.Second); res != porcupine.Ok {
		l.t.Errorf("the history of an ask is not one of an ask (%s):", res)
		for _, op := range l.rounds {
			l.t.Logf("%d–%d client %d: %s", op.Call, op.Return, op.ClientId, askModel.DescribeOperation(op.Input, op.Output))
		}
	}
	l.heard(p, asks, which != restarts && which != nothing)
	if err := l.eng.Stop(l.t.Context(), id, "person"); err != nil && vyre.CodeOf(err) != vyre.CodeConflict {
		l.t.Errorf("the stop after round %d: %v", n, err)
	}
}

// disturbance is what else happens to the thread.
func (l *linear) disturbance(which int, id vyre.ThreadID, p *peerProc) func() {
	ctx := l.t.Context()
	return func() {
		switch which {
		case 0:
			_, _ = l.engine().Interrupt(ctx, id)
		case 1:
			_ = l.engine().Stop(ctx, id, "person")
		case 2:
			p.die(agent.Exited{Code: 137, Signal: "killed"})
		case restarts:
			l.stop()
			l.mu.Lock()
			l.start()
			l.mu.Unlock()
		case 4:
			p.say(peerLine{Type: "withdraw", Request: "r0", Text: "not needed any more"})
		case 5:
			_, _ = l.engine().Send(ctx, id, engine.SendInput{Text: "and this", By: "person:owner:test"})
			_, _ = l.engine().Interrupt(ctx, id)
		}
	}
}

const (
	restarts = 3
	nothing  = 6
)

// heard holds that the agent got no answer twice, and only the one that stands. One
// that was on its way when the agent had ended its question may still reach it;
// ended says whether anything ended one.
func (l *linear) heard(p *peerProc, asks []vyre.Ask, ended bool) {
	rows := make([]vyre.Ask, len(asks)) // before what was heard: an answer may be on its way still
	for i, a := range asks {
		var err error
		if rows[i], err = l.db.Ask(l.t.Context(), a.ID); err != nil {
			l.t.Fatal(err)
		}
	}
	got := map[string][]string{}
	for _, f := range p.said("answer") {
		r := f.Data["request"].(string)
		got[r] = append(got[r], f.Data["decision"].(string))
	}
	for i, now := range rows {
		told := got[fmt.Sprint("r", i)]
		stray := now.State == vyre.AskCancelled && ended
		if len(told) > 1 || len(told) == 1 && told[0] != string(now.Decision) && !stray || now.State == vyre.AskAnswered && len(told) != 1 {
			l.t.Errorf("ask %d is %s (%s), the agent heard %v", i, now.State, now.Decision, told)
		}
	}
}
