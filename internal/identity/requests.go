package identity

import (
	"context"
	"sync"

	"vyre"
)

// errEnded is the cause of the end of what a session's end cut.
var errEnded = vyre.Errorf(vyre.CodeUnauthenticated, "the session was ended")

// requests knows those that run, by session, so that the end of a session is
// the end of them.
type requests struct {
	mu      sync.Mutex
	running map[vyre.SignInID]map[*context.CancelCauseFunc]bool // guarded by mu
	// ended are those that ended since the daemon began: a request that was let in just
	// before must not outlive its session. Few and small; guarded by mu.
	ended map[vyre.SignInID]bool
}

func (l *requests) hold(ctx context.Context, id vyre.SignInID) (context.Context, func()) {
	if id == "" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended[id] {
		cancel(errEnded)
		return ctx, func() {}
	}
	if l.running == nil {
		l.running = map[vyre.SignInID]map[*context.CancelCauseFunc]bool{}
	}
	if l.running[id] == nil {
		l.running[id] = map[*context.CancelCauseFunc]bool{}
	}
	l.running[id][&cancel] = true
	return ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		cancel(nil)
		if delete(l.running[id], &cancel); len(l.running[id]) == 0 {
			delete(l.running, id)
		}
	}
}

func (l *requests) end(id vyre.SignInID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = map[vyre.SignInID]bool{}
	}
	l.ended[id] = true
	for cancel := range l.running[id] {
		(*cancel)(errEnded)
	}
}
