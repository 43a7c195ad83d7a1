package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vyre"
	"vyre/internal/client"
	"vyre/internal/daemon"
)

// Every tool that only a person may use is called from a real session by every door, by
// the agent's own Bash and by an orphan of it: none is accepted.
func TestEveryToolOfAPerson(t *testing.T) {
	h := newHome(t)
	s := newSiege(h)
	var tools []string
	for _, e := range daemon.Registry().Tools() {
		if e.Reach == vyre.ReachPerson {
			tools = append(tools, e.Name)
		}
	}
	h.write("attack/tools", strings.Join(tools, "\n"))
	every := "$A vyre-e2e-attack every $PWD/attack/tools $MAIN $OWN $HTTP\n"
	list := []attack{
		{id: "EVERY", what: "every tool of a person's", want: []string{"person_only", "unauthenticated"}, run: every},
		{id: "ORPHAN", what: "the same by an orphan", want: []string{"person_only", "unauthenticated"}, run: strings.Replace(every, "vyre-e2e-attack every", "vyre-e2e-attack orphan $A vyre-e2e-attack every", 1) + " | cat"},
	}
	list[1].run = strings.Replace(list[1].run, "\n |", " |", 1)
	for _, a := range list {
		s.add(a)
	}
	s.run()
	for _, a := range list {
		s.judge(a)
	}
	s.unmoved()
	if want := len(list) * 3 * len(tools); s.attempts != want || len(tools) < 20 {
		t.Errorf("%d attempts, not %d", s.attempts, want)
	}
	t.Logf("%d tools, 3 doors, twice: %d attempts, 0 accepted", len(tools), s.attempts)
}

// An agent that kills the daemon gets nothing by it: the ask is still open under the next
// one, and nobody has answered it. Where it is shut in it can't even do that.
func TestAgentKillsTheDaemon(t *testing.T) {
	for _, confine := range []string{"off", "auto"} {
		t.Run(confine, func(t *testing.T) {
			h := confined(t, confine)
			s := newSiege(h)
			h.send(s.attacker, `tool Bash {"command":"sh -c '. attack/env; kill -9 $DAEMON; ls -d $MAIN'; echo tried"}`+"\nsay tried")
			x := h.ask(s.attacker) // the daemon may be dead before it can say that it took the answer
			_ = h.try("threads.answer", map[string]any{"ask": x.ID, "digest": x.Digest, "decision": "allow"}, nil)
			select { // it is dead, or the command is over and could not
			case <-h.exited:
				h.client.Close()
				h.start()
			case <-h.over(s.attacker, 2):
				if confine == "off" {
					t.Error("nothing was killed, so nothing was shown")
				}
			}
			h.finished(s.attacker, 2)
			s.unmoved()
		})
	}
}

// An agent that kills its session's parent gets nothing by it either: what it left behind
// asks on and on, is its thread as long as anything of it runs, and ends with the tree.
// Where it is shut in the parent is out of its reach.
func TestAgentKillsItsParent(t *testing.T) {
	for _, confine := range []string{"off", "auto"} {
		t.Run(confine, func(t *testing.T) {
			h := confined(t, confine)
			s := newSiege(h)
			h.write("attack/loop.sh", `. attack/env
echo begun
while :; do `+call1+`; done`)
			h.send(s.attacker, fmt.Sprintf(`tool Bash {"command":"(setsid sh attack/loop.sh > attack/loop.out 2>&1 &); until grep -q TRIED attack/loop.out; do sleep 0.02; done; kill -9 %d; sleep 1"}`, h.shimPID(s.attacker))+"\nsay tried")
			h.mustAnswer(h.ask(s.attacker), vyre.Allow, nil)
			h.until("the attack is over", func() bool { st := h.thread(s.attacker).State; return st == vyre.StateStopped || st == vyre.StateIdle })
			out := h.read("attack/loop.out")
			if strings.Contains(out, "TRIED ok") || !strings.Contains(out, "TRIED person_only") && !strings.Contains(out, "TRIED kernel") {
				t.Errorf("got:\n%s", tailOf(out, 2000))
			}
			s.unmoved()
		})
	}
}

// confined is a home whose sessions are shut in as a setting says.
func confined(t *testing.T, how string) *home {
	t.Helper()
	return newHomeAt(t, filepath.Join(t.TempDir(), "home"), fmt.Sprintf("[sessions]\nconfine = %q\n", how))
}

// over is closed when the n-th turn of a thread has ended under this daemon.
func (h *home) over(id vyre.ThreadID, n int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		seen := 0
		opt := client.EventsOptions{Follow: true, Thread: id, Kinds: []vyre.Kind{vyre.EvThreadFinished}}
		for _, err := range h.client.Events(h.t.Context(), 0, opt) {
			if err != nil {
				return
			}
			if seen++; seen == n {
				close(done)
				return
			}
		}
	}()
	return done
}

// A thousand callers answer one ask at once, each in other words and on a connection of
// its own: one is heard, the others are told whose answer counts.
func TestThousandAnswers(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	a := h.ask(id)
	const callers, connections = 1000, 100 // at a time; the kernel's backlog is no subject here
	var won, lost, other atomic.Int64
	var first atomic.Value
	var wg sync.WaitGroup
	gate, places := make(chan struct{}), make(chan struct{}, connections)
	for i := range callers {
		wg.Go(func() {
			<-gate
			places <- struct{}{}
			defer func() { <-places }()
			c := client.Socket(h.socket())
			defer c.Close()
			err := c.Call(t.Context(), "threads.answer", map[string]any{
				"ask": a.ID, "digest": a.Digest, "decision": "deny", "message": fmt.Sprintf("no, says caller %d", i),
			}, nil)
			switch vyre.CodeOf(err) {
			case "":
				won.Add(1)
			case vyre.CodeConflict:
				lost.Add(1)
			default:
				other.Add(1)
				first.CompareAndSwap(nil, err.Error())
			}
		})
	}
	close(gate)
	wg.Wait()
	if won.Load() != 1 || lost.Load() != callers-1 {
		t.Errorf("%d won, %d lost, %d something else: %v", won.Load(), lost.Load(), other.Load(), first.Load())
	}
	h.finished(id, 1)
	answered := 0
	for _, e := range h.events() {
		if e.Kind == vyre.EvAskAnswered {
			answered++
		}
	}
	if answered != 1 || h.exists("made.txt") {
		t.Errorf("%d answers in the log", answered)
	}
}
