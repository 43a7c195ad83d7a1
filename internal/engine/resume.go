package engine

import (
	"context"

	"vyre"
)

// Resume starts a process for a thread that has none and returns when its agent
// answered. With one it does nothing.
func (e *Engine) Resume(ctx context.Context, thread vyre.ThreadID) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.run != nil && o.run.ready {
			return true, nil
		}
		if o.starting != nil {
			return false, vyre.Errorf(vyre.CodeBusy, "the thread is being started").
				WithHint("Wait for its next thread.state event.")
		}
		if err := o.release(r.ctx); err != nil {
			return false, err
		}
		if o.run == nil {
			if err := o.takeRoom(r.ctx); err != nil {
				return false, err
			}
			defer o.giveRoom()
		}
		o.starts = 0
		o.starting = r
		if o.run == nil {
			o.resume(e.ctx)
		}
		return false, nil
	})
}

// resume brings the thread's process back. Its outcome is a state, and an answer
// to o.starting.
func (o *owner) resume(ctx context.Context) {
	if o.starting == nil && o.afterBreach(false) != nil {
		return // whatever brought us here: a person's message takes the breach off, a person's resume waits for us
	}
	if o.held() {
		return // a limit or the budget: what waits goes on by itself, or with the budget
	}
	o.starts++
	t := o.begin()
	if !t.move(vyre.MoveResume, "") {
		t.rollback()
		o.settleStart(vyre.Errorf(vyre.CodeInternal, "the thread can't be resumed in its state"))
		return
	}
	o.book.thread.Err = ""
	if err := t.commit(ctx); err != nil {
		o.settleStart(err)
		return
	}
	err := o.launch(ctx)
	if err == nil || ctx.Err() != nil {
		return
	}
	why := vyre.AsError(err)
	if why.Code == vyre.CodeBusy {
		o.starts-- // nothing was tried
		o.e.lineUp(o.id, o.lined)
	}
	t = o.record()
	o.book.thread.Err = why.Message
	t.move(vyre.MoveFailed, whatFailed(why))
	o.insist(ctx, t)
	o.settleStart(err)
	if why.Code == vyre.CodeBusy {
		o.e.callNext() // the place may have become free before we stood in the line
	}
}
