package engine

import (
	"context"
	"time"

	"vyre"
	"vyre/agent"
)

// DetailForeign marks the error (code conflict) of a process whose parent speaks no
// protocol version that this build knows: an earlier or later vyre started it.
// Nothing can be said to it; it works on and is left alone.
const DetailForeign = "foreign_session"

func isForeign(err error) bool {
	return err != nil && vyre.AsError(err).Details[DetailForeign] != nil
}

// markForeign says on the thread, once, that its session can't be talked to. Its
// messages and answers are refused meanwhile, so nothing is lost in between.
func (o *owner) markForeign(ctx context.Context, err error) {
	why := vyre.AsError(err)
	if !o.book.stored || o.book.thread.Err == why.Message {
		return
	}
	o.log.Warn("a session was started by a vyre that this one can't talk to; it is left alone", "error", err)
	t := o.record()
	t.durable()
	o.book.thread.Err, t.thread = why.Message, true
	o.item(t, agent.Item{
		Key: "foreign:" + string(o.id) + ":" + string(o.book.mark.Session), Kind: vyre.ItemNotice,
		Status: vyre.ItemCompleted, Title: "The session can't be reached", Text: why.Message + ". " + why.Hint,
	})
	o.insist(ctx, t)
}

// loaded does what a load that went through sets free.
func (o *owner) loaded(ctx context.Context) {
	o.unmarkForeign(ctx)
	if r := o.retry.late; r != nil {
		o.retry.late = nil
		o.serve(r)
	}
}

// unmarkForeign takes the mark off once the session is in hand.
func (o *owner) unmarkForeign(ctx context.Context) {
	if o.run == nil || o.book.thread.Err == "" || o.book.thread.State == vyre.StateFailed {
		return
	}
	t := o.record()
	o.book.thread.Err, t.thread = "", true
	o.insist(ctx, t)
}

// refuseLoad answers requests with the error of a load that failed, for a while. A
// stop of a session that nobody can talk to is done by force; it is served when the
// load, which then finds the session dead, went through.
func (o *owner) refuseLoad(ctx context.Context, err error) {
	if isForeign(err) {
		o.markForeign(ctx, err)
	}
	if o.retry.late != nil {
		o.retry.late.done <- err
		o.retry.late = nil
	}
	t := time.NewTimer(loadRetry)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			return
		case r := <-o.inbox:
			if isForeign(err) && r.stopBy != "" {
				if err := o.force(ctx); err == nil {
					o.retry.late = r
					return
				}
			}
			r.done <- err
		case <-ctx.Done():
			return
		}
	}
}

// force ends the thread's recorded session without its help.
func (o *owner) force(ctx context.Context) error {
	s := o.e.openSession(o.id)
	if s == nil {
		return nil
	}
	_, proc, err := o.e.find(ctx, *s)
	if err != nil {
		return err
	}
	defer proc.Detach()
	return proc.Stop(ctx)
}
