// Package apitest makes what a door serves, for the tests of doors and clients:
// a registry with a few tools and a log in memory behind a real feed.
//
// It is for tests only, starts no goroutine and keeps nothing on disk.
package apitest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/feed"
	"vyre/internal/registry"
)

// Kit is a small home: tools, and a log that Publish adds to.
type Kit struct {
	Registry *registry.Registry
	Feed     *feed.Feed
	Log      *Log
}

// Text is the input of the kit's tools.
type Text struct {
	Thread vyre.ThreadID `json:"thread,omitempty"`
	Text   string        `json:"text,omitempty"`
}

// ThreadRef implements registry.ThreadReferrer.
func (t Text) ThreadRef() vyre.ThreadID { return t.Thread }

// Said is the output of the kit's tools.
type Said struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// New returns a kit whose feed keeps ring events in memory. Its tools are
// threads.send (any caller, up to 8 MiB), threads.get (self), asks.answer (person) and
// fail.with (any), which fails with the code that its text names.
func New(ring int) *Kit {
	k := &Kit{Registry: registry.New(), Log: &Log{}}
	k.Feed = feed.New(k.Log, ring)
	for _, t := range []vyre.Tool{
		{Name: "threads.send", Reach: vyre.ReachAny, MaxInput: 8 << 20},
		{Name: "threads.get", Reach: vyre.ReachSelf},
		{Name: "asks.answer", Reach: vyre.ReachPerson},
	} {
		t.Summary, t.Effect = "Says it again.", vyre.EffectRead
		registry.Define(k.Registry, t,
			func(_ context.Context, c vyre.Caller, in Text) (Said, error) {
				return Said{By: c.String(), Text: in.Text}, nil
			})
	}
	registry.Define(k.Registry, vyre.Tool{Name: "fail.with", Summary: "Fails.", Effect: vyre.EffectRead, Reach: vyre.ReachAny},
		func(_ context.Context, _ vyre.Caller, in Text) (Said, error) {
			return Said{}, vyre.Errorf(vyre.Code(in.Text), "as you wish").WithHint("Wish <else>.").WithDetail("n", 1)
		})
	return k
}

// Parts is what a door wants.
func (k *Kit) Parts() api.Parts {
	return api.Parts{
		Tools: k.Registry, Feed: k.Feed, Bounds: k.Log.Bounds,
		OpenAPI: func(kind vyre.CallerKind) ([]byte, error) { return registry.OpenAPIFor(k.Registry, "test", kind) },
	}
}

// Publish adds n events, of two threads and with text that tries the encoding,
// and wakes the readers.
func (k *Kit) Publish(n int) {
	k.Feed.Publish(k.Log.add(n))
}

// Log is a log in memory. It implements feed.Log.
type Log struct {
	mu    sync.Mutex
	evs   []vyre.Event
	head  vyre.Seq
	floor vyre.Seq
}

func (l *Log) add(n int) []vyre.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []vyre.Event
	for range n {
		l.head++
		thread := vyre.ThreadID(fmt.Sprintf("t%d", l.head%2))
		ev := vyre.NewEvent(thread, vyre.MakeTurnID(thread, 1), vyre.ThreadText{
			Item: "i", Kind: vyre.ItemText, Offset: int(l.head), Text: fmt.Sprintf("<%d> & \u2028 \"é😀\"\n", l.head),
		})
		ev.Seq, ev.TS = l.head, vyre.Time(1_700_000_000_000+int64(l.head))
		out = append(out, ev)
	}
	l.evs = append(l.evs, out...)
	return out
}

// Prune drops the events up to floor.
func (l *Log) Prune(floor vyre.Seq) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.evs) > 0 && l.evs[0].Seq <= floor {
		l.evs = l.evs[1:]
	}
	l.floor = floor
}

// Since implements feed.Log.
func (l *Log) Since(_ context.Context, after vyre.Seq, limit int) ([]vyre.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []vyre.Event
	for _, ev := range l.evs {
		if ev.Seq > after && len(out) < limit {
			out = append(out, ev)
		}
	}
	return out, nil
}

// Holds implements feed.Log.
func (l *Log) Holds(_ context.Context, n vyre.Seq) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.evs, func(e vyre.Event) bool { return e.Seq == n || e.Seq == n+1 }), nil
}

// Bounds implements feed.Log.
func (l *Log) Bounds(context.Context) (floor, head vyre.Seq, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.floor, l.head, nil
}
