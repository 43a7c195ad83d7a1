package cli

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/cli/term/termtest"
)

// At a terminal a deletion says what goes and asks; only a yes deletes, and what was
// shown is what is deleted.
func TestDeleteAsks(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "\n": false, "n\n": false, "yea\n": false, "\x04": false} {
		p := newPeer(t)
		withThreads(p)
		p.answer("threads.delete", func() any {
			return deleteOutput{Name: "evil\x1b]0;t\x07", Turns: 3, Items: 14, Transcript: []string{"/c/projects/x.jsonl"}, Worktree: "/wt/one"}
		})
		tty, keyboard := termtest.PTY(t)
		env := map[string]string{"VYRE_HOME": p.home, "TERM": "dumb"}
		done := make(chan int, 1)
		go func() {
			done <- Main(t.Context(), Options{
				Args: []string{"delete", string(threadA), "--transcript"}, In: tty, Out: tty, Err: tty, Version: "test",
				Getenv: func(k string) string { return env[k] }, Tools: someTools,
			})
		}()
		s := &watched{more: make(chan struct{})}
		go s.read(keyboard)
		s.wait(t, "[y/N]")
		s.wait(t, "3 turns, 14 items")
		s.wait(t, "/c/projects/x.jsonl")
		s.wait(t, "its worktree stays: /wt/one")
		io.WriteString(keyboard, answer)
		code := <-done
		n := p.times("threads.delete")
		if (code == 0) != want || (n == 2) != want {
			t.Errorf("%q: exit code %d after %d calls", answer, code, n)
		}
		for i, in := range p.deletions(t) {
			if in.Thread != threadA || !in.Transcript || in.DryRun != (i == 0) {
				t.Errorf("%q: call %d asked for %+v", answer, i, in)
			}
		}
		s.mu.Lock()
		if strings.ContainsAny(s.text, "\x07") {
			t.Errorf("%q", s.text)
		}
		s.mu.Unlock()
	}
}

// Whoever follows a thread is told that it was deleted, and what its events said before
// is not taken for something that happens.
func TestFollowedThreadIsDeleted(t *testing.T) {
	p := turnPeer(t)
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA, Provider: "claude", State: vyre.StateStopped} })
	p.answer("threads.items", func() any { return itemsOutput{} })
	tty, keyboard := termtest.PTY(t)
	env := map[string]string{"VYRE_HOME": p.home, "TERM": "dumb"}
	done := make(chan int, 1)
	go func() {
		done <- Main(t.Context(), Options{
			Args: []string{"attach", string(threadA)}, In: tty, Out: tty, Err: tty, Version: "test",
			Getenv: func(k string) string { return env[k] }, Tools: someTools,
		})
	}()
	s := &watched{more: make(chan struct{})}
	go s.read(keyboard)
	s.wait(t, "Ctrl-D leaves")
	p.mu.Lock()
	for _, d := range []vyre.EventData{vyre.ThreadStopped{Reason: vyre.StopCrash}, vyre.ThreadMode{Mode: vyre.ModePlan}, vyre.AskRaised{Ask: askA}} {
		ev := vyre.NewEvent(threadA, "", d)
		ev.Seq, ev.Data = vyre.Seq(len(p.log)+1), json.RawMessage("null")
		p.log = append(p.log, ev)
	}
	p.mu.Unlock()
	p.tell(threadA, vyre.ThreadDeleted{By: "person:owner:test"})
	if code := <-done; code != 4 {
		t.Errorf("exit code %d", code)
	}
	s.wait(t, "the thread was deleted")
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(s.text, "stopped:") || strings.Contains(s.text, "mode:") {
		t.Errorf("%q", s.text)
	}
}

// deletions are the inputs of every call of threads.delete.
func (p *peer) deletions(t *testing.T) (out []deleteInput) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.tool != "threads.delete" {
			continue
		}
		var in deleteInput
		if err := json.Unmarshal([]byte(c.in), &in); err != nil {
			t.Error(err)
		}
		out = append(out, in)
	}
	return out
}
