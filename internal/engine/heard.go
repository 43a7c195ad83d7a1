package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// heard notes what a session says of itself at its handshake, the first or one after
// a daemon's restart.
func (o *owner) heard(ready agent.Ready) {
	if len(ready.Commands) == 0 && o.run.said != nil { // a repeated handshake may leave them out
		ready.Commands = o.run.said.Commands
	}
	o.run.said = &ready
	o.e.mu.Lock()
	o.e.seen[o.book.thread.Provider] = ready
	o.e.mu.Unlock()
}

// Said returns what the thread's own session said of itself; false without one that
// this daemon heard.
func (e *Engine) Said(ctx context.Context, thread vyre.ThreadID) (agent.Ready, bool, error) {
	var out agent.Ready
	var ok bool // no named result: a return would write it while the owner may
	err := e.do(ctx, thread, func(o *owner, _ *request) (bool, error) {
		if o.run != nil && o.run.said != nil {
			out, ok = *o.run.said, true
		}
		return true, nil
	})
	if err != nil {
		return agent.Ready{}, false, err // the result is the owner's until it said that all is well
	}
	return out, ok, nil
}
