package engine

import (
	"context"
	"encoding/json"
	"time"

	"vyre"
	"vyre/agent"
)

// queryBound is how long an agent may take to answer what it is asked.
const queryBound = 15 * time.Second

// Query asks a thread's session something and returns the agent's answer, in the
// shape that the Say's own comment names. It goes beside the running turn and leaves
// no row of its own. Errors: unavailable without a process, when the session ends
// first, or when the agent refuses; invalid where the agent has no such thing;
// timeout.
func (e *Engine) Query(ctx context.Context, thread vyre.ThreadID, what agent.Say) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, queryBound)
	defer cancel()
	var q query
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.run == nil || !o.run.ready || o.run.stopping != "" {
			return false, noProcess()
		}
		n := o.book.next
		t := o.begin()
		if err := t.say(what, "", ""); err != nil {
			t.rollback()
			return false, err
		}
		if err := t.commit(r.ctx); err != nil {
			return false, err
		}
		q.done = r.done
		if o.run.queries == nil {
			o.run.queries = map[uint64]*query{}
		}
		o.run.queries[n] = &q
		return false, nil
	})
	if err != nil {
		return nil, err // the answer is the owner's until it said that all is well
	}
	return q.body, nil
}

// query is a caller that waits for the agent's word on a frame.
type query struct {
	done chan<- error // buffered
	body json.RawMessage
}

func noProcess() error {
	return vyre.Errorf(vyre.CodeUnavailable, "the thread has no process to ask").
		WithHint("Resume the thread or send it a message first.")
}

// queried gives the agent's word to who asked for it.
func (r *run) queried(ev agent.Replied) {
	q, ok := r.queries[ev.ID]
	if !ok {
		return
	}
	delete(r.queries, ev.ID)
	if ev.Err != "" {
		q.done <- vyre.Errorf(vyre.CodeUnavailable, "the agent did not answer: %s", ev.Err)
		return
	}
	q.body = ev.Body
	q.done <- nil
}

// unanswered tells everybody who still waits that the session is gone.
func (r *run) unanswered() {
	for _, q := range r.queries {
		q.done <- noProcess()
	}
	r.queries = nil
}
