package engine

import "vyre"

// Watch notes that a person follows a thread: its session is not closed for resting
// meanwhile, and it is the last to go when room is needed. leave may be called more
// than once. Any goroutine; the thread need not exist.
func (e *Engine) Watch(id vyre.ThreadID) (leave func()) {
	e.watching(id, 1)
	left := false
	return func() {
		if !left {
			left = true
			e.watching(id, -1)
		}
	}
}

func (e *Engine) watching(id vyre.ThreadID, n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watchers[id] += n; e.watchers[id] <= 0 {
		delete(e.watchers, id)
	}
	if o := e.threads[id]; o != nil {
		select {
		case o.kick <- struct{}{}:
		default:
		}
	}
}

func (e *Engine) watched(id vyre.ThreadID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.watchers[id] > 0
}
