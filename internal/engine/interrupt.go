package engine

import (
	"context"
	"time"

	"vyre"
	"vyre/agent"
)

// Interrupt ends the turn that runs and returns when it has ended, with the
// turn's id; "" if none ran. Its open asks are withdrawn first, in the same
// commit that writes the interrupt down, so an answer comes before it or is
// refused. It never reaches the next turn: requests to a thread are handled one
// at a time, and the next message is handed over only after this turn's end.
// Nothing that was typed is lost by it: what was steered and not taken waits in the
// queue again, before the rest, and the queue goes on once the turn has ended.
func (e *Engine) Interrupt(ctx context.Context, thread vyre.ThreadID) (vyre.TurnID, error) {
	var turn vyre.TurnID
	err := e.request(ctx, thread, &request{ctx: ctx, interrupt: true, done: make(chan error, 1), fn: func(o *owner, r *request) (bool, error) {
		if o.book.turn == nil {
			return true, nil
		}
		turn = o.book.turn.ID
		if o.run == nil {
			return true, nil // it is being cleared away already
		}
		if o.run.ladder == 0 {
			if err := o.interrupt(r.ctx); err != nil {
				return false, err
			}
		}
		o.waiters = append(o.waiters, &turnWait{turn, r})
		return false, nil
	}})
	if err != nil {
		return "", err // turn is the owner's until it said that all is well
	}
	return turn, nil
}

// stuckWait is how long an agent that takes no more input may take to exit, as it
// does when it is dying anyway.
const stuckWait = time.Second

// interrupt cuts the turn that runs. Messages on their way to the agent are called
// back first: one of them could begin a turn of its own just before the interrupt
// arrives, and be hit by it.
func (o *owner) interrupt(ctx context.Context) error {
	t := o.begin()
	t.durable()
	o.withdrawOpen(t, "the turn was interrupted")
	recall := o.callBack(t)
	if len(recall) == 0 {
		if err := t.say(agent.Interrupt{}, "", ""); err != nil {
			t.rollback()
			return err
		}
	}
	if err := t.commit(ctx); err != nil {
		return err
	}
	o.cutTurn()
	o.run.recall = recall
	return nil
}

// callBack asks the agent for what is on its way, and returns the frames that it
// has to answer: nil if nothing is, or the agent has no such thing.
func (o *owner) callBack(t *tx) map[uint64]bool {
	var recall map[uint64]bool
	for _, m := range o.inFlight() {
		frame := o.book.next
		if t.say(agent.Cancel{ID: m.SentAs()}, "", "") != nil {
			break
		}
		if recall == nil {
			recall = map[uint64]bool{}
		}
		recall[frame] = true
	}
	return recall
}

// recalled takes the agent's word on a message that was called back. What became
// of the message was told before it.
func (o *owner) recalled(ev agent.Replied) { delete(o.run.recall, ev.ID) }

// strike sends the interrupt itself, once the agent holds nothing more that it
// could hit instead. A turn that has ended by then needs none.
func (o *owner) strike(ctx context.Context) {
	if !o.cutting() || o.run.recall == nil || len(o.run.recall) > 0 {
		return
	}
	o.run.recall = nil
	t := o.record()
	t.durable()
	if err := t.say(agent.Interrupt{}, "", ""); err != nil {
		o.log.Error("the interrupt could not be written in the agent's words", "error", err)
		return // the ladder goes on
	}
	o.insist(ctx, t)
}

// cutTurn starts the ladder for the turn that runs, and for no other.
func (o *owner) cutTurn() {
	o.run.ladder, o.run.cut = 1, o.book.turn.ID
	o.run.setAlarm(o.e.cfg.Interrupt)
}

// cutting reports whether the turn that runs is being interrupted.
func (o *owner) cutting() bool {
	return o.run != nil && o.run.ladder > 0 && o.book.turn != nil && o.run.cut == o.book.turn.ID
}

// rang is the alarm: a handshake or a step of the interrupt ladder took too long.
func (o *owner) rang(ctx context.Context) {
	r := o.run
	r.clearAlarm()
	switch {
	case r.ending != nil:
		_ = o.end(ctx, *r.ending) // it sets the alarm again
	case r.stuck:
		if o.halt(ctx, vyre.StopCrash, "an input could not be delivered", "") == nil {
			o.revive(ctx) // a new process is the way on
		}
	case !r.ready:
		o.startFailed(ctx, notUp(o.book.thread.Provider, nil))
	case o.book.turn == nil:
	case r.ladder == 1 && len(r.recall) > 0:
		o.log.Warn("the agent does not say what it holds; interrupting it")
		clear(r.recall)
		o.strike(ctx)
		r.setAlarm(o.e.cfg.Interrupt)
	case r.ladder == 1:
		o.log.Warn("the agent did not end its turn; sending it a signal")
		r.ladder = 2
		if err := r.proc.Signal(ctx, "INT"); err != nil {
			o.log.Warn("the signal could not be sent", "error", err)
		}
		r.setAlarm(o.e.cfg.Interrupt)
	case r.ladder >= 2:
		o.log.Warn("the agent did not end its turn; ending its process")
		r.again = true                                                                      // what was typed meanwhile goes on in a new process
		_ = o.halt(ctx, vyre.StopPerson, "the turn could not be interrupted otherwise", "") // tried again by itself
	}
}
