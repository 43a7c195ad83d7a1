package engine

import (
	"slices"

	"vyre"
)

// A thread whose messages wait for a place among the live sessions stands in a line
// and goes on by itself when a place becomes free: first come, first served. The
// line is made anew by a later daemon, from the threads whose messages wait.

// lineUp puts a thread into the line, once. front is for one that was called and
// found the place taken again.
func (e *Engine) lineUp(id vyre.ThreadID, front bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.Contains(e.line, id) {
		return
	}
	if front {
		e.line = slices.Insert(e.line, 0, id)
		return
	}
	e.line = append(e.line, id)
}

// CallLine lets who waits for a place try again, as something else than a place may
// have kept them: the disk has room. Any goroutine.
func (e *Engine) CallLine() { e.callNext() }

// callNext lets the first of the line try, if there may be a place: a free one, or
// one of a session that rests.
func (e *Engine) callNext() {
	e.mu.Lock()
	free := e.cfg.MaxLive == 0 || len(e.live)+e.reserved < e.cfg.MaxLive || len(e.resting) > 0
	if len(e.line) == 0 || !free {
		e.mu.Unlock()
		return
	}
	id := e.line[0]
	e.line = e.line[1:]
	e.mu.Unlock()
	e.spawn(func() {
		err := e.do(e.ctx, id, func(o *owner, _ *request) (bool, error) {
			o.lined = true
			o.goOn(e.ctx)
			o.lined = false
			return true, nil
		})
		if vyre.CodeOf(err) == vyre.CodeNotFound {
			e.callNext() // a thread that was deleted needs no place
		}
	})
}
