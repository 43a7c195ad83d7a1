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
		from := o.book.thread.Mode
		o.book.thread.Mode, t.thread = mode, true
		t.event(vyre.ThreadMode{Mode: mode, By: by})
		live := o.run != nil && o.run.ready
		if live {
			if err := t.say(agent.SetMode{Mode: mode}, "", ""); err != nil {
				t.rollback()
				return false, err
			}
		}
		frame := o.book.next - 1
		if err := t.commit(r.ctx); err != nil {
			return false, err
		}
		if live {
			o.run.moding = moding{frame, from}
		}
		return true, nil
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

// moding is a mode on its way to the agent: until the reply to its frame, reports
// of the mode before it are only late.
type moding struct {
	frame uint64 // 0: none is on its way
	from  vyre.Mode
}

// modeChanged compares what the agent says of its mode with what was set here.
// Stricter is taken as it is. Looser than what a person set is a breach: the tree
// is stopped and the person told. Reports that were written before the agent read
// our last word are neither.
func (o *owner) modeChanged(t *tx, ev agent.ModeChanged) {
	th := &o.book.thread
	switch {
	case ev.Mode == th.Mode && ev.Mode != "":
		o.run.moding = moding{}
	case ev.Asked:
		// The reply to an older request of ours; the newer one follows.
	case o.run.moding.frame != 0 && ev.Mode == o.run.moding.from:
	case o.run.unsure:
		// Read from before the restart; the reply to our hello says what holds.
	case ev.Mode == vyre.ModePlan, th.Mode == vyre.ModeEdits && ev.Mode == vyre.ModeAsk:
		th.Mode, t.thread = ev.Mode, true
		t.event(vyre.ThreadMode{Mode: ev.Mode, By: "agent"})
	default:
		t.durable()
		o.run.breach = "the session's mode became " + or(string(ev.Mode), ev.Native) + " and nobody here set it"
		t.event(vyre.ThreadBreach{What: o.run.breach})
	}
}

// replied takes the agent's word on something we said.
func (o *owner) replied(ev agent.Replied) {
	if ev.ID == o.run.moding.frame {
		o.run.moding = moding{}
	}
	if ev.Err != "" {
		o.log.Warn("the agent refused a request", "frame", int(ev.ID), "error", ev.Err)
	}
}
