package engine

import (
	"context"
	"slices"

	"vyre"
	"vyre/agent"
)

// turnWait is an interrupt that waits for its turn's end.
type turnWait struct {
	turn vyre.TurnID
	req  *request
}

// openTurn begins a turn; the thread is idle.
func (o *owner) openTurn(t *tx, id vyre.TurnID, origin vyre.Origin, messages []vyre.MessageID) {
	u := vyre.Turn{
		ID: id, Thread: o.id, Status: vyre.TurnStarted, Origin: origin,
		Messages: messages, Started: o.e.now(),
	}
	o.book.turn, o.book.taken, o.book.newest = &u, false, id
	t.move(vyre.MoveTurnStarted, "")
	t.putTurn(u)
	t.thread = true
	t.event(vyre.ThreadTurn{Status: u.Status, Origin: origin, Messages: orEmpty(messages)})
}

// agentTurn begins a turn that nobody sent, if none runs.
func (o *owner) agentTurn(t *tx) {
	if o.book.turn != nil {
		return
	}
	o.book.thread.Turns++
	o.openTurn(t, vyre.MakeTurnID(o.id, o.book.thread.Turns), vyre.OriginAgent, nil)
	o.book.taken = true
}

// closeTurn ends the turn that runs: its asks are withdrawn, what the agent left
// open is closed, its messages are settled as state, and it is told once.
func (o *owner) closeTurn(t *tx, status vyre.TurnStatus, why string, settle vyre.MessageState) {
	u := *o.book.turn
	o.withdrawAll(t, "the turn ended")
	o.closeItems(t, u.ID, itemEnd(status))
	for _, m := range slices.Clone(o.book.sent) {
		if slices.Contains(u.Messages, m.ID) { // what is in flight still is
			m.State = settle
			t.putMessage(m)
		}
	}
	u.Status, u.Error, u.Ended, u.Model = status, why, o.e.now(), o.book.thread.Model
	t.putTurn(u)
	if u.Usage != nil {
		t.event(vyre.ThreadUsage{Usage: *u.Usage})
	}
	t.event(vyre.ThreadTurn{Status: status, Origin: u.Origin, Messages: orEmpty(u.Messages), Error: why})
	t.event(vyre.ThreadFinished{Turn: u.ID, Status: status})
	t.move(vyre.MoveTurnEnded, "")
	o.book.turn, o.book.taken = nil, false
}

// itemEnd is what becomes of an item that the agent never closed.
func itemEnd(s vyre.TurnStatus) vyre.ItemStatus {
	switch s {
	case vyre.TurnCompleted:
		return vyre.ItemCompleted
	case vyre.TurnFailed:
		return vyre.ItemFailed
	case vyre.TurnStarted, vyre.TurnCanceled:
	}
	return vyre.ItemCanceled
}

// turnEnded applies the agent's word that a turn is over. Results are bound by
// message id, never by count: one for a message that is not this turn's is
// stale, and one without ids is this turn's only if the agent has its message.
// Messages that the agent put together share one result.
func (o *owner) turnEnded(t *tx, ev agent.TurnEnded) {
	o.spend(t, ev.Usage)
	if o.book.turn == nil {
		return
	}
	if len(ev.Messages) > 0 && !o.ours(ev.Messages) && o.book.turn.Origin == vyre.OriginPerson {
		return
	}
	if len(ev.Messages) == 0 && !o.book.taken {
		return
	}
	if len(ev.Messages) > 0 {
		o.took(t, ev.Messages)
		o.leaveOut()
	}
	status, cutting := ev.Status, o.cutting()
	if cutting && status == vyre.TurnFailed {
		status = vyre.TurnCanceled // the end that an interrupt asked for
	}
	why := ev.Error
	if ev.NoAuth {
		why += " (sign the agent in, or put its key into the vault)"
	}
	if ev.Limit && status == vyre.TurnFailed {
		why = o.atLimit(t, why)
	}
	o.closeTurn(t, status, why, vyre.MessageDone)
	o.starts = 0
	if !cutting { // else the agent gives back what waits behind it, or says that it runs it
		o.carry(t)
	}
}

// leaveOut takes those messages out of a turn that ends which the agent neither
// took nor named in the result: they are on their way to it still.
func (o *owner) leaveOut() {
	u := o.book.turn
	for _, m := range o.book.sent {
		if m.State == vyre.MessageSent {
			u.Messages = slices.DeleteFunc(slices.Clone(u.Messages), func(id vyre.MessageID) bool { return id == m.ID })
		}
	}
}

// ours reports whether one of the wire ids is a message of the running turn, or
// one that was steered into it.
func (o *owner) ours(wire []vyre.MessageID) bool {
	return slices.ContainsFunc(o.book.sent, func(m vyre.Message) bool {
		return (o.inTurn(m.ID) || m.State == vyre.MessageSent) && slices.Contains(wire, agent.WireID(m.SentAs()))
	})
}

// took notes that the agent has messages: those of the turn that runs, and those
// that join it.
func (o *owner) took(t *tx, wire []vyre.MessageID) {
	for _, m := range slices.Clone(o.book.sent) {
		if m.State != vyre.MessageSent || !slices.Contains(wire, agent.WireID(m.SentAs())) {
			continue
		}
		if o.book.turn == nil {
			o.carryOne(t, m)
			m.Turn = o.turnID()
		}
		if o.book.turn != nil && !o.inTurn(m.ID) {
			o.join(t, m)
			continue
		}
		m.State = vyre.MessageTaken
		t.putMessage(m)
	}
	if o.book.turn != nil && o.ours(wire) {
		o.book.taken = true
	}
}

// turnOver does what a turn's end sets free: whoever waits for it, and the queue.
func (o *owner) turnOver(ctx context.Context) {
	running := vyre.TurnID("")
	if o.book.turn != nil {
		running = o.book.turn.ID
	}
	if o.run != nil && o.run.ladder > 0 && o.run.cut != running {
		o.run.ladder, o.run.cut, o.run.recall = 0, "", nil
		o.run.clearAlarm()
	}
	o.waiters = slices.DeleteFunc(o.waiters, func(w *turnWait) bool {
		if w.turn == running {
			return false
		}
		w.req.done <- nil
		return true
	})
	if running == "" && len(o.inFlight()) > 0 {
		t := o.record()
		o.carry(t)
		o.insist(ctx, t)
	}
	o.next(ctx)
}

func orEmpty(ids []vyre.MessageID) []vyre.MessageID {
	if ids == nil {
		return []vyre.MessageID{}
	}
	return ids
}
