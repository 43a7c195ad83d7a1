package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// SetMode sets how much a thread's session may do unasked. It is the only way a
// mode is set, beside the approval of a plan. The caller must be a person: the
// registry sees to it.
func (e *Engine) SetMode(ctx context.Context, thread vyre.ThreadID, mode vyre.Mode, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		t := o.begin()
		t.durable()
		if o.book.thread.Mode == mode {
			return true, nil
		}
		o.book.thread.Mode, t.thread = mode, true
		t.event(vyre.ThreadMode{Mode: mode, By: by})
		if o.run != nil && o.run.ready {
			if err := t.say(agent.SetMode{Mode: mode}, "", ""); err != nil {
				t.rollback()
				return false, err
			}
		}
		return true, t.commit(r.ctx)
	})
}

// SetModel sets the thread's model; a live session takes it at its next step.
func (e *Engine) SetModel(ctx context.Context, thread vyre.ThreadID, model, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		t := o.begin()
		t.durable()
		o.book.thread.Model, t.thread = model, true
		t.event(vyre.ThreadModel{Model: model, By: by})
		if o.run != nil && o.run.ready {
			if err := t.say(agent.SetModel{Model: model}, "", ""); err != nil {
				t.rollback()
				return false, err
			}
		}
		return true, t.commit(r.ctx)
	})
}

// modeChanged compares what the agent says of its mode with what was set here.
// Stricter is taken as it is. Looser than what a person set is a breach: the tree
// is stopped and the person told.
func (o *owner) modeChanged(t *tx, ev agent.ModeChanged) {
	th := &o.book.thread
	switch {
	case ev.Mode == th.Mode && ev.Mode != "":
	case ev.Asked:
		// The reply to an older request of ours; the newer one follows.
	case ev.Mode == vyre.ModePlan:
		th.Mode, t.thread = ev.Mode, true
		t.event(vyre.ThreadMode{Mode: ev.Mode, By: "agent"})
	case th.Mode == vyre.ModeEdits && ev.Mode == vyre.ModeAsk:
		th.Mode, t.thread = ev.Mode, true
		t.event(vyre.ThreadMode{Mode: ev.Mode, By: "agent"})
	default:
		t.durable()
		o.run.breach = "the session's mode became " + or(string(ev.Mode), ev.Native) + " and nobody here set it"
		t.event(vyre.ThreadBreach{What: o.run.breach})
	}
}

// replied takes the agent's refusal of something we said.
func (o *owner) replied(_ *tx, ev agent.Replied) {
	if ev.Err != "" {
		o.log.Warn("the agent refused a request", "frame", int(ev.ID), "error", ev.Err)
	}
}
