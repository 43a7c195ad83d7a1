package engine

import (
	"context"

	"vyre"
)

// Rename gives a thread another name.
func (e *Engine) Rename(ctx context.Context, thread vyre.ThreadID, name, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		t := o.begin()
		t.durable()
		o.book.thread.Name, t.thread = name, true
		t.event(vyre.ThreadRenamed{Name: name, By: by})
		return true, t.commit(r.ctx)
	})
}

// Archive puts a thread away or takes it out again. A thread at work is not put
// away.
func (e *Engine) Archive(ctx context.Context, thread vyre.ThreadID, archived bool, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if archived && o.book.turn != nil {
			return false, vyre.Errorf(vyre.CodeBusy, "a turn runs in this thread").
				WithHint("Interrupt or stop it first.")
		}
		if o.book.thread.Archived == archived {
			return true, nil
		}
		if archived && o.run != nil {
			if err := o.halt(e.ctx, vyre.StopPerson, "archived", by); err != nil {
				return false, err
			}
		}
		t := o.begin()
		t.durable()
		o.book.thread.Archived, t.thread = archived, true
		t.event(vyre.ThreadArchived{Archived: archived, By: by})
		return true, t.commit(r.ctx)
	})
}

// Tree lists the processes of a thread's session and names its cgroup; empty without one.
func (e *Engine) Tree(ctx context.Context, thread vyre.ThreadID) ([]Member, string, error) {
	var members []Member
	var cgroup string // no named results: a return would write them while the owner may
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.run == nil {
			return true, nil
		}
		var err error
		cgroup = o.run.session.Cgroup
		members, err = o.run.proc.Tree(r.ctx)
		return true, err
	})
	if err != nil {
		return nil, "", err // the results are the owner's until it said that all is well
	}
	return members, cgroup, nil
}
