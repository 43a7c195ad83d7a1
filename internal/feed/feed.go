package feed

import (
	"context"
	"sync"

	"vyre"
)

// Log is where events are kept. internal/store/sqlite implements it.
type Log interface {
	// Since returns up to limit events after a number, in order. It may have
	// events that were not published yet.
	Since(ctx context.Context, after vyre.Seq, limit int) ([]vyre.Event, error)
	// Bounds returns the highest number that was pruned and the newest number. It
	// answers from memory: the feed asks at every read. The floor is raised
	// before the events below it are gone.
	Bounds(ctx context.Context) (floor, head vyre.Seq, err error)
	// Holds reports whether a number is one that a reader of this log can have: an
	// event's, or the one before an event's. A number in a hole is of events that
	// were lost (a power cut, a restored copy), so what followed it is unknown.
	Holds(ctx context.Context, n vyre.Seq) (bool, error)
}

// knowsHead is a Log that can tell its head without a context; Head is then
// right from the beginning, not only after the first read or Publish.
type knowsHead interface{ Head() vyre.Seq }

// Feed is one log's readers' side. All methods may be called from any goroutine.
type Feed struct {
	log Log

	mu      sync.Mutex // protects what follows; never held while log is asked
	ring    []vyre.Event
	start   int      // index of the oldest event in ring
	count   int      // events in ring
	base    vyre.Seq // all events after base, up to head, are in the ring
	head    vyre.Seq // the newest number
	known   bool     // head and base are set
	wake    chan struct{}
	waiting bool // somebody has taken wake
}

// New makes a feed that keeps up to ring events in memory (at least one).
func New(log Log, ring int) *Feed {
	f := &Feed{log: log, ring: make([]vyre.Event, max(ring, 1)), wake: make(chan struct{})}
	if k, ok := log.(knowsHead); ok {
		f.base, f.known = k.Head(), true
		f.head = f.base
	}
	return f
}

// Publish adds events that were committed, in order, and wakes those that wait.
// Only the log's writer calls it, after each commit. It does not block. The
// events' Data is shared from now on: nobody may change it.
func (f *Feed) Publish(evs []vyre.Event) {
	if len(evs) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known { // what came before the first one is the log's
		f.base, f.known = evs[0].Seq-1, true
	}
	for _, e := range evs {
		f.add(e)
	}
	f.head = evs[len(evs)-1].Seq
	if f.waiting {
		close(f.wake)
		f.wake, f.waiting = make(chan struct{}), false
	}
}

func (f *Feed) add(e vyre.Event) {
	if e.Kind == vyre.EvThreadDeleted {
		f.redact(e.Thread)
	}
	if f.count == len(f.ring) { // the oldest one makes room
		f.base = f.ring[f.start].Seq
		f.ring[f.start] = e
		f.start = (f.start + 1) % len(f.ring)
		return
	}
	f.ring[(f.start+f.count)%len(f.ring)] = e
	f.count++
}

// Head returns the newest number that can be read.
func (f *Feed) Head() vyre.Seq {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head
}

// Wait returns nil when there is something after the cursor, which may be
// something that a filter drops, else when ctx ends, with the error unavailable.
func (f *Feed) Wait(ctx context.Context, after vyre.Seq) error {
	for {
		if _, err := f.bounds(ctx); err != nil {
			return err
		}
		f.mu.Lock()
		head, wake := f.head, f.wake
		f.waiting = f.waiting || head <= after
		f.mu.Unlock()
		if head > after {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return vyre.Errorf(vyre.CodeUnavailable, "stopped waiting for events").Because(context.Cause(ctx))
		}
	}
}

// bounds returns the floor, and sets the head before the first Publish.
func (f *Feed) bounds(ctx context.Context) (floor vyre.Seq, err error) {
	floor, head, err := f.log.Bounds(ctx)
	if err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		f.base, f.head, f.known = head, head, true
	}
	return floor, nil
}
