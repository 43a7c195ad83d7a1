package engine

import (
	"context"
	"slices"

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
			o.run.moding.asked(frame, from, mode)
		}
		return true, nil
	})
}

// SetModel sets the thread's model; a live session takes it at its next step.
func (e *Engine) SetModel(ctx context.Context, thread vyre.ThreadID, model, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		t := o.begin()
		t.durable()
		if err := o.askedModel(model); err != nil {
			return false, err
		}
		model := o.e.named(o.book.thread.Provider, model)
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

// tighten lets an agent's message wake a session at the stricter mode of both, as
// part of a change. A session that runs keeps its mode: a person may look at it.
func (o *owner) tighten(t *tx, waker vyre.Mode, by string) {
	th := &o.book.thread
	if to := vyre.Stricter(th.Mode, waker); waker != "" && o.run == nil && to != th.Mode {
		th.Mode, t.thread = to, true
		t.event(vyre.ThreadMode{Mode: to, By: by})
	}
}

// moding is what was asked of the agent since its mode was last settled: until its
// own report agrees with the book and no request is on its way, a report of any of
// these modes is only late.
type moding struct {
	last  uint64 // the newest frame that asked for a mode; 0: its reply is here
	modes []vyre.Mode
}

func (m *moding) asked(frame uint64, from, to vyre.Mode) {
	m.last = frame
	m.modes = append(m.modes, from, to)
}

// agreed notes that the agent's report is what the book says.
func (m *moding) agreed() {
	if m.last == 0 {
		m.modes = nil
	}
}

// modeChanged compares what the agent says of its mode with what was set here.
// Stricter is taken as it is. Looser than what a person set is a breach: the tree
// is stopped and the person told. Reports that were written before the agent read
// our last word are neither.
func (o *owner) modeChanged(t *tx, ev agent.ModeChanged) {
	th := &o.book.thread
	switch {
	case ev.Mode == th.Mode && ev.Mode != "":
		o.run.moding.agreed()
	case ev.Asked:
		// The reply to an older request of ours; the newer one follows.
	case slices.Contains(o.run.moding.modes, ev.Mode):
	case o.run.unsure:
		// Read from before the restart; the reply to our hello says what holds.
	case ev.Mode == vyre.ModePlan, th.Mode == vyre.ModeEdits && ev.Mode == vyre.ModeAsk:
		th.Mode, t.thread = ev.Mode, true
		t.event(vyre.ThreadMode{Mode: ev.Mode, By: "agent"})
	default:
		o.breach(t, "the session's mode became "+or(string(ev.Mode), ev.Native)+" and nobody here set it")
	}
}

// replied takes the agent's word on something we said.
func (o *owner) replied(ev agent.Replied) {
	o.run.queried(ev)
	if ev.ID >= o.run.moding.last {
		o.run.moding.last = 0
	}
	if ev.Err != "" {
		o.log.Warn("the agent refused a request", "frame", int(ev.ID), "error", ev.Err)
	}
}
