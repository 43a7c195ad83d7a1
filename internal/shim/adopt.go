package shim

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

// Adopt finds the parent that an earlier daemon started; see engine.Launcher.
// Where the recorded shim lives but does not answer, the Process reads its
// spool, tries again at each request, and Stop ends the shim by force. Errors:
// internal for a session without id or folder.
func (l *Launcher) Adopt(ctx context.Context, s vyre.Session) (engine.Process, error) {
	if s.ID == "" || !filepath.IsAbs(s.Dir) {
		return nil, vyre.Errorf(vyre.CodeInternal, "a session needs an id and a folder")
	}
	l.buryLost()
	if !l.alive(s.BootID, s.PID, s.StartTime) {
		p := blankProcess(l, s)
		p.shimGone()
		return p, nil
	}
	c, status, err := l.hello(ctx, s)
	if r, ok := errors.AsType[*refusal](err); err != nil && !(ok && r.code == proto.CodeVersion) {
		_ = procs.Signal(s.PID, s.StartTime, syscall.SIGCONT) // somebody may have stopped it
		c, status, err = l.hello(ctx, s)
	}
	if err != nil {
		l.cfg.Log.Warn("a session's parent lives but does not answer", "session", string(s.ID), "error", err)
		return newProcess(l, s, nil, proto.Status{}, -1), nil
	}
	return newProcess(l, s, c, status, -1), nil
}
