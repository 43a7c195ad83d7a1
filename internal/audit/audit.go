package audit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vyre"
)

// Store keeps entries. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
}

const (
	window   = time.Minute // refusals alike within it are one entry
	maxKinds = 256         // kinds of refusals that are counted apart
)

// kind is what makes refusals alike.
type kind struct{ tool, caller, code string }

// counted are refusals of one kind that wait to be written.
type counted struct {
	since time.Time
	entry vyre.AuditEntry // Count is how many wait
}

// Audit writes entries. Make one with New.
type Audit struct {
	store Store
	log   *slog.Logger

	mu    sync.Mutex // protects kinds; not held while something is written
	kinds map[kind]*counted
}

// New returns an Audit on a store.
func New(store Store, log *slog.Logger) *Audit {
	return &Audit{store: store, log: log, kinds: map[kind]*counted{}}
}

// Record writes the entry of a call that was made. It is on disk when Record returns.
// Errors are the store's.
func (a *Audit) Record(ctx context.Context, e vyre.AuditEntry) error {
	return a.store.Commit(ctx, &vyre.Commit{Durable: true, Audit: []vyre.AuditEntry{e}})
}

// Refused notes a refusal. The first of its kind is written before it returns.
func (a *Audit) Refused(ctx context.Context, e vyre.AuditEntry) {
	if a.count(&e) {
		a.write(context.WithoutCancel(ctx), e)
	}
}

// count reports whether e is to be written now, and counts it otherwise.
func (a *Audit) count(e *vyre.AuditEntry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := kind{e.Tool, e.Caller, e.Result}
	if a.kinds[k] == nil && len(a.kinds) >= maxKinds {
		k = kind{code: e.Result}
		e.Tool, e.Effect, e.Caller, e.Thread, e.About = "(several)", "", "(several)", "", ""
	}
	c := a.kinds[k]
	if c == nil {
		first := *e
		first.Count = 0
		a.kinds[k] = &counted{time.Now(), first}
		return true
	}
	c.entry.Count++
	if c.entry.About != e.About {
		c.entry.About = ""
	}
	return false
}

// Run writes what was counted once its minute is over, until ctx ends; then the rest.
func (a *Audit) Run(ctx context.Context) error {
	tick := time.NewTicker(window / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			a.flush(ctx, window)
		case <-ctx.Done():
			a.flush(context.WithoutCancel(ctx), 0)
			return nil
		}
	}
}

// flush writes the counts that are older than age and forgets their kinds.
func (a *Audit) flush(ctx context.Context, age time.Duration) {
	var due []vyre.AuditEntry
	a.mu.Lock()
	for k, c := range a.kinds {
		if time.Since(c.since) < age {
			continue
		}
		delete(a.kinds, k)
		if c.entry.Count > 0 {
			due = append(due, c.entry)
		}
	}
	a.mu.Unlock()
	for _, e := range due {
		a.write(ctx, e)
	}
}

func (a *Audit) write(ctx context.Context, e vyre.AuditEntry) {
	c := &vyre.Commit{Durable: true, Audit: []vyre.AuditEntry{e}, Events: []vyre.Event{vyre.NewEvent(e.Thread, "", e.Event())}}
	if err := a.store.Commit(ctx, c); err != nil {
		a.log.ErrorContext(ctx, "a refused call could not be written down", "tool", e.Tool, "caller", e.Caller, "count", e.Count, "err", err)
	}
}
