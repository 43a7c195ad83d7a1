package engine

import (
	"context"

	"vyre"
)

// MoveFolder says where a thread's folder is now: a person moved it, and no other is
// ever taken for it. It counts from the next process on. Errors: not_found; conflict
// while a process runs.
func (e *Engine) MoveFolder(ctx context.Context, thread vyre.ThreadID, cwd, project, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		th := &o.book.thread
		if th.CWD == cwd {
			return true, nil
		}
		if o.run != nil || o.starting != nil {
			return false, vyre.Errorf(vyre.CodeConflict, "the thread's session runs in its folder").
				WithHint("Stop it first: vyre stop.").WithDetail("cwd", th.CWD)
		}
		t := o.begin()
		t.durable()
		th.CWD, th.Project, t.thread = cwd, project, true
		t.event(vyre.ThreadFolder{CWD: cwd, By: by})
		return true, t.commit(r.ctx)
	})
}
