package engine

import (
	"context"
	"fmt"
	"time"

	"vyre"
	"vyre/agent"
)

// retrying is what an owner will try again, or did before it could be asked.
type retrying struct {
	nap  *time.Timer // runs before a dying agent is started again, or nil
	late *request    // a stop that was done before the thread could be loaded, or nil
}

// maxStarts bounds how often a thread is brought back by itself: an agent that
// ends at once every time is not restarted for ever.
const maxStarts = 3

// reviveFactor is by how much each pause is longer than the one before.
const reviveFactor = 4

// revive brings a thread back whose agent died with work left to do: at once, then
// after pauses that grow, within bounds. Over them the thread is parked: it keeps its
// queue, says why, and waits for a person.
func (o *owner) revive(ctx context.Context) {
	if ctx.Err() != nil || o.run != nil || len(o.book.queue) == 0 {
		return
	}
	switch {
	case o.starts >= maxStarts:
		o.giveUp(ctx)
	case o.starts == 0:
		o.resume(ctx)
	default:
		d := o.e.cfg.Revive
		for range o.starts - 1 {
			d *= reviveFactor
		}
		o.log.Info("the agent ended again with work left to do; it is started again after a pause", "pause", d)
		o.retry.nap = time.NewTimer(d)
	}
}

// giveUp says on the thread that it is not brought back by itself any more.
func (o *owner) giveUp(ctx context.Context) {
	why := fmt.Sprintf("the agent ended %d times in a row with work left to do, so it is not started again by itself", maxStarts+1)
	o.log.Warn("the agent ended several times in a row; waiting for a person", "queued", len(o.book.queue))
	t := o.record()
	t.durable()
	o.book.thread.Err, t.thread = why, true
	o.item(t, agent.Item{
		Key: "parked:" + vyre.NewID(), Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Title: "The agent keeps ending",
		Text: why + ". What waits is kept: send a message or resume the thread to try again.",
	})
	o.insist(ctx, t)
}

// napping fires when the pause before the next try is over.
func (o *owner) napping() <-chan time.Time {
	if o.retry.nap == nil {
		return nil
	}
	return o.retry.nap.C
}

// awake ends the pause: somebody brings the thread back, or stops it.
func (o *owner) awake() {
	if o.retry.nap != nil {
		o.retry.nap.Stop()
		o.retry.nap = nil
	}
}

// slept is the end of a pause.
func (o *owner) slept(ctx context.Context) {
	o.retry.nap = nil
	if o.run == nil && len(o.book.queue) > 0 && o.starting == nil {
		o.resume(ctx)
	}
}
