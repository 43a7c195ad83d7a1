package engine_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// purse is the machine's credentials and what its sessions were started with.
type purse struct {
	mu       sync.Mutex
	auth     string
	fallback string
	launches []vyre.Thread
	model    string
}

func (p *purse) Auth(context.Context, string) (string, error) { return p.auth, nil }
func (p *purse) Fallback(_ context.Context, _, auth string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if auth == "api-key" {
		return "", nil
	}
	return p.fallback, nil
}

func (p *purse) Options(_ context.Context, t vyre.Thread) (agent.Options, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.launches = append(p.launches, t)
	return agent.Options{Model: p.model}, nil
}

func (p *purse) auths() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, t := range p.launches {
		out = append(out, t.Auth)
	}
	return out
}

// pursed is a world with credentials. Each message that reaches the peer is kept.
func pursed(t *testing.T, p *purse, script func(*peerProc, peerFrame)) *world {
	w := newWorld(t, script)
	w.stop()
	w.purse = p
	w.start()
	return w
}

// pursedInTime is pursed for a clock that only jumps.
func pursedInTime(t *testing.T, p *purse, script func(*peerProc, peerFrame)) *world {
	w := pursed(t, p, script)
	w.patience = 24 * time.Hour
	return w
}

// limited answers the first n messages with a limit that resets after d, and
// echoes the others.
func limited(n int, d time.Duration) func(*peerProc, peerFrame) {
	var mu sync.Mutex
	return func(p *peerProc, f peerFrame) {
		mu.Lock()
		hit := f.Say == "send" && n > 0
		if hit {
			n--
		}
		mu.Unlock()
		if !hit {
			echo(p, f)
			return
		}
		atLimit(p, f, d)
	}
}

func atLimit(p *peerProc, f peerFrame, d time.Duration) {
	id := vyre.MessageID(f.Data["id"].(string))
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{id}})
	p.say(peerLine{Type: "limit", Status: "rejected", At: time.Now().Add(d)})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "failed", Limit: true})
}

func said(p *peers) []string {
	p.mu.Lock()
	procs := slices.Clone(p.order)
	p.mu.Unlock()
	var out []string
	for _, proc := range procs {
		for _, f := range proc.said("send") {
			out = append(out, f.Data["text"].(string))
		}
	}
	return out
}

// A turn that fails at the limit before the agent did anything waits in the queue:
// its thread is parked without a process, and at the reset the message runs, once,
// under another name at the agent, and with what was sent meanwhile behind it.
func TestParkUntilReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := pursedInTime(t, &purse{auth: "login"}, limited(1, 3*time.Hour))
		start := time.Now()
		id := w.begin("do it")
		w.untilKind(vyre.EvThreadStopped, 1)
		th := w.thread(id)
		if th.Parked != vyre.ParkedLimit || th.State != vyre.StateStopped || th.Reason != vyre.StopLimit ||
			th.ParkedUntil != vyre.At(start.Add(3*time.Hour)) {
			t.Fatalf("thread %+v", th)
		}
		if s := w.send(id, "and this", ""); s.Via != vyre.ViaQueue {
			t.Errorf("sent while parked: %+v", s)
		}
		if n := w.peers.count(); n != 1 {
			t.Errorf("%d processes while parked", n)
		}
		w.untilKind(vyre.EvThreadFinished, 3)
		if d := time.Since(start); d < 3*time.Hour || d > 3*time.Hour+time.Minute {
			t.Errorf("it went on after %s", d)
		}
		if got := said(w.peers); !slices.Equal(got, []string{"do it", "do it", "and this"}) {
			t.Errorf("said %q", got)
		}
		first, again := w.peers.order[0].said("send")[0], w.peers.order[1].said("send")[0]
		if first.Data["id"] == again.Data["id"] {
			t.Error("it was said again under the same id, which the agent has in its history")
		}
		if th := w.thread(id); th.Parked != "" || th.ParkedUntil != 0 {
			t.Errorf("after the reset: %+v", th)
		}
	})
}

// The clock of a parking survives the daemon, whether the process was ended before
// it died or not; a person may go on earlier.
func TestParkSurvivesTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := pursedInTime(t, &purse{auth: "login"}, limited(2, 2*time.Hour))
		id, other := w.begin("one"), w.begin("two")
		w.untilKind(vyre.EvThreadStopped, 2)
		w.restart()
		if err := w.eng.Resume(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		w.until("the other's end", func(e vyre.Event) bool {
			return e.Kind == vyre.EvThreadTurn && e.Thread == other && e.Turn == vyre.MakeTurnID(other, 2) && w.turn(e.Turn).Status == vyre.TurnCompleted
		})
		if th := w.thread(id); th.Parked != vyre.ParkedLimit {
			t.Fatalf("thread %+v", th)
		}
		w.until("the end", func(e vyre.Event) bool {
			return e.Kind == vyre.EvThreadFinished && e.Thread == id && e.Turn == vyre.MakeTurnID(id, 2)
		})
		if got := said(w.peers); len(got) != 4 {
			t.Errorf("said %q", got)
		}
	})
}

// A daemon that died between the turn's end and the end of its process ends it: a
// parked thread keeps none, and nothing is said to it.
func TestParkedProcessIsEndedByTheNextDaemon(t *testing.T) {
	w := pursed(t, &purse{auth: "login"}, limited(1, time.Hour))
	w.peers.born = func(p *peerProc) { p.failStop = 1 } // the first end is not proven
	id := w.begin("do it")
	w.until("parking", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadParked })
	w.restart()
	w.untilKind(vyre.EvThreadStopped, 1)
	if th := w.thread(id); th.Reason != vyre.StopLimit || th.Parked != vyre.ParkedLimit {
		t.Errorf("thread %+v", th)
	}
	if got := said(w.peers); len(got) != 1 {
		t.Errorf("said %q", got)
	}
}

// A turn of which something was done is not run again: it is failed, and what was
// queued behind it waits for the reset.
func TestLimitAfterWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worked := false
		w := pursedInTime(t, &purse{auth: "login"}, func(p *peerProc, f peerFrame) {
			if f.Say != "send" || worked {
				echo(p, f)
				return
			}
			worked = true
			id := vyre.MessageID(f.Data["id"].(string))
			p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{id}})
			p.say(peerLine{Type: "said", Key: "x", Text: "half of it"})
			p.say(peerLine{Type: "limit", Status: "rejected", At: time.Now().Add(time.Hour)})
			p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "failed", Limit: true})
		})
		id := w.begin("do it")
		w.untilKind(vyre.EvThreadStopped, 1)
		if u := w.turn(vyre.MakeTurnID(id, 1)); u.Status != vyre.TurnFailed {
			t.Errorf("turn %+v", u)
		}
		w.send(id, "go on", "")
		w.untilKind(vyre.EvThreadFinished, 2)
		if got := said(w.peers); !slices.Equal(got, []string{"do it", "go on"}) {
			t.Errorf("said %q", got)
		}
	})
}

// With a key at hand the process is replaced at the limit and the message runs on
// it at once; after the reset the thread goes back to the subscription.
func TestFallbackAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &purse{auth: "setup-token", fallback: "api-key"}
		w := pursedInTime(t, p, limited(1, time.Hour))
		start := time.Now()
		id := w.begin("do it")
		w.untilKind(vyre.EvThreadFinished, 2)
		if time.Since(start) > time.Minute {
			t.Error("it waited although it has another credential")
		}
		if th := w.thread(id); th.Fallback != "api-key" || th.Parked != "" || th.ParkedUntil != vyre.At(start.Add(time.Hour)) || th.Auth != "setup-token" {
			t.Errorf("thread %+v", th)
		}
		if got := p.auths(); !slices.Equal(got, []string{"setup-token", "api-key"}) {
			t.Fatalf("started with %q", got)
		}
		w.restart() // what it has is not known then: it is replaced, with the same
		w.send(id, "more", "")
		w.untilKind(vyre.EvThreadFinished, 3)
		if got := p.auths(); got[len(got)-1] != "api-key" {
			t.Errorf("before the reset it was started with %q", got)
		}
		w.until("the end of the fallback", func(e vyre.Event) bool {
			return e.Kind == vyre.EvThreadStopped && time.Since(start) >= time.Hour
		})
		w.send(id, "and more", "")
		w.untilKind(vyre.EvThreadFinished, 4)
		if got := p.auths(); got[len(got)-1] != "setup-token" || w.thread(id).Fallback != "" {
			t.Errorf("after the reset it was started with %q", got)
		}
	})
}

// At the key's own limit, of which nobody says when it ends, the thread waits, each
// time longer, and the message runs in the end.
func TestLimitWithoutReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := pursedInTime(t, &purse{auth: "api-key", fallback: "api-key"}, func(p *peerProc, f peerFrame) {
			if f.Say == "send" && n < 3 {
				n++
				id := vyre.MessageID(f.Data["id"].(string))
				p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{id}})
				p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "failed", Limit: true})
				return
			}
			echo(p, f)
		})
		start := time.Now()
		w.begin("do it")
		w.untilKind(vyre.EvThreadFinished, 4)
		if d := time.Since(start); d < 35*time.Minute || d > 40*time.Minute { // 5 + 10 + 20
			t.Errorf("it ran after %s", d)
		}
	})
}

// What goes on by itself at a reset is never failed for want of a place: it waits
// for one.
func TestUnparkWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, limited(1, time.Hour))
		w.stop()
		w.purse, w.patience, w.maxLive = &purse{auth: "login"}, 24*time.Hour, 1
		w.start()
		id := w.begin("parked")
		w.untilKind(vyre.EvThreadStopped, 1)
		<-time.After(time.Minute) // its place is given back after that is told
		w.peers.script = slow
		busy := w.begin("at work")
		<-time.After(time.Hour + 5*time.Minute)
		if th := w.thread(id); th.State != vyre.StateStopped || th.Parked != "" {
			t.Fatalf("thread %+v", th)
		}
		w.peers.script = echo
		if err := w.eng.Stop(t.Context(), busy, "person:owner:test"); err != nil {
			t.Fatal(err)
		}
		w.until("the end", func(e vyre.Event) bool {
			return e.Kind == vyre.EvThreadFinished && e.Thread == id && e.Turn == vyre.MakeTurnID(id, 2)
		})
	})
}

// What waits for room on the disk goes on by itself when there is some.
func TestUnparkWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, limited(2, time.Hour))
		w.stop()
		w.purse, w.patience = &purse{auth: "login"}, 24*time.Hour
		short := atomic.Bool{}
		w.space = func() error {
			if short.Load() {
				return vyre.Errorf(vyre.CodeNoSpace, "little room")
			}
			return nil
		}
		w.start()
		ids := []vyre.ThreadID{w.begin("first"), w.begin("second")}
		w.untilKind(vyre.EvThreadStopped, 2)
		short.Store(true)
		<-time.After(2 * time.Hour)
		w.peers.script = echo
		for _, id := range ids {
			if th := w.thread(id); th.State != vyre.StateStopped || th.Parked != "" {
				t.Fatalf("thread %+v", th)
			}
		}
		short.Store(false)
		w.eng.CallLine()
		for _, id := range ids {
			w.until("its end", func(e vyre.Event) bool {
				return e.Kind == vyre.EvThreadFinished && e.Turn == vyre.MakeTurnID(id, 2)
			})
		}
	})
}

// Who stands in the line and needs no place any more when it is called passes the call
// on: those behind it would wait for ever.
func TestLinePassesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, limited(2, time.Hour))
		w.stop()
		w.purse, w.patience, w.maxLive = &purse{auth: "login"}, 24*time.Hour, 1
		w.start()
		first := w.begin("")
		w.send(first, "first", "k1")
		w.untilKind(vyre.EvThreadStopped, 1)
		<-time.After(time.Minute)
		second := w.begin("second")
		w.until("the second's parking", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == second })
		<-time.After(time.Minute) // its place is given back after that is told
		w.peers.script = slow
		busy := w.begin("at work")
		<-time.After(2 * time.Hour)
		person := vyre.Caller{Kind: vyre.CallerPerson, ID: "owner"}
		if _, err := w.eng.Unqueue(t.Context(), first, "k1", person); err != nil {
			t.Fatal(err)
		}
		w.peers.script = echo
		if err := w.eng.Stop(t.Context(), busy, "person:owner:test"); err != nil {
			t.Fatal(err)
		}
		w.until("the second's end", func(e vyre.Event) bool {
			return e.Kind == vyre.EvThreadFinished && e.Turn == vyre.MakeTurnID(second, 2)
		})
	})
}

// priced costs 400 micro-dollars a turn.
func priced(p *peerProc, f peerFrame) {
	if f.Say != "send" {
		echo(p, f)
		return
	}
	id := vyre.MessageID(f.Data["id"].(string))
	p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{id}})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "completed", Cost: 400})
}

// A thread whose budget is used up is stopped after the turn, refuses messages as
// limit, keeps what waits, and goes on when the budget is raised; its cost is exact
// over processes and daemons, and each turn says what it used and on what model.
func TestBudget(t *testing.T) {
	w := pursed(t, &purse{auth: "login", model: "best"}, priced)
	id, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", Prompt: "one", CWD: "/", BudgetMicros: 1000})
	if err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 1)
	w.restart()
	w.send(id, "two", "")
	w.untilKind(vyre.EvThreadFinished, 2)
	if th := w.thread(id); th.CostMicros != 800 {
		t.Errorf("thread %+v", th)
	}
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.send(id, "three", "")
	w.until("the budget's stop", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadStopped && w.thread(id).Reason == vyre.StopBudget
	})
	if th := w.thread(id); th.CostMicros != 1200 || th.State != vyre.StateStopped {
		t.Errorf("thread %+v", th)
	}
	_, err = w.eng.Send(t.Context(), id, engine.SendInput{Text: "four"})
	if vyre.CodeOf(err) != vyre.CodeLimit || vyre.CodeOf(w.eng.Resume(t.Context(), id)) != vyre.CodeLimit {
		t.Errorf("over budget: %v", err)
	}
	if err := w.eng.SetBudget(t.Context(), id, 5000, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.send(id, "four", "")
	w.untilKind(vyre.EvThreadFinished, 4)
	if th := w.thread(id); th.CostMicros != 1600 || th.BudgetMicros != 5000 {
		t.Errorf("thread %+v", th)
	}
	if u := w.turn(vyre.MakeTurnID(id, 3)); u.Usage == nil || u.Usage.CostMicros != 400 || u.Model != "best" {
		t.Errorf("turn %+v", u)
	}
}

// What was queued when the budget ran out is neither lost nor said; a raise says it.
func TestBudgetKeepsTheQueue(t *testing.T) {
	w := pursed(t, &purse{auth: "login"}, slow)
	id, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", Prompt: "one", CWD: "/", BudgetMicros: 100})
	if err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	first := vyre.MessageID(p.sent(1).Data["id"].(string))
	w.send(id, "two", "")
	w.peers.script = priced
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{first}, Status: "completed", Cost: 400})
	w.untilKind(vyre.EvThreadStopped, 1)
	w.restart()
	if got := said(w.peers); !slices.Equal(got, []string{"one"}) {
		t.Fatalf("said %q", got)
	}
	if err := w.eng.SetBudget(t.Context(), id, 0, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 2)
	if got := said(w.peers); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("said %q", got)
	}
}

// A result that comes after its turn was closed is counted, in the turn that ran
// last, and never twice.
func TestLateUsageCounts(t *testing.T) {
	w := pursed(t, &purse{auth: "login"}, priced)
	id := w.begin("one")
	w.untilKind(vyre.EvThreadFinished, 1)
	p := w.peers.newest()
	p.say(peerLine{Type: "end", Status: "canceled", Cost: 7})
	p.say(peerLine{Type: "turn"})
	p.say(peerLine{Type: "end", Status: "completed", Cost: 1})
	w.untilKind(vyre.EvThreadFinished, 2)
	w.restart()
	w.send(id, "two", "")
	w.untilKind(vyre.EvThreadFinished, 3)
	if th := w.thread(id); th.CostMicros != 808 {
		t.Errorf("thread cost %d", th.CostMicros)
	}
	if u := w.turn(vyre.MakeTurnID(id, 1)); u.Usage.CostMicros != 407 {
		t.Errorf("turn %+v", u.Usage)
	}
}

// A job is one turn: its session ends after it, and a second message is refused,
// before and after.
func TestJobIsOneTurn(t *testing.T) {
	w := pursed(t, &purse{auth: "login"}, slow)
	id, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", Prompt: "one", CWD: "/", Purpose: vyre.PurposeJob})
	if err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	m := vyre.MessageID(p.sent(1).Data["id"].(string))
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "two"}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("while it runs: %v", err)
	}
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{m}, Status: "completed"})
	w.untilKind(vyre.EvThreadStopped, 1)
	if th := w.thread(id); th.Reason != vyre.StopIdle {
		t.Errorf("thread %+v", th)
	}
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "two"}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("after it: %v", err)
	}
	if err := w.eng.Resume(t.Context(), id); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("resumed: %v", err)
	}
}

// A thread that was started with a model keeps it; another takes what the settings
// say at each start of its process, and says so.
func TestModelOfAThread(t *testing.T) {
	p := &purse{auth: "login", model: "large"}
	w := pursed(t, p, echo)
	free := w.begin("")
	own, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", CWD: "/", Model: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if w.thread(free).Model != "peer-big" || w.thread(own).Model != "mine" {
		t.Errorf("started on %q and %q", w.thread(free).Model, w.thread(own).Model)
	}
	p.mu.Lock()
	p.model = "other"
	p.mu.Unlock()
	again := func(id vyre.ThreadID) string {
		if err := w.eng.Stop(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
		w.restart()
		if err := w.eng.Resume(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return w.thread(id).Model
	}
	if a, b := again(free), again(own); a != "other" || b != "mine" {
		t.Errorf("resumed on %q and %q", a, b)
	}
	if err := w.eng.Stop(t.Context(), own, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.eng.SetModel(t.Context(), own, "", "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	if m := again(own); m != "other" {
		t.Errorf("after its own model was taken back: %q", m)
	}
	if err := w.eng.Stop(t.Context(), free, ""); err != nil {
		t.Fatal(err)
	}
	if err := w.eng.SetModel(t.Context(), free, "small", "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	if m := again(free); m != "peer-quick" {
		t.Errorf("after a model was set: %q", m)
	}
}

// A daemon that died between a fallback and the end of the old process does not say
// the message to that one: nobody knows what credential it has.
func TestFallbackOverTheDaemonsDeath(t *testing.T) {
	p := &purse{auth: "login", fallback: "api-key"}
	w := pursed(t, p, limited(1, time.Hour))
	w.peers.born = func(p *peerProc) { p.failStop = 2 } // also the next daemon has to try twice
	id := w.begin("do it")
	w.until("the fallback", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadParked })
	first := w.peers.newest()
	w.peers.born = nil
	w.restart()
	w.until("the end", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadFinished && e.Turn == vyre.MakeTurnID(id, 2)
	})
	if n := len(first.said("send")); n != 1 {
		t.Errorf("the old process was sent %d messages", n)
	}
	if got := p.auths(); got[len(got)-1] != "api-key" {
		t.Errorf("started with %q", got)
	}
}

// A budget that changes while a process rests replaces it, as it carries the old one.
func TestBudgetReplacesTheProcess(t *testing.T) {
	w := pursed(t, &purse{auth: "login"}, priced)
	id := w.begin("one")
	w.untilKind(vyre.EvThreadFinished, 1)
	if err := w.eng.SetBudget(t.Context(), id, 5000, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 1)
	w.send(id, "two", "")
	w.untilKind(vyre.EvThreadFinished, 2)
	if w.peers.count() != 2 || w.thread(id).CostMicros != 800 {
		t.Errorf("%d processes, thread %+v", w.peers.count(), w.thread(id))
	}
}

// What joined a turn that the limit ended before anything was done goes back with
// it, in the order in which it was said.
func TestLimitGivesSteeredBack(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		if f.Data["steer"] != true { // the test says when it takes one of those
			slow(p, f)
		}
	})
	w.stop()
	w.purse, w.provider.steers = &purse{auth: "login"}, true
	w.start()
	id := w.begin("one")
	p := w.peers.newest()
	first := vyre.MessageID(p.sent(1).Data["id"].(string))
	if s := w.send(id, "two", ""); s.Via != vyre.ViaSteer {
		t.Fatalf("sent %+v", s)
	}
	second := vyre.MessageID(p.sent(2).Data["id"].(string))
	w.send(id, "three", "") // the agent does not get to it
	p.sent(3)
	p.say(peerLine{Type: "taken", Messages: []vyre.MessageID{second}})
	w.untilKind(vyre.EvThreadSteered, 1)
	w.peers.script = echo
	p.say(peerLine{Type: "limit", Status: "rejected", At: time.Now().Add(time.Hour)})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{first, second}, Status: "failed", Limit: true})
	w.untilKind(vyre.EvThreadTurn, 3) // of what was on its way
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(p.sent(3).Data["id"].(string))}, Status: "failed", Limit: true})
	w.untilKind(vyre.EvThreadStopped, 1)
	if err := w.eng.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 5)
	if got := said(w.peers); !slices.Equal(got, []string{"one", "two", "three", "one", "two", "three"}) {
		t.Errorf("said %q", got)
	}
}
