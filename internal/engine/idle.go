package engine

import (
	"context"
	"time"

	"vyre"
)

// rest says whether the session could be closed without anybody missing it: no
// turn, no ask, nothing queued, no background work.
func (o *owner) rest() bool {
	return o.run != nil && o.run.ready && o.run.stopping == "" && o.book.thread.State == vyre.StateIdle &&
		len(o.book.asks) == 0 && len(o.book.queue) == 0 && len(o.book.tasks) == 0
}

// mind keeps the idle clock: it starts when a session comes to rest with nobody
// watching, and is forgotten when it gets to work or somebody looks. The timer does
// not follow the wall clock. Called after everything the owner does.
func (o *owner) mind() {
	resting := o.rest()
	o.e.mu.Lock()
	_, was := o.e.resting[o.id]
	switch {
	case resting && !was:
		o.e.resting[o.id] = o.e.cfg.Now()
	case !resting:
		delete(o.e.resting, o.id)
	}
	watched := o.e.watchers[o.id] > 0
	o.e.mu.Unlock()
	if resting && !was {
		o.e.callNext()
	}
	if o.run == nil || o.e.cfg.Idle == 0 {
		return
	}
	switch tires := resting && !watched; {
	case tires && o.run.idle == nil:
		o.run.idle = time.NewTimer(o.e.cfg.Idle)
	case !tires && o.run.idle != nil:
		o.run.idle.Stop()
		o.run.idle = nil
	}
}

func (o *owner) idleFor() <-chan time.Time {
	if o.run == nil || o.run.idle == nil {
		return nil
	}
	return o.run.idle.C
}

// tired closes a session that rested for the whole time.
func (o *owner) tired(ctx context.Context) {
	o.run.idle = nil
	if o.rest() && !o.e.watched(o.id) {
		_ = o.halt(ctx, vyre.StopIdle, "nothing happened for "+o.e.cfg.Idle.String(), "") // tried again by itself
	}
}

// longestResting is the thread that rested longest, one that nobody watches before
// any that is watched, or "". The caller holds mu.
func (e *Engine) longestResting() (oldest vyre.ThreadID) {
	seen := false
	for id, since := range e.resting {
		watched := e.watchers[id] > 0
		if oldest == "" || seen && !watched || seen == watched && since.Before(e.resting[oldest]) {
			oldest, seen = id, watched
		}
	}
	return oldest
}

// takeRoom reserves a place among the live sessions for this thread, once. The
// session that rested longest is closed for it; if none rests, busy. An owner that
// rests waits for nobody, so waiting for it here can't come back to us; and who asks
// for a place is none that could give it, also where its own session ended just now.
func (o *owner) takeRoom(ctx context.Context) error {
	e := o.e
	if e.cfg.Space != nil && !o.room {
		if err := e.cfg.Space(); err != nil {
			return err // before anything is written for it
		}
	}
	for e.cfg.MaxLive > 0 && !o.room {
		e.mu.Lock()
		delete(e.resting, o.id)
		oldest := vyre.ThreadID("")
		if len(e.live)+e.reserved < e.cfg.MaxLive {
			e.reserved++
			o.room = true
		} else {
			oldest = e.longestResting()
			delete(e.resting, oldest) // whoever asks next takes another
		}
		e.mu.Unlock()
		switch {
		case o.room:
		case oldest == "":
			return vyre.Errorf(vyre.CodeBusy, "%d sessions run, and each of them is at work", e.cfg.MaxLive).
				WithHint("Wait until one is idle, stop one, or raise sessions.max_live.").WithDetail("max_live", e.cfg.MaxLive)
		default:
			err := e.do(ctx, oldest, func(o *owner, _ *request) (bool, error) {
				if !o.rest() {
					return true, nil
				}
				return true, o.halt(e.ctx, vyre.StopCap, "room was needed for another session", "")
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// giveRoom gives a reserved place back: it was not needed, or the session that
// stands for it is counted by now.
func (o *owner) giveRoom() {
	if !o.room {
		return
	}
	o.room = false
	o.e.mu.Lock()
	o.e.reserved--
	o.e.mu.Unlock()
	o.e.callNext()
}
