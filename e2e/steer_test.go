package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"vyre"
)

// A message sent within a few milliseconds of a turn's end, sixty times: the agent
// is given each exactly once, and the log says whether it joined the turn or began
// the next one.
func TestSteerAtTheEndOfATurn(t *testing.T) {
	h := newHome(t)
	id := h.begin("say hello")
	h.finished(id, 1)
	lasts := map[bool]time.Duration{} // from the gate to the turn's end, with a tool call and without
	joined, next, own := 0, 0, 0
	for n := range 60 {
		tool := n%2 == 1
		script := fmt.Sprintf("gate g%d\nsay turn-%d.", n, n)
		if tool { // the end of the call is where the agent takes what waits
			script = fmt.Sprintf("gate g%d\ntool Bash {\"command\":\"ls\"}\nsay turn-%d.", n, n)
		}
		gate := h.api.Gate(fmt.Sprintf("g%d", n))
		first := h.send(id, script)
		if err := gate.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		gate.Open()
		if d, known := lasts[tool]; known {
			<-time.NewTimer(d + time.Duration(rand.IntN(10_000)-5_000)*time.Microsecond).C
		}
		var sent struct {
			Message vyre.MessageID
			Via     vyre.Via
			Turn    vyre.TurnID
		}
		h.call("threads.send", map[string]any{"thread": id, "text": fmt.Sprintf("say steer-%d.", n), "key": fmt.Sprintf("s%d", n)}, &sent)
		var where turnsOf
		h.until("both messages' ends", func() bool {
			where = h.turnsOf(id, first, sent.Message)
			return where.ended[first] == 1 && where.ended[sent.Message] == 1
		})
		lasts[tool] = max(0, where.at[first].Sub(began))
		switch {
		case sent.Via == vyre.ViaTurn:
			own++
		case where.steered[sent.Message] == 1 && where.turn[sent.Message] == where.turn[first]:
			joined++
		case where.steered[sent.Message] == 0 && where.turn[sent.Message] != where.turn[first] &&
			slices.Equal(where.sent[sent.Message], []vyre.Via{vyre.ViaSteer, vyre.ViaTurn}):
			next++
		default:
			t.Errorf("round %d: answered %+v, the log says %+v", n, sent, where)
		}
		if runs := h.api.Runs(fmt.Sprintf("say steer-%d.", n)); runs != 1 {
			t.Errorf("round %d: the model got it %d times", n, runs)
		}
	}
	t.Logf("%d joined the turn, %d became the next one, %d came after its end", joined, next, own)
	if joined+next == 0 {
		t.Error("no message was steered")
	}
}

// turnsOf is what the log says of messages.
type turnsOf struct {
	ended   map[vyre.MessageID]int
	steered map[vyre.MessageID]int
	turn    map[vyre.MessageID]vyre.TurnID
	sent    map[vyre.MessageID][]vyre.Via
	at      map[vyre.MessageID]time.Time
}

func (h *home) turnsOf(id vyre.ThreadID, messages ...vyre.MessageID) turnsOf {
	h.t.Helper()
	w := turnsOf{
		map[vyre.MessageID]int{},
		map[vyre.MessageID]int{},
		map[vyre.MessageID]vyre.TurnID{},
		map[vyre.MessageID][]vyre.Via{},
		map[vyre.MessageID]time.Time{},
	}
	for _, e := range h.events() {
		if e.Thread != id {
			continue
		}
		switch e.Kind {
		case vyre.EvThreadTurn:
			var d vyre.ThreadTurn
			h.data(e, &d)
			for _, m := range d.Messages {
				if d.Status == vyre.TurnStarted || !slices.Contains(messages, m) {
					continue
				}
				w.ended[m]++
				w.turn[m], w.at[m] = e.Turn, time.UnixMilli(int64(e.TS))
			}
		case vyre.EvThreadSteered:
			var d vyre.ThreadSteered
			h.data(e, &d)
			w.steered[d.Message]++
		case vyre.EvThreadSent:
			var d vyre.ThreadSent
			h.data(e, &d)
			w.sent[d.Message] = append(w.sent[d.Message], d.Via)
		}
	}
	return w
}

func (h *home) data(e vyre.Event, into any) {
	h.t.Helper()
	if err := json.Unmarshal(e.Data, into); err != nil {
		h.t.Fatal(err)
	}
}

// A message that is sent while a tool runs joins the turn at the agent's next step:
// one turn, one result, and its place in the timeline is where it was taken.
func TestSteerJoins(t *testing.T) {
	h := newHome(t)
	hold := h.api.Gate("hold")
	id := h.begin("say before\ngate hold\ntool Bash {\"command\":\"ls\"}\nsay after")
	h.until("the first words", func() bool { return h.streamed(id) == "before" })
	m := h.send(id, "say steered in")
	var q struct{ Messages, Steering []vyre.Message }
	h.call("threads.queue", map[string]any{"thread": id}, &q)
	if len(q.Messages) != 0 || len(q.Steering) != 1 || q.Steering[0].ID != m {
		t.Errorf("on its way: %+v", q)
	}
	hold.Open()
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	w := h.turnsOf(id, m)
	if w.steered[m] != 1 || w.turn[m] != vyre.MakeTurnID(id, 1) || h.api.Runs("say steered in") != 1 {
		t.Errorf("the log says %+v", w)
	}
	var kinds []vyre.ItemKind
	for _, it := range h.items(id) {
		kinds = append(kinds, it.Kind)
	}
	if want := []vyre.ItemKind{"user", "text", "tool", "user", "text"}; !slices.Equal(kinds, want) {
		t.Errorf("items %v", kinds)
	}
	h.call("threads.queue", map[string]any{"thread": id}, &q)
	if len(q.Steering) != 0 {
		t.Errorf("still on its way: %+v", q)
	}
}

// An interrupt loses nothing that was typed: what was steered and not taken waits
// in the queue again, before the rest, and each runs once, in order.
func TestInterruptKeepsWhatWasTyped(t *testing.T) {
	h := newHome(t)
	id := h.begin("say before\ngate hold\nsay never")
	h.until("the first words", func() bool { return h.streamed(id) == "before" })
	h.call("threads.send", map[string]any{"thread": id, "text": "say queued.", "mode": "queue"}, nil)
	h.send(id, "say first steer.")
	h.send(id, "say second steer.")
	var out struct {
		Turn   vyre.TurnID
		Status vyre.TurnStatus
	}
	h.call("threads.interrupt", map[string]any{"thread": id}, &out)
	if out.Turn != vyre.MakeTurnID(id, 1) || out.Status != vyre.TurnCanceled {
		t.Errorf("interrupted %+v", out)
	}
	h.call("threads.send", map[string]any{"thread": id, "text": "say typed after.", "mode": "queue"}, nil)
	h.until("the last turn's end", func() bool { return h.api.Runs("say typed after.") == 1 && h.thread(id).State == vyre.StateIdle })
	if got, want := h.text(id, vyre.ItemText), "before|first steer.|second steer.|queued.|typed after."; got != want {
		t.Errorf("words %q\n%s", got, h.log())
	}
	for _, s := range []string{"first steer.", "second steer.", "queued.", "typed after."} {
		if n := h.api.Runs("say " + s); n != 1 {
			t.Errorf("%q ran %d times", s, n)
		}
	}
	if n := h.api.Runs("say never"); n != 1 {
		t.Errorf("what was interrupted ran %d times", n)
	}
}

// kill -9 of the daemon, of daemon and session, or of the session's shim alone, with a
// message on its way into the turn: it runs exactly once.
func TestKillWithASteer(t *testing.T) {
	for _, which := range []string{"daemon", "daemon and session", "shim"} {
		t.Run(which, func(t *testing.T) {
			h := newHome(t)
			hold := h.api.Gate("hold")
			id := h.begin("say before\ngate hold\nsay after")
			h.until("the first words", func() bool { return h.streamed(id) == "before" })
			m := h.send(id, "say steered.")
			h.call("threads.send", map[string]any{"thread": id, "text": "say queued.", "mode": "queue"}, nil)
			switch which {
			case "daemon and session":
				for _, pid := range h.pids(id) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			case "shim":
				_ = syscall.Kill(h.shimPID(id), syscall.SIGKILL)
			}
			if which != "shim" {
				h.kill()
			}
			hold.Open()
			if which != "shim" {
				h.start()
			}
			h.until("the end of both", func() bool {
				w := h.turnsOf(id, m)
				return w.ended[m] >= 1 && h.api.Runs("say queued.") == 1 && h.thread(id).State == vyre.StateIdle
			})
			if n := h.api.Runs("say steered."); n != 1 {
				t.Errorf("ran %d times\n%s", n, h.log())
			}
			if again := h.send(id, "say nothing"); again == m {
				t.Error("an id was given twice")
			}
		})
	}
}

// An interrupt within a few milliseconds of a turn's end, with a message on its way:
// it ends that turn or none, and the message runs to its end, once.
func TestInterruptAtTheEndOfATurn(t *testing.T) {
	h := newHome(t)
	id := h.begin("say hello")
	h.finished(id, 1)
	last, cut := 10*time.Millisecond, 0
	for n := range 20 {
		gate := h.api.Gate(fmt.Sprintf("g%d", n))
		first := h.send(id, fmt.Sprintf("gate g%d\nsay turn-%d.", n, n))
		if err := gate.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		m := h.send(id, fmt.Sprintf("say steer-%d.", n))
		gate.Open()
		<-time.NewTimer(max(0, last+time.Duration(rand.IntN(10_000)-5_000)*time.Microsecond)).C
		var out struct{ Turn vyre.TurnID }
		h.call("threads.interrupt", map[string]any{"thread": id}, &out)
		var where turnsOf
		h.until("both messages' ends", func() bool {
			where = h.turnsOf(id, first, m)
			return where.ended[first] == 1 && where.ended[m] == 1 && h.thread(id).State == vyre.StateIdle
		})
		if out.Turn == where.turn[m] && out.Turn != where.turn[first] {
			cut++ // it was the running turn by then, and meant
			last -= 2 * time.Millisecond
			continue
		}
		last += time.Millisecond
		if runs := h.api.Runs(fmt.Sprintf("say steer-%d.", n)); runs != 1 {
			t.Errorf("round %d: the model got it %d times", n, runs)
		}
		var u struct{ Items []vyre.Item }
		h.call("threads.items", map[string]any{"thread": id, "limit": 10}, &u)
		said := slices.ContainsFunc(u.Items, func(it vyre.Item) bool { return it.Kind == vyre.ItemText && it.Text == fmt.Sprintf("steer-%d.", n) })
		if !said {
			t.Errorf("round %d: the message was cut off\n%s", n, h.log())
		}
	}
	t.Logf("%d of 20 interrupts were for the message's own turn", cut)
}
