package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"vyre"
	"vyre/agent"
)

// ForkInput asks for a copy of a conversation.
type ForkInput struct {
	Message vyre.MessageID // the copy ends before it; empty: it is whole
	Name    string         // empty: the source's
	Key     string         // makes a retry safe, or empty
	By      string         `json:"-"`
}

// Fork makes a new thread whose conversation is a copy of another's, and returns
// it. The source stays as it is and may even work on, where the copy ends before an
// earlier message. The new thread has no process until its first message; its
// timeline shows what was copied; its mode is the source's. Errors: not_found; busy
// for a whole copy while a turn runs; invalid where the agent can't; conflict.
func (e *Engine) Fork(ctx context.Context, thread vyre.ThreadID, in ForkInput) (vyre.ThreadID, error) {
	if err := e.running(ctx); err != nil {
		return "", err
	}
	release, err := e.holdKey(ctx, in.Key)
	if err != nil {
		return "", err
	}
	defer release()
	hash := forkHash(thread, in)
	if in.Key != "" {
		old, found, err := e.cfg.Store.ThreadByKey(ctx, in.Key)
		switch {
		case err != nil:
			return "", err
		case found && old.KeyHash != hash:
			return "", vyre.Errorf(vyre.CodeConflict, "key %q already started a thread from another input", in.Key).
				WithHint("Use a new key for a new thread.").WithDetail("thread", old.ID)
		case found:
			return old.ID, nil
		}
		if err := e.Unspent(ctx, in.Key); err != nil {
			return "", err
		}
	}
	if err := e.settled(ctx, thread); err != nil {
		return "", err
	}
	id := vyre.NewThreadID()
	err = e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		return true, o.fork(r.ctx, id, hash, in)
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

func forkHash(thread vyre.ThreadID, in ForkInput) string {
	b, err := json.Marshal(struct {
		Fork vyre.ThreadID
		ForkInput
	}{thread, in})
	if err != nil {
		panic("engine: a fork's input is plain data: " + err.Error())
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// fork writes the new thread with all that is copied in one commit. Nobody else
// knows it yet, so its rows are this owner's to write.
func (o *owner) fork(ctx context.Context, id vyre.ThreadID, hash string, in ForkInput) error {
	p, err := o.e.provider(o.book.thread.Provider)
	if err != nil {
		return err
	}
	from, until, err := o.forkAt(ctx, p, in.Message)
	if err != nil {
		return err
	}
	now := o.e.now()
	th := o.book.thread
	th.ID, th.Parent, th.Key, th.KeyHash, th.State, th.Reason, th.Err = id, o.id, in.Key, hash, vyre.StateIdle, "", ""
	th.Created, th.Updated, th.CostMicros, th.Archived, th.Worktree = now, now, 0, false, ""
	th.Parked, th.ParkedUntil, th.Fallback = "", 0, ""
	th.Turns = until - 1
	th.Name = or(in.Name, th.Name)
	c, err := o.choices()
	if err != nil {
		return err
	}
	c.Branch, c.Since, c.Left = &from, until, nil // what the source left is the source's
	if th.Launch, err = json.Marshal(c); err != nil {
		return vyre.Errorf(vyre.CodeInternal, "the fork's launch options can't be written").Because(err)
	}
	th.NativeID = ""
	if p.Info().Capabilities.OwnID {
		th.NativeID = string(id)
	}
	return o.e.cfg.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Threads: []vyre.Thread{th},
		Copy: &vyre.CopyMark{From: o.id, To: id, Before: until},
		Events: []vyre.Event{vyre.NewEvent(id, "", vyre.ThreadStarted{
			Provider: th.Provider, Driver: th.Driver, Model: th.Model, Mode: th.Mode, Purpose: th.Purpose,
			Source: th.Source, Project: th.Project, Auth: th.Auth, Parent: o.id,
		})},
	})
}

// forkAt says where the copy ends: at a row of the agent's history, and before a turn.
func (o *owner) forkAt(ctx context.Context, p agent.Provider, message vyre.MessageID) (from branch, until int, err error) {
	back, ok := p.(agent.Rewinder)
	if !ok || !p.Info().Capabilities.Fork {
		return from, 0, vyre.Errorf(vyre.CodeInvalid, "%s can't copy a conversation", o.book.thread.Provider)
	}
	id, until := vyre.MessageID(""), o.book.thread.Turns+1
	if message != "" {
		m, err := o.rewindTo(ctx, message)
		if err != nil {
			return from, 0, err
		}
		id, until = m.SentAs(), m.Turn.N()
	} else if err := o.atRest("be copied whole"); err != nil {
		return from, 0, err
	}
	opts, at, err := o.history(ctx, p)
	if err != nil {
		return from, 0, err
	}
	switch {
	case id != "" || opts.NativeID != "" && at == "":
		from.At, err = back.Before(ctx, opts, id)
	default: // it was not spoken to since it was branched off itself
		from.At = at
	}
	if err != nil && (id != "" || vyre.CodeOf(err) != vyre.CodeNotFound) {
		return from, 0, err
	}
	if from.At != "" {
		from.Of = opts.NativeID
		return from, until, nil
	}
	if id != "" {
		return from, until, nil // the message was the first
	}
	c, err := o.choices()
	if err != nil {
		return from, 0, err
	}
	return from, until, o.kept(ctx, c)
}
