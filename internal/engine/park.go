package engine

import (
	"context"
	"time"

	"vyre"
)

// due is when the owner looks again: a limit resets. It is kept by what it waits
// for, so that it is set once.
type due struct {
	timer  *time.Timer
	until  vyre.Time
	onward bool // for the end of a process, to go on with the next
}

// longestSleep bounds a timer: it stands still while the machine sleeps, and the
// clock may be set.
const longestSleep = time.Minute

// held reports whether nothing of the queue may be said now.
func (o *owner) held() bool {
	return o.book.thread.Parked == vyre.ParkedLimit || o.overBudget() || o.run != nil && o.run.stale != ""
}

// keep does what limits and budgets demand of a session that has no turn, and
// keeps the clock of what is waited for. It looks at the book alone, so a later
// daemon does the same. Called before the owner waits.
func (o *owner) keep(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	if o.run != nil && o.run.ready && o.run.stopping == "" && o.book.turn == nil {
		if reason, why := o.demanded(); reason != "" {
			o.due.onward = true
			_ = o.halt(ctx, reason, why, "") // tried again by itself
		}
	}
	if o.due.onward && o.run == nil {
		o.due.onward = false
		o.goOn(ctx)
	}
	o.arm()
}

// demanded says why the session has to end, or "".
func (o *owner) demanded() (vyre.StopReason, string) {
	th := &o.book.thread
	switch {
	case o.overBudget():
		return vyre.StopBudget, "its budget is used up"
	case th.Parked == vyre.ParkedLimit:
		return vyre.StopLimit, "the provider's limit is reached"
	case o.run.stale != "":
		return vyre.StopReason(or(string(o.run.staleFor), string(vyre.StopLimit))), o.run.stale
	case o.jobDone():
		return vyre.StopIdle, "a job is one turn"
	case o.run.refolder != "" && o.rest():
		return vyre.StopIdle, o.run.refolder
	case o.run.rebudget && o.rest():
		return vyre.StopIdle, "its budget changed"
	}
	return "", ""
}

// goOn resumes a thread that has work and no process, when there is a place for
// one. What resumes by itself is never failed for want of a place, or of room on the
// disk: it stays in the line.
func (o *owner) goOn(ctx context.Context) {
	if o.run != nil || len(o.book.queue) == 0 || o.held() || o.forPerson() || o.starting != nil || ctx.Err() != nil {
		if o.lined {
			o.e.callNext() // it needs no place any more: the call is for the one behind it
		}
		return
	}
	if err := o.takeRoom(ctx); err != nil {
		o.e.lineUp(o.id, o.lined)
		if vyre.CodeOf(err) == vyre.CodeBusy {
			o.e.callNext() // a place may have become free before we stood in the line
		}
		return
	}
	o.starts = 0
	o.resume(ctx)
	o.giveRoom()
}

// forPerson reports whether a person alone brings the thread back: no reset of a limit
// and no free place undoes their stop, or one for a breach.
func (o *owner) forPerson() bool {
	th := &o.book.thread
	return th.State == vyre.StateStopped && (th.Reason == vyre.StopPerson || th.Reason == vyre.StopBreach)
}

// waits reports whether the owner has to stay although it has no process.
func (o *owner) waits() bool { return o.book.thread.Parked == vyre.ParkedLimit }

// arm sets the clock of what is waited for.
func (o *owner) arm() {
	th := &o.book.thread
	limited := th.Parked == vyre.ParkedLimit || th.Fallback != "" && o.run != nil
	if !limited {
		o.disarm()
		return
	}
	until := th.ParkedUntil
	wait := min(time.Duration(until-o.e.now())*time.Millisecond, longestSleep)
	if o.due.timer != nil && o.due.until == until {
		return
	}
	o.disarm()
	o.due.timer, o.due.until = time.NewTimer(max(wait, 0)), until
}

func (o *owner) disarm() {
	if o.due.timer != nil {
		o.due.timer.Stop()
		o.due.timer = nil
	}
}

func (o *owner) dueAt() <-chan time.Time {
	if o.due.timer == nil {
		return nil
	}
	return o.due.timer.C
}

// fellDue looks whether what was waited for is there.
func (o *owner) fellDue(ctx context.Context) {
	o.disarm()
	th := &o.book.thread
	if (th.Parked == vyre.ParkedLimit || th.Fallback != "") && th.ParkedUntil <= o.e.now() {
		if th.Fallback != "" && o.run != nil {
			o.run.stale = "the limit is over; it goes back to the credential " + th.Auth
		}
		t := o.record()
		o.unpark(t)
		o.insist(ctx, t)
	}
	o.goOn(ctx)
}

// unpark ends the waiting for a limit, as part of a change.
func (o *owner) unpark(t *tx) {
	th := &o.book.thread
	th.Parked, th.ParkedUntil, th.Fallback = "", 0, ""
	t.thread = true
	t.durable()
	t.event(vyre.ThreadParked{})
}

// release lets a person's resume go ahead of a limit. What else holds the thread
// is told.
func (o *owner) release(ctx context.Context) error {
	if err := o.refuses(false); err != nil {
		return err
	}
	if o.book.thread.Parked != vyre.ParkedLimit {
		return nil
	}
	t := o.begin()
	o.unpark(t)
	return t.commit(ctx)
}

// hold stores a message that can't be said yet.
func (o *owner) hold(ctx context.Context, m vyre.Message, waker vyre.Mode) (Sent, error) {
	t := o.begin()
	t.durable()
	o.tighten(t, waker, m.By)
	o.wanted(t)
	m.Via = vyre.ViaQueue
	t.putMessage(m)
	t.event(queued(m))
	if err := t.commit(ctx); err != nil {
		return Sent{}, err
	}
	return Sent{Message: m.ID, Via: m.Via, Turn: m.Turn}, nil
}
