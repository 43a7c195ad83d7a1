package claude_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
	"vyre/agent/claude"
)

// live is one real session under test.
type live struct {
	t    *testing.T
	s    *agent.Session
	next func() (agent.Event, bool)
	seen []agent.Event
}

// start opens a session that must be over within 40 seconds. Whatever it says
// is decoded a second time at the end: see recorder.
func start(t *testing.T, h *agenttest.Home, more ...agent.QueryOption) *live {
	t.Helper()
	return startWith(t, h, nil, more...)
}

// startWith is start with options that Open has no words for.
func startWith(t *testing.T, h *agenttest.Home, set func(*agent.Options), more ...agent.QueryOption) *live {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	rec := &recorder{Provider: claude.New(), set: set}
	s, err := agent.Open(ctx, rec, h.Options(more...)...)
	if err != nil {
		cancel()
		t.Fatalf("open: %v", err)
	}
	next, stop := iter.Pull(s.Events())
	l := &live{t: t, s: s, next: next}
	t.Cleanup(func() {
		s.Close()
		stop()
		cancel()
		rec.check(t)
	})
	return l
}

// until reads events up to the first that is a T for which ok holds.
func until[T agent.Event](l *live, ok func(T) bool) T {
	l.t.Helper()
	for {
		ev, more := l.next()
		if !more {
			l.t.Fatalf("the session ended while a %T was awaited; it said:\n%s", *new(T), l.story())
		}
		l.seen = append(l.seen, ev)
		if v, is := ev.(T); is && (ok == nil || ok(v)) {
			return v
		}
		if ex, is := ev.(agent.Exited); is {
			l.t.Fatalf("the agent ended (%s) while a %T was awaited; it said:\n%s", ex, *new(T), l.story())
		}
	}
}

func (l *live) story() string {
	var b strings.Builder
	for _, ev := range l.seen {
		if _, ok := ev.(agent.Ready); ok {
			continue
		}
		j, _ := json.Marshal(ev)
		fmt.Fprintf(&b, "  %T %.400s\n", ev, j)
	}
	return b.String()
}

func (l *live) send(lines ...string) vyre.MessageID {
	l.t.Helper()
	id, err := l.s.Send(strings.Join(lines, "\n"))
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

func (l *live) say(s agent.Say) {
	l.t.Helper()
	if err := l.s.Say(s); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) answer(a agent.Ask, v agent.Answer) {
	l.t.Helper()
	if err := l.s.Answer(a, v); err != nil {
		l.t.Fatal(err)
	}
}

// ended waits for the end of the message's turn.
func (l *live) ended(id vyre.MessageID) agent.TurnEnded {
	l.t.Helper()
	return until(l, func(e agent.TurnEnded) bool {
		return slices.Contains(e.Messages, id)
	})
}

// all returns the events so far that are a T.
func all[T agent.Event](l *live) []T {
	var out []T
	for _, ev := range l.seen {
		if v, ok := ev.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// text is the words of the items of one kind, as the Text events gave them.
func (l *live) text(kind vyre.ItemKind) string {
	var b strings.Builder
	for _, e := range all[agent.Text](l) {
		if e.Kind == kind {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// result is the last update of a call.
func (l *live) result(call string) agent.ToolUpdate {
	l.t.Helper()
	var out agent.ToolUpdate
	for _, u := range all[agent.ToolUpdate](l) {
		if u.Key == call {
			out = u
		}
	}
	if out.Key == "" {
		l.t.Fatalf("no result of call %s:\n%s", call, l.story())
	}
	return out
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func exists(t *testing.T, h *agenttest.Home, name string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(h.CWD, name))
	return err == nil
}

// recorder keeps what a session said, and checks at the end that a Protocol is
// a fold: decoding the lines again, from the start or from any point that was
// clean, gives the same events.
type recorder struct {
	agent.Provider
	set   func(*agent.Options)
	o     agent.Options
	proto *recorded
}

type recorded struct {
	agent.Protocol
	lines  [][]byte
	events [][]agent.Event
	clean  []bool // after the line
}

func (r *recorder) Command(o agent.Options) (agent.Command, error) {
	if r.set != nil {
		r.set(&o)
	}
	return r.Provider.Command(o)
}

func (r *recorder) Protocol(o agent.Options) agent.Protocol {
	r.o = o
	r.proto = &recorded{Protocol: r.Provider.Protocol(o)}
	return r.proto
}

func (r *recorded) Decode(line []byte) []agent.Event {
	evs := r.Protocol.Decode(line)
	r.lines = append(r.lines, line)
	r.events = append(r.events, evs)
	r.clean = append(r.clean, r.Clean())
	return evs
}

func (r *recorder) check(t *testing.T) {
	t.Helper()
	p := r.proto
	if dir := os.Getenv("VYRE_RECORD"); dir != "" {
		name := strings.NewReplacer("/", "-").Replace(t.Name())
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(joinLines(p.lines)), 0o600); err != nil {
			t.Error(err)
		}
	}
	from := []int{0}
	for i, c := range p.clean {
		if c && (i == len(p.clean)-1 || !p.clean[i+1]) { // the last of a clean stretch
			from = append(from, i+1)
		}
	}
	for _, i := range from {
		again := r.Provider.Protocol(r.o)
		for j := i; j < len(p.lines); j++ {
			if d := cmp.Diff(p.events[j], again.Decode(p.lines[j])); d != "" {
				t.Errorf("decoding again from line %d, line %d gives other events (-first +again):\n%s", i, j, d)
				return
			}
		}
	}
}

func joinLines(lines [][]byte) string {
	var b strings.Builder
	for _, l := range lines {
		b.Write(l)
		b.WriteByte('\n')
	}
	return b.String()
}
