package engine

import (
	"context"
	"time"

	"vyre"
	"vyre/agent"
)

// branch says where a conversation under an id of its own comes from. The agent
// copies it with the first message it is told, so the launch gives it at every
// start until the history of the new id is there.
type branch struct {
	Of string `json:"of"` // the agent's id of the conversation it leaves; empty: it begins anew
	At string `json:"at"` // the row that the copy ends with
}

// branchOff makes the thread's conversation one of its own, as part of a change.
func (o *owner) branchOff(p agent.Provider, from branch) error {
	c, err := o.choices()
	if err != nil {
		return err
	}
	if id := o.book.thread.NativeID; id != "" {
		c.Left = append(c.Left, id)
	}
	o.book.thread.NativeID = ""
	if p.Info().Capabilities.OwnID {
		o.book.thread.NativeID = string(vyre.NewThreadID())
	}
	c.Branch, c.Since = &from, o.book.thread.Turns+1
	return o.choose(c)
}

// rowsLate is how long an agent may take to write down the last words of a turn that
// has ended (some 100 ms, measured on Claude Code 2.1.332).
const rowsLate = time.Second

// settled waits until the agent has surely written its last turn down, so that a copy
// does not end before it.
func (e *Engine) settled(ctx context.Context, thread vyre.ThreadID) error {
	th, err := e.cfg.Store.Thread(ctx, thread)
	if err != nil {
		return err
	}
	last, found, err := e.cfg.Store.Turn(ctx, vyre.MakeTurnID(thread, th.Turns))
	if err != nil || !found || last.Ended == 0 {
		return err
	}
	wait := rowsLate - time.Duration(e.now()-last.Ended)*time.Millisecond
	t := time.NewTimer(min(max(wait, 0), rowsLate)) // whatever the wall clock does
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return timedOut(ctx)
	}
}

// history says where the rows of the thread's conversation are now: under its own
// id, or still in the one that it was branched off. Of that one only the rows up to
// at are the thread's: what follows was left, or is another thread's.
func (o *owner) history(ctx context.Context, p agent.Provider) (opts agent.Options, at string, err error) {
	opts, err = o.e.cfg.Runtime.Options(ctx, o.book.thread)
	if err != nil {
		return opts, "", err
	}
	opts.NativeID, opts.CWD = o.book.thread.NativeID, o.book.thread.CWD
	c, err := o.choices()
	if err != nil || c.Branch == nil {
		return opts, "", err
	}
	if h, ok := p.(agent.Historian); ok && opts.NativeID != "" {
		state, err := h.History(ctx, opts)
		if err != nil || state == agent.HistoryResumable {
			return opts, "", err
		}
	}
	opts.NativeID = c.Branch.Of
	return opts, c.Branch.At, nil
}

// kept refuses to go on where the agent has lost what it was told: a conversation
// that begins anew is not passed off as the old one.
func (o *owner) kept(ctx context.Context, c choices) error {
	first, found, err := o.e.cfg.Store.Turn(ctx, vyre.MakeTurnID(o.id, max(c.Since, 1)))
	if err != nil || !found || first.Status != vyre.TurnCompleted || first.Rewound {
		return err
	}
	return vyre.Errorf(vyre.CodeUnavailable, "%s's own history of this conversation is gone", o.book.thread.Provider).
		WithHint("Put its files back, or start a new thread: what was said can still be read here.")
}

// recall asks the provider's own history how the conversation's id stands: one
// that was never spoken to is begun under its id instead of resumed, or copied from
// where it was branched off; one that was cut off before its first row goes on under
// a new id.
func (o *owner) recall(ctx context.Context, p agent.Provider, opts agent.Options) (agent.Options, error) {
	c, err := o.choices()
	if err != nil {
		return opts, err
	}
	h, ok := p.(agent.Historian)
	if !ok || !opts.Resume {
		return c.Branch.start(opts), nil
	}
	state, err := h.History(ctx, opts)
	if err != nil {
		return opts, err
	}
	switch state {
	case agent.HistoryNone:
		if err := o.kept(ctx, c); err != nil {
			return opts, err
		}
		opts.Resume = false
		return c.Branch.start(opts), nil
	case agent.HistoryBroken:
		c.Left = append(c.Left, opts.NativeID)
		if err := o.choose(c); err != nil {
			return opts, err
		}
		opts.Resume, opts.NativeID = false, string(vyre.NewThreadID())
		o.book.thread.NativeID = opts.NativeID // stored with the handshake
		return c.Branch.start(opts), nil
	case agent.HistoryResumable:
	}
	return opts, nil
}

// start lets a conversation that has no history yet begin with the copy, if it is one.
func (b *branch) start(opts agent.Options) agent.Options {
	if b != nil && b.Of != "" {
		opts.ForkOf, opts.ResumeAt, opts.Resume = b.Of, b.At, false
	}
	return opts
}
