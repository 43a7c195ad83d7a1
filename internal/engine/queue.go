package engine

import (
	"context"
	"slices"

	"vyre"
)

// EditQueued gives a queued message other words. Errors: not_found; conflict when
// it does not wait any more; denied when it is not the caller's.
func (e *Engine) EditQueued(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, text string, by vyre.Caller) (vyre.Message, error) {
	var out vyre.Message
	err := e.change(ctx, thread, id, by, func(t *tx, m vyre.Message) error {
		if m.Text == text {
			out = m
			return nil
		}
		m.Text = text
		t.putMessage(m)
		t.event(vyre.ThreadEdited{Message: m.ID, Text: shown(text), By: by.String()})
		out = m
		return nil
	})
	if err != nil {
		return vyre.Message{}, err // out is the owner's until it said that all is well
	}
	return out, nil
}

// Unqueue takes a queued message back: it is not sent, and its key stays used.
// Errors are those of EditQueued; taking it back again is none.
func (e *Engine) Unqueue(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, by vyre.Caller) (vyre.Message, error) {
	var out vyre.Message
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if m, found, err := o.e.cfg.Store.Message(r.ctx, o.id, id); err != nil || found && m.State == vyre.MessageRemoved && mayTouch(m, by) {
			out = m
			return true, err
		}
		m, err := o.waiting(r.ctx, id, by)
		if err != nil {
			return false, err
		}
		t := o.begin()
		t.durable()
		m.State, m.Turn = vyre.MessageRemoved, ""
		t.putMessage(m)
		t.event(vyre.ThreadUnqueued{Message: m.ID, By: by.String()})
		out = m
		return true, t.commit(r.ctx)
	})
	if err != nil {
		return vyre.Message{}, err
	}
	return out, nil
}

// MoveQueued puts a queued message before another one, or last. Errors are those
// of EditQueued, for either message.
func (e *Engine) MoveQueued(ctx context.Context, thread vyre.ThreadID, id, before vyre.MessageID, by vyre.Caller) (vyre.Message, error) {
	var out vyre.Message
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		m, err := o.waiting(r.ctx, id, by)
		if err != nil {
			return false, err
		}
		if before == id {
			return false, vyre.Invalid("before", "a message can't go before itself")
		}
		if before != "" {
			if _, err := o.waiting(r.ctx, before, by); err != nil {
				return false, err
			}
		}
		t := o.begin()
		t.durable()
		o.move(t, m, before, by.String())
		out = m
		return true, t.commit(r.ctx)
	})
	if err != nil {
		return vyre.Message{}, err
	}
	return out, nil
}

// SendNow makes a queued message the next thing the agent reads: it joins the turn
// that runs; where it can't, it goes before all others in the queue, and without a
// process one is started. Errors are those of EditQueued, and of a start's room.
func (e *Engine) SendNow(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, by vyre.Caller) (Sent, error) {
	var out Sent
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		m, err := o.waiting(r.ctx, id, by)
		if err != nil {
			return false, err
		}
		if err := o.afterBreach(by.IsPerson()); err != nil {
			return false, err
		}
		if o.run == nil {
			if err := o.takeRoom(r.ctx); err != nil {
				return false, err
			}
		}
		t := o.begin()
		t.durable()
		o.wanted(t)
		out = Sent{Message: m.ID, Via: vyre.ViaQueue}
		if o.run == nil {
			out.Via = vyre.ViaResume
		}
		if o.canSteer() {
			m = o.steer(t, m)
			if m.State == vyre.MessageSent {
				out.Via, out.Turn = vyre.ViaSteer, m.Turn
			}
		}
		if m.State == vyre.MessageQueued && o.book.queue[0].ID != m.ID {
			o.move(t, m, o.book.queue[0].ID, by.String())
		}
		if err := t.commit(r.ctx); err != nil {
			o.giveRoom()
			return false, err
		}
		r.done <- nil
		if o.run != nil && o.run.stopping != "" {
			o.run.again = true
		}
		o.wake(e.ctx)
		return false, nil
	})
	if err != nil {
		return Sent{}, err
	}
	return out, nil
}

// change alters one queued message.
func (e *Engine) change(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID, by vyre.Caller, f func(t *tx, m vyre.Message) error) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		m, err := o.waiting(r.ctx, id, by)
		if err != nil {
			return false, err
		}
		t := o.begin()
		t.durable()
		if err := f(t, m); err != nil {
			t.rollback()
			return false, err
		}
		return true, t.commit(r.ctx)
	})
}

// waiting finds a queued message that the caller may change.
func (o *owner) waiting(ctx context.Context, id vyre.MessageID, by vyre.Caller) (vyre.Message, error) {
	i := slices.IndexFunc(o.book.queue, func(m vyre.Message) bool { return m.ID == id })
	if i >= 0 {
		m := o.book.queue[i]
		if !mayTouch(m, by) {
			return m, notYours(m)
		}
		return m, nil
	}
	m, found, err := o.e.cfg.Store.Message(ctx, o.id, id)
	switch {
	case err != nil:
		return m, err
	case !found:
		return m, vyre.NotFound("message", string(id))
	case !mayTouch(m, by):
		return m, notYours(m)
	case m.State == vyre.MessageRemoved:
		return m, vyre.Errorf(vyre.CodeConflict, "the message was taken back").
			WithHint("Send it again under a new key.").WithDetail("message", id).WithDetail("state", m.State)
	}
	return m, vyre.Errorf(vyre.CodeConflict, "the message does not wait any more: the agent has it").
		WithHint("Editing what the agent has is a rewind to it: threads.rewind.").
		WithDetail("message", id).WithDetail("state", m.State).WithDetail("turn", m.Turn)
}

// mayTouch: a person may change whatever waits, anybody else what is their own.
func mayTouch(m vyre.Message, by vyre.Caller) bool { return by.IsPerson() || m.By == by.String() }

func notYours(m vyre.Message) error {
	return vyre.Errorf(vyre.CodeDenied, "the message is not the caller's own").
		WithHint("A thread may edit or take back what it sent itself; a person may with every message.").
		WithDetail("message", m.ID)
}

// move puts a queued message before another, or last.
func (o *owner) move(t *tx, m vyre.Message, before vyre.MessageID, by string) {
	q := slices.DeleteFunc(slices.Clone(o.book.queue), func(x vyre.Message) bool { return x.ID == m.ID })
	i := slices.IndexFunc(q, func(x vyre.Message) bool { return x.ID == before })
	if i < 0 {
		i = len(q)
	}
	o.arrange(t, slices.Insert(q, i, m))
	t.event(vyre.ThreadMoved{Message: m.ID, Before: before, By: by})
}

// requeue puts messages that the agent did not run back into the queue: before
// what was to wait for the turn's end, and among themselves as they were sent.
func (o *owner) requeue(t *tx, back []vyre.Message) {
	for _, m := range back {
		o.book.sent = slices.DeleteFunc(o.book.sent, func(x vyre.Message) bool { return x.ID == m.ID })
		m.State, m.Turn = vyre.MessageQueued, ""
		i := 0
		for i < len(o.book.queue) && o.run.returned[o.book.queue[i].ID] && o.book.queue[i].Created <= m.Created {
			i++
		}
		if o.run.returned == nil {
			o.run.returned = map[vyre.MessageID]bool{}
		}
		o.run.returned[m.ID] = true
		o.arrange(t, slices.Insert(slices.Clone(o.book.queue), i, m))
		t.durable()
		t.event(queued(m))
	}
}

// arrange makes q the queue and numbers it anew where that is needed.
func (o *owner) arrange(t *tx, q []vyre.Message) {
	last := int64(0)
	for i := range q {
		known := slices.ContainsFunc(o.book.queue, func(x vyre.Message) bool { return x.ID == q[i].ID && x.Order == q[i].Order })
		if q[i].Order <= last || !known {
			q[i].Order = last + 1
			known = false
		}
		last = q[i].Order
		if !known {
			t.c.Messages = put(t.c.Messages, q[i], func(x vyre.Message) vyre.MessageID { return x.ID })
		}
	}
	o.book.queue = q
}
