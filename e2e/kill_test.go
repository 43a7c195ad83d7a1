package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/agent/agenttest"
)

// kill -9 of the daemon in the middle of a 100-word stream: after the restart
// the turn ends, its words are whole, and each was told once.
func TestKillMidStream(t *testing.T) {
	h := newHome(t)
	id := h.begin("words 100 every 10ms")
	h.until("some words", func() bool { return strings.Count(h.streamed(id), " ") > 20 })
	h.kill()
	h.start()
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	want := agenttest.Words(100)
	if got := h.streamed(id); got != want {
		t.Errorf("streamed %q", got)
	}
	if got := h.text(id, vyre.ItemText); got != want {
		t.Errorf("item %q", got)
	}
	if n := h.api.Runs("words 100"); n != 1 {
		t.Errorf("ran %d times", n)
	}
}

// kill -9 of the daemon with an ask open: it is still listed, and its answer
// reaches the agent.
func TestKillWithAskOpen(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	a := h.ask(id)
	h.kill()
	h.start()
	if got := h.asks(id); len(got) != 1 || got[0].ID != a.ID || h.thread(id).State != vyre.StateWaiting {
		t.Fatalf("asks %+v", got)
	}
	h.mustAnswer(a, vyre.Allow, nil)
	if s := h.finished(id, 1); s != vyre.TurnCompleted || !h.exists("made.txt") {
		t.Errorf("status %s", s)
	}
}

// kill -9 of the daemon with two messages queued: both run, once, in order.
func TestKillWithQueue(t *testing.T) {
	h := newHome(t)
	gate := h.api.Gate("hold")
	id := h.begin("gate hold\nsay one")
	if err := gate.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"say two", "say three"} {
		h.call("threads.send", map[string]any{"thread": id, "text": s, "mode": "queue"}, nil)
	}
	h.kill()
	gate.Open()
	h.start()
	h.finished(id, 3)
	if got := h.text(id, vyre.ItemText); got != "one|two|three" {
		t.Errorf("words %q", got)
	}
	for _, s := range []string{"say two", "say three"} {
		if n := h.api.Runs(s); n != 1 {
			t.Errorf("%q ran %d times", s, n)
		}
	}
}

// kill -9 of the agent in a turn: the turn fails and says why, open asks are
// withdrawn, what it left running is ended, and the next message resumes.
func TestKillAgent(t *testing.T) {
	h := newHome(t)
	id := h.begin(`tool Bash {"command":"setsid nohup tail -f /dev/null >/dev/null 2>&1 & touch begun.txt; tail -f /dev/null"}` + "\nsay late")
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.file("begun.txt")
	pids := h.pids(id)
	if err := syscall.Kill(h.agentPID(id), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if s := h.finished(id, 1); s != vyre.TurnFailed {
		t.Errorf("status %s", s)
	}
	h.until("the stop", func() bool { return h.thread(id).State == vyre.StateStopped })
	if th := h.thread(id); th.Reason != vyre.StopCrash {
		t.Errorf("reason %s", th.Reason)
	}
	h.goneAll(pids)
	h.send(id, "say back")
	if s := h.finished(id, 2); s != vyre.TurnCompleted {
		t.Errorf("after the resume: %s", s)
	}
}

// kill -9 of the shim: the agent does not outlive it unowned, the thread says
// crash, and the next message resumes.
func TestKillShim(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	h.ask(id)
	pids := h.pids(id)
	if err := syscall.Kill(h.shimPID(id), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.until("the stop", func() bool { return h.thread(id).State == vyre.StateStopped })
	if th := h.thread(id); th.Reason != vyre.StopCrash || len(h.asks(id)) != 0 {
		t.Errorf("thread %+v", th)
	}
	h.goneAll(pids)
	h.send(id, "say back")
	h.finished(id, 2)
}

// A stop takes the tree with everything that detached from it.
func TestStopTakesTheTree(t *testing.T) {
	h := newHome(t)
	id := h.begin(`tool Bash {"command":"(setsid sh -c 'nohup tail -f /dev/null >/dev/null 2>&1 & tail -f /dev/null' >/dev/null 2>&1 &) ; touch begun.txt"}` + "\nsay done")
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 1)
	var pids []int
	h.eventually("the detached processes", func() bool { // shim, agent, and the two tails with their shell's leftovers
		pids = h.pids(id)
		return len(pids) >= 4
	})
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	h.goneAll(pids)
}

// Two hundred daemons are killed at random moments while messages are sent and
// asks answered: nothing acknowledged is lost and nothing runs twice.
func TestRandomKills(t *testing.T) {
	h := newHome(t)
	id := h.begin("")
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	rnd := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for i := range rounds {
		text := fmt.Sprintf("say <m%03d>", i)
		if i%10 == 3 {
			text = fmt.Sprintf("tool Bash {\"command\":\"echo x >> f%03d.txt\"}\nsay <m%03d>", i, i)
		}
		h.persist(id, text, fmt.Sprintf("key-%03d", i))
		for _, a := range h.openAsks(id) {
			_, _ = h.answer(a, vyre.Allow, nil) // the kill may come first; then it is answered later
		}
		pause := time.NewTimer(time.Duration(rnd.IntN(120)) * time.Millisecond)
		<-pause.C
		h.kill()
		h.start()
	}
	h.until("the end", func() bool {
		for _, a := range h.openAsks(id) {
			_, _ = h.answer(a, vyre.Allow, nil)
		}
		return h.thread(id).State == vyre.StateIdle && h.settled(id) == rounds
	})
	h.checkOnce(id, rounds)
}

// persist queues a message until it is acknowledged, always under the same key.
func (h *home) persist(id vyre.ThreadID, text, key string) {
	h.t.Helper()
	for range 20 {
		err := h.try("threads.send", map[string]any{"thread": id, "text": text, "key": key, "mode": "queue"}, nil)
		if err == nil {
			return
		}
		if !h.alive() {
			h.start()
		}
	}
	h.t.Fatal("a message could not be sent")
}

func (h *home) openAsks(id vyre.ThreadID) []vyre.Ask {
	var out struct{ Asks []vyre.Ask }
	_ = h.try("threads.asks", map[string]any{"thread": id}, &out)
	return out.Asks
}

// settled counts the messages of the turns that were completed: one that was steered
// shares a turn.
func (h *home) settled(id vyre.ThreadID) int {
	seen := map[vyre.MessageID]bool{}
	for _, e := range h.events() {
		var d vyre.ThreadTurn
		if e.Kind == vyre.EvThreadTurn && e.Thread == id && json.Unmarshal(e.Data, &d) == nil && d.Status == vyre.TurnCompleted {
			for _, m := range d.Messages {
				seen[m] = true
			}
		}
	}
	return len(seen)
}

// checkOnce holds that every message ran once, in order, with its words whole.
func (h *home) checkOnce(id vyre.ThreadID, rounds int) {
	h.t.Helper()
	words := foldLog(h.t, h.events()).words[id]
	for i := range rounds {
		m := fmt.Sprintf("<m%03d>", i)
		if n := strings.Count(words, m); n != 1 {
			h.t.Errorf("%s was told %d times", m, n)
		}
		if n := h.api.Runs("say " + m); n != 1 {
			h.t.Errorf("%s ran %d times", m, n)
		}
		if i%10 == 3 {
			b, _ := os.ReadFile(filepath.Join(h.agent.CWD, fmt.Sprintf("f%03d.txt", i)))
			if string(b) != "x\n" {
				h.t.Errorf("the tool of %s ran %d times", m, strings.Count(string(b), "x"))
			}
		}
	}
	h.call("daemon.verify", map[string]any{}, nil)
}

// pids lists the processes of a thread's session.
func (h *home) pids(id vyre.ThreadID) []int {
	h.t.Helper()
	var out struct{ Pids []int }
	h.call("threads.pids", map[string]any{"thread": id}, &out)
	return out.Pids
}

// byName finds the process of a thread's session whose program has this name.
func (h *home) byName(id vyre.ThreadID, name string) int {
	h.t.Helper()
	for _, pid := range h.pids(id) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		argv0, _, _ := strings.Cut(string(b), "\x00")
		if filepath.Base(argv0) == name {
			return pid
		}
	}
	h.t.Fatalf("no %s among %v", name, h.pids(id))
	return 0
}

func (h *home) agentPID(id vyre.ThreadID) int { return h.byName(id, "claude") }
func (h *home) shimPID(id vyre.ThreadID) int  { return h.byName(id, "vyre-shim") }

// eventually looks again and again at what no event tells.
func (h *home) eventually(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			h.t.Fatalf("%s did not come", what)
		}
	}
}

// goneAll waits until none of the processes is left.
func (h *home) goneAll(pids []int) {
	h.t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var left []int
		for _, pid := range pids {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err == nil && !strings.Contains(string(b), ") Z ") {
				left = append(left, pid)
			}
		}
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			h.t.Fatalf("left running: %v", left)
		}
	}
}
