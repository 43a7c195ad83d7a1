package agent_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

var provider = claude.New()

// collect runs one turn to its end.
func collect(t *testing.T, h *agenttest.Home, prompt string, opts ...agent.QueryOption) ([]agent.Event, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	var out []agent.Event
	for ev, err := range agent.Query(ctx, provider, prompt, h.Options(opts...)...) {
		if err != nil {
			return out, err
		}
		out = append(out, ev)
	}
	return out, nil
}

func text(evs []agent.Event) string {
	var b strings.Builder
	for _, ev := range evs {
		if e, ok := ev.(agent.Text); ok {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

func TestQuery(t *testing.T) {
	// One loop is one turn: its last event is the turn's end, and nothing is left running.
	h := agenttest.Claude(t, agenttest.API(t))
	evs, err := collect(t, h, "words 10 every 1ms")
	if err != nil {
		t.Fatal(err)
	}
	if text(evs) != agenttest.Words(10) {
		t.Errorf("words: %q", text(evs))
	}
	end, ok := evs[len(evs)-1].(agent.TurnEnded)
	if !ok || end.Status != vyre.TurnCompleted {
		t.Errorf("the last event: %+v", evs[len(evs)-1])
	}
	nothingLeft(t, h)
}

func TestQueryDeniesWithoutAnybody(t *testing.T) {
	// Without somebody to answer, what is asked is denied, and the model is told why.
	h := agenttest.Claude(t, agenttest.API(t))
	evs, err := collect(t, h, "tool Bash {\"command\":\"touch x\"}\nsay $RESULT")
	if err != nil || !strings.Contains(text(evs), "Nobody is here") {
		t.Errorf("%q, %v", text(evs), err)
	}
	if _, err := os.Stat(filepath.Join(h.CWD, "x")); err == nil {
		t.Error("it ran")
	}
}

func TestQueryAnswers(t *testing.T) {
	// A function answers what is asked: the story of `vyre try`, from end to end.
	h := agenttest.Claude(t, agenttest.API(t))
	var kinds []vyre.AskKind
	evs, err := collect(t, h, "story", agent.WithAnswer(func(_ context.Context, a agent.Ask) agent.Answer {
		kinds = append(kinds, a.Kind)
		if a.Kind == vyre.AskQuestion {
			return agent.Answer{Decision: vyre.Allow, Answers: map[string]string{"What should the note be about?": "A haiku"}}
		}
		return agent.Answer{Decision: vyre.Allow}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 2 || kinds[0] != vyre.AskQuestion || kinds[1] != vyre.AskTool || !strings.Contains(text(evs), "You chose: A haiku.") {
		t.Errorf("asked %v, said %q", kinds, text(evs))
	}
	if b, err := os.ReadFile(filepath.Join(h.CWD, "hello-from-vyre.md")); err != nil || !strings.HasPrefix(string(b), "# Hello") {
		t.Errorf("the note: %q, %v", b, err)
	}
}

func TestQueryLeftEarly(t *testing.T) {
	// Leaving the loop ends the agent.
	h := agenttest.Claude(t, agenttest.API(t))
	for ev, err := range agent.Query(t.Context(), provider, "say one moment\nstall", h.Options()...) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(agent.Text); ok {
			break
		}
	}
	nothingLeft(t, h)
}

func TestQueryEndsWhatTheAgentRuns(t *testing.T) {
	// A command of the agent, in a session of its own, ends with the query too.
	h := agenttest.Claude(t, agenttest.API(t))
	fifo := filepath.Join(h.CWD, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	rest := make(chan error, 1)
	go func() {
		f, err := os.Open(fifo) // opens when the command does
		if err != nil {
			rest <- err
			return
		}
		defer f.Close()
		_, err = io.ReadFull(f, make([]byte, 3))
		cancel(errors.New("it runs"))
		if err == nil {
			_, err = io.Copy(io.Discard, f) // ends when nobody holds the other end any more
		}
		rest <- err
	}()
	allow := agent.WithAnswer(func(context.Context, agent.Ask) agent.Answer { return agent.Answer{Decision: vyre.Allow} })
	for _, err := range agent.Query(ctx, provider, `tool Bash {"command":"exec 3> fifo; echo up >&3; tail -f /dev/null"}`, h.Options(allow)...) {
		if err != nil && vyre.CodeOf(err) != vyre.CodeTimeout {
			t.Fatal(err)
		}
	}
	if err := <-rest; err != nil {
		t.Error(err)
	}
	nothingLeft(t, h)
}

func TestQueryCutShort(t *testing.T) {
	// When its context ends, the agent is ended and the loop says so.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	for ev, err := range agent.Query(ctx, provider, "say one moment\nstall", h.Options()...) {
		if last = err; err == nil {
			if _, ok := ev.(agent.Text); ok {
				cancel(errors.New("enough"))
			}
		}
	}
	if vyre.CodeOf(last) != vyre.CodeTimeout {
		t.Errorf("got %v", last)
	}
	nothingLeft(t, h)
}

func TestQueryFailsToStart(t *testing.T) {
	// A broken program is an error within seconds, with its last words.
	h := agenttest.Claude(t, agenttest.API(t))
	for name, c := range map[string]struct{ body, says string }{
		"dies at once":  {"echo no shared library >&2; exit 127", "no shared library"},
		"closes stdout": {"exec >&-; sleep 0.2; exit 4", "exit 4"},
		"says nothing":  {"exit 0", "exit 0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "claude")
			if err := os.WriteFile(p, []byte("#!/bin/sh\n"+c.body+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := collect(t, h, "say hi", agent.WithBinary(p))
			if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	_, err := collect(t, h, "say hi", agent.WithBinary(filepath.Join(t.TempDir(), "none")))
	if vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("missing: %v", err)
	}
}

func TestOpen(t *testing.T) {
	// A session takes several turns, and is resumed by its id.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	s, err := agent.Open(ctx, provider, h.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, prompt := range []string{"say one", "say two"} {
		if _, err := s.Send(prompt); err != nil {
			t.Fatal(err)
		}
		for ev := range s.Events() {
			if _, ok := ev.(agent.TurnEnded); ok {
				break
			}
		}
	}
	s.Close()
	s.Close() // again is harmless
	if err := s.Say(agent.Interrupt{}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
	nothingLeft(t, h)
	if _, err := collect(t, h, "say three", agent.WithResume(s.NativeID())); err != nil {
		t.Fatal(err)
	}
	last := api.Requests()[len(api.Requests())-1]
	if !strings.Contains(string(last.Body), "say one") {
		t.Error("the resumed conversation does not know its beginning")
	}
}

func TestWireID(t *testing.T) {
	// A message's name at the agent is always a UUID, the same each time, and its own where it is one.
	const u = "0b5f0c1e-8f4e-4a3c-9d2b-1a2b3c4d5e6f"
	if agent.WireID(u) != u {
		t.Error("a UUID was renamed")
	}
	a := agent.WireID("my-key")
	if a != agent.WireID("my-key") || a == agent.WireID("my-kez") || agent.WireID(a) != a || len(a) != len(u) {
		t.Errorf("named %s", a)
	}
}
