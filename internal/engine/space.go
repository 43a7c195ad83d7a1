package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// While the disk is full nothing can be written down: a thread whose agent said
// something is parked. Its output is not read on, so the agent waits; nothing is
// acknowledged; and once there is room it goes on by itself. That it was parked
// stands in the log right before what could not be written then.

// The session's parent can meet the full disk first: then it is the one that does
// not read the agent on, and the owner hears of it by SessionFull.

// fullDisk is what an owner remembers while nothing can be written.
type fullDisk struct {
	told        bool // thread.parked is in the log, its end is not
	missed      bool // there was no room for it either
	held        bool // frames wait to be written: no later one may be said before them
	interrupted bool // an interrupt was said to the agent and is not booked
}

// WaitsForSpace reports whether a thread can't go on because the disk is full.
func (e *Engine) WaitsForSpace(id vyre.ThreadID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.full[id] || e.starved[id]
}

// SessionFull notes that a session's parent can't write down what its agent says, or
// can again. It may be called from any goroutine and does not wait.
func (e *Engine) SessionFull(id vyre.ThreadID, full bool) {
	e.mu.Lock()
	if full {
		e.starved[id] = true
	} else {
		delete(e.starved, id)
	}
	o := e.threads[id]
	e.mu.Unlock()
	if o != nil {
		select {
		case o.kick <- struct{}{}:
		default:
		}
	}
}

// tellSpace writes down that the session's parent is parked, or goes on. Where there
// is no room for that either, both are told once there is.
func (o *owner) tellSpace() {
	o.e.mu.Lock()
	starved := o.e.starved[o.id]
	o.e.mu.Unlock()
	if starved == (o.full.told || o.full.missed) || !o.book.stored {
		return
	}
	t := o.begin()
	if starved || o.full.missed {
		t.event(vyre.ThreadParked{Why: vyre.ParkedSpace})
	}
	if !starved {
		t.event(vyre.ThreadParked{})
	}
	err := t.commit(o.e.ctx)
	switch {
	case starved:
		o.full.told, o.full.missed = err == nil, err != nil
	case err == nil:
		o.full.told, o.full.missed = false, false
	}
}

// WaitingForSpace is how many threads can't go on because the disk is full.
func (e *Engine) WaitingForSpace() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.full)
	for id := range e.starved {
		if !e.full[id] {
			n++
		}
	}
	return n
}

// holdFrames notes what a change holds that is being written with insist; the function it
// returns is called when that is over.
func (o *owner) holdFrames(t *tx) (over func()) {
	before := o.full.held
	o.full.held = before || len(t.frames) > 0
	return func() {
		o.full.held = before
		o.roomAgain()
	}
}

// noRoom notes that a change found no room. The change will tell of it.
func (o *owner) noRoom(t *tx, err error) {
	if vyre.CodeOf(err) != vyre.CodeNoSpace {
		return
	}
	o.e.mu.Lock()
	parked := o.e.full[o.id]
	o.e.full[o.id] = true
	o.e.mu.Unlock()
	if parked || !o.book.stored {
		return
	}
	turn := o.turnID()
	t.c.Events = append([]vyre.Event{
		vyre.NewEvent(o.id, turn, vyre.ThreadParked{Why: vyre.ParkedSpace}),
		vyre.NewEvent(o.id, turn, vyre.ThreadParked{}),
	}, t.c.Events...)
}

// roomAgain goes on: an interrupt that was only said is written down now, and the
// agent's time to follow it begins.
func (o *owner) roomAgain() {
	o.e.mu.Lock()
	parked := o.e.full[o.id]
	delete(o.e.full, o.id)
	o.e.mu.Unlock()
	if !parked || !o.full.interrupted || o.e.ctx.Err() != nil {
		return
	}
	o.full.interrupted = false
	if o.run == nil || o.book.turn == nil {
		return
	}
	t := o.record()
	t.durable()
	o.withdrawOpen(t, "the turn was interrupted")
	o.insist(o.e.ctx, t)
	o.run.setAlarm(o.e.cfg.Interrupt)
}

// refusal answers a request while nothing can be written. An interrupt is done all
// the same: it is said to the agent, which needs no room, and booked later.
func (o *owner) refusal(ctx context.Context, r *request, err error) error {
	if !r.interrupt || vyre.CodeOf(err) != vyre.CodeNoSpace || o.run == nil || !o.run.ready || o.book.turn == nil {
		return err
	}
	said := vyre.Errorf(vyre.CodeNoSpace, "the agent was told to end its turn, which can't be written down while the disk is full").
		WithHint("Make room on the disk; the turn's end is told then.").Because(err)
	if o.full.interrupted {
		return said
	}
	if !o.sayInterrupt() {
		// The shim takes frames in order, and one before it is not on disk yet.
		if sigErr := o.run.proc.Signal(ctx, "INT"); sigErr != nil {
			o.log.Warn("the signal could not be sent", "error", sigErr)
			return err
		}
	}
	o.full.interrupted, o.run.ladder, o.run.cut = true, max(o.run.ladder, 1), o.book.turn.ID
	return said
}

// sayInterrupt hands the frame to the courier without the disk. Lost with the
// daemon it is merely not said.
func (o *owner) sayInterrupt() bool {
	if o.full.held {
		return false
	}
	t := o.begin()
	if err := t.say(agent.Interrupt{}, "", ""); err != nil {
		t.rollback()
		return false
	}
	o.run.courier.push(t.frames)
	return true
}
