package engine

import (
	"context"
	"slices"

	"vyre"
)

// TakeSlot takes a teammate's slot for a thread. With wait it returns when the slot
// is held; a caller that stops waiting leaves the line. Without, it is refused at
// once. Errors: not_found; conflict for a thread without a session, as a slot is
// given back with it; busy with the position where there is no room.
func (e *Engine) TakeSlot(ctx context.Context, thread vyre.ThreadID, wait bool) (vyre.Slot, error) {
	var got vyre.Slot
	id := vyre.NewID()
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.run == nil || o.run.stopping != "" {
			return false, vyre.Errorf(vyre.CodeConflict, "the thread has no session").
				WithHint("A slot lasts as long as the session that took it: send a message first.")
		}
		var changes []vyre.Slot
		got, changes = e.slots.ask(vyre.Slot{
			ID: id, Kind: vyre.SlotTeammate, Project: o.book.thread.Project, Thread: o.id, Since: e.now(),
		}, wait)
		if got.State != vyre.SlotHeld && !wait {
			held, limit := e.heldOf(got.Kind)
			return false, vyre.Errorf(vyre.CodeBusy, "no place is free; this one would stand at %d in the line", got.Position).
				WithHint("Wait for a place (wait: true), or release one.").
				WithDetail("position", got.Position).WithDetail("held", held).WithDetail("limit", limit)
		}
		t := o.begin()
		o.tellSlots(t, changes)
		if err := t.commit(r.ctx); err != nil {
			e.slots.release(func(s vyre.Slot) bool { return s.ID == got.ID })
			return false, err
		}
		return true, nil
	})
	if err != nil {
		if ctx.Err() != nil {
			e.forgo(ctx, thread, id) // it may have been given to a caller that had left
		}
		return vyre.Slot{}, err
	}
	return e.awaitSlot(ctx, got)
}

// forgo gives back what a caller that left asked for, if it was entered at all. It
// stands behind the asking in the owner's line. What stays all the same is given back
// with the session.
func (e *Engine) forgo(ctx context.Context, thread vyre.ThreadID, id string) {
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), acceptedWait)
	defer cancel()
	_ = e.do(clean, thread, func(o *owner, _ *request) (bool, error) {
		t := o.record()
		o.tellSlots(t, e.slots.release(func(s vyre.Slot) bool { return s.ID == id }))
		o.insist(e.ctx, t)
		return true, nil
	})
}

func (e *Engine) heldOf(k vyre.SlotKind) (held, limit int) {
	e.slots.mu.Lock()
	defer e.slots.mu.Unlock()
	return e.slots.ledger.Held(k)
}

// awaitSlot waits until a slot is held.
func (e *Engine) awaitSlot(ctx context.Context, got vyre.Slot) (vyre.Slot, error) {
	for {
		all, moved := e.slots.list()
		i := slices.IndexFunc(all, func(s vyre.Slot) bool { return s.ID == got.ID })
		switch {
		case i < 0:
			return vyre.Slot{}, vyre.Errorf(vyre.CodeConflict, "the place was given back while it was waited for")
		case all[i].State == vyre.SlotHeld:
			return all[i], nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			e.forgo(ctx, got.Thread, got.ID)
			return vyre.Slot{}, timedOut(ctx)
		case <-e.ctx.Done():
			return vyre.Slot{}, shuttingDown()
		}
	}
}

// ReleaseSlot gives a slot back, or leaves the line. of is the thread that may only
// release its own; empty for a person. A subagent's slot is the engine's own to
// give back. Errors: not_found; denied.
func (e *Engine) ReleaseSlot(ctx context.Context, id string, of vyre.ThreadID) (vyre.Slot, error) {
	all, _ := e.slots.list()
	i := slices.IndexFunc(all, func(s vyre.Slot) bool { return s.ID == id })
	if i < 0 || of != "" && all[i].Thread != of {
		return vyre.Slot{}, vyre.NotFound("slot", id)
	}
	if all[i].Kind == vyre.SlotSubagent {
		return vyre.Slot{}, vyre.Errorf(vyre.CodeDenied, "a subagent's place is given back when it ends").
			WithHint("Interrupt the turn, or stop the task.")
	}
	out := all[i]
	err := e.do(ctx, out.Thread, func(o *owner, _ *request) (bool, error) {
		changes := e.slots.release(func(s vyre.Slot) bool { return s.ID == id })
		t := o.record()
		o.tellSlots(t, changes)
		o.insist(e.ctx, t) // the ledger has it already, whether or not its caller waits
		return true, nil
	})
	out.State, out.Position = vyre.SlotReleased, 0
	return out, err
}
