package engine

import (
	"context"
	"encoding/json"
	"slices"

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

// forgetHistory removes the agent's own history of every conversation that was this
// thread's, also of those it went back in. One that a copy has not taken over yet is
// needed: then nothing is removed.
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
	c, err := o.choices()
	if err != nil {
		return nil, err
	}
	ids := append(slices.Clone(c.Left), o.book.thread.NativeID)
	for _, id := range ids {
		if err := o.e.unneeded(ctx, p, o.id, id); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, id := range ids {
		opts.NativeID = id
		some, err := f.Forget(ctx, opts, dry)
		paths = append(paths, some...)
		if err != nil {
			return paths, err
		}
	}
	return paths, nil
}

// unneeded refuses (conflict) a conversation that another thread is a copy of and has
// not been copied yet: the agent does that with the copy's first message.
func (e *Engine) unneeded(ctx context.Context, p agent.Provider, thread vyre.ThreadID, native string) error {
	if native == "" {
		return nil
	}
	others, err := e.cfg.Store.LaunchedWith(ctx, native)
	if err != nil {
		return err
	}
	for _, th := range others {
		var c choices
		if th.ID == thread || json.Unmarshal(th.Launch, &c) != nil || c.Branch == nil || c.Branch.Of != native {
			continue
		}
		if h, ok := p.(agent.Historian); ok && th.NativeID != "" {
			opts, err := e.cfg.Runtime.Options(ctx, th)
			if err != nil {
				return err
			}
			opts.NativeID, opts.CWD = th.NativeID, th.CWD
			state, err := h.History(ctx, opts)
			if err != nil {
				return err
			}
			if state == agent.HistoryResumable {
				continue
			}
		}
		return vyre.Errorf(vyre.CodeConflict, "a copy of this conversation has not been spoken to yet, and needs the agent's transcript").
			WithHint("Send the copy a message first, delete it, or keep the transcript.").WithDetail("thread", th.ID)
	}
	return nil
}
