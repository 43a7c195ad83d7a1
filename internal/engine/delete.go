package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// Delete removes a thread's rows and the data of its events, in one commit, and with
// transcript the agent's own history of it first: a daemon that dies in between leaves
// the thread, and the same call again does the rest. dry says what of the agent's would
// go and removes nothing. Errors: conflict while the thread has a process or a turn, and
// where a copy still needs the history; not_found.
func (e *Engine) Delete(ctx context.Context, thread vyre.ThreadID, transcript, dry bool, by string) ([]string, error) {
	var out []string
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.run != nil || o.starting != nil || o.book.turn != nil {
			return false, vyre.Errorf(vyre.CodeConflict, "this thread has a live session").
				WithHint("Stop it first: `vyre stop`.")
		}
		var err error
		if transcript {
			if out, err = o.forgetHistory(r.ctx, dry); err != nil {
				return false, err
			}
		}
		if dry {
			return true, nil
		}
		return true, o.remove(r.ctx, by)
	})
	if err != nil {
		return nil, err // the result is the owner's until it said that all is well
	}
	return out, nil
}

// remove takes the rows. From then on the owner knows no such thread.
func (o *owner) remove(ctx context.Context, by string) error {
	t := o.begin()
	t.durable()
	t.c.Delete = o.id
	t.c.Events = []vyre.Event{vyre.NewEvent(o.id, "", vyre.ThreadDeleted{By: by})}
	if err := t.commit(ctx); err != nil {
		return err
	}
	o.deleted = true
	o.book.stored = false // nothing writes its row again
	o.book.queue = nil
	th := &o.book.thread
	th.Parked, th.ParkedUntil, th.Fallback = "", 0, "" // it waits for nothing any more
	o.awake()
	o.giveRoom()
	return nil
}

func (o *owner) forgetHistory(ctx context.Context, dry bool) ([]string, error) {
	p, err := o.e.provider(o.book.thread.Provider)
	if err != nil {
		return nil, err
	}
	f, ok := p.(agent.Forgetter)
	if !ok {
		return nil, vyre.Invalid("transcript", "%s can't remove its own transcripts", p.Info().Label)
	}
	opts, err := o.e.cfg.Runtime.Options(ctx, o.book.thread)
	if err != nil {
		return nil, err
	}
	opts.NativeID = o.book.thread.NativeID
	return f.Forget(ctx, opts, dry)
}
