package shim

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/fail"
	"vyre/internal/shim/cgroup"
	"vyre/internal/shim/proto"
)

// Prepare starts the parent of a session; see engine.Launcher. Errors: invalid
// (cwd), unavailable (the agent's program, the shim's), conflict (a session of
// this id exists), no_space, timeout, internal. After an error there is no
// process, group, socket or folder of this session.
func (l *Launcher) Prepare(ctx context.Context, s vyre.Session, cmd agent.Command) (vyre.Session, engine.Process, error) {
	if err := check(s, cmd); err != nil {
		return s, nil, err
	}
	l.buryLost()
	program, err := l.program()
	if err != nil {
		return s, nil, err
	}
	s.Socket = l.socketPath(s.ID)
	if s.Token == "" {
		s.Token = vyre.NewSecret()
	}
	plan, err := l.plan(s, cmd)
	if err != nil {
		return s, nil, err
	}
	st := &starting{l: l, program: program, plan: plan, s: s}
	p, err := st.run(ctx, cmd)
	if err != nil {
		st.undo(context.WithoutCancel(ctx))
		return s, nil, err
	}
	return st.s, p, nil
}

// starting is a session on its way; undo takes back what was done so far.
type starting struct {
	l       *Launcher
	program string
	plan    []byte
	s       vyre.Session
	madeDir bool
	lock    *os.File // until the shim has it
	group   cgroup.Group
	child   child
}

func (st *starting) run(ctx context.Context, cmd agent.Command) (*process, error) {
	if err := st.makeDir(); err != nil {
		return nil, err
	}
	defer st.lock.Close()
	fail.Point("shim.prepare.dir")
	link, err := st.spawn()
	if err != nil {
		return nil, err
	}
	fail.Point("shim.prepare.spawned")
	c := newConn(link)
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ident, status, err := c.welcome(ctx, proto.TypeSpec, st.l.spec(st.s, cmd, st.plan).Append(nil))
	fail.Point("shim.prepare.told")
	if err == nil && int(ident.PID) != st.child.pid {
		err = vyre.Errorf(vyre.CodeInternal, "another process answered than the one that was started")
	}
	if err == nil {
		err = st.l.met(st.s.ID, ident)
	}
	if err != nil {
		c.close()
		return nil, startError(err)
	}
	st.s.BootID, st.s.PID, st.s.StartTime = ident.BootID, int(ident.PID), ident.StartTime
	st.s.PGID, st.s.SID = int(ident.PGID), int(ident.SID)
	st.s.Cgroup, st.s.CgroupID = st.group.Path, st.group.ID
	st.s.Confined = strings.Join(st.l.bound(st.group), " ")
	st.s.Level = "L1"
	if st.group.Path != "" {
		st.s.Level = "L2"
	}
	fail.Point("shim.prepare.ready")
	return newProcess(st.l, st.s, c, status, st.child.pidfd), nil
}

func (l *Launcher) spec(s vyre.Session, cmd agent.Command, plan []byte) proto.Spec {
	return proto.Spec{
		Token: []byte(s.Token), Socket: s.Socket, Dir: s.Dir,
		Path: cmd.Path, Args: append([]string{cmd.Path}, cmd.Args...), Env: cmd.Env, CWD: cmd.Dir, OneShot: cmd.OneShot,
		Segment: uint64(l.cfg.SegmentBytes), Bound: uint64(l.cfg.BoundBytes),
		Orphan: l.cfg.Orphan, Leftovers: l.cfg.Leftovers, TermGrace: l.cfg.TermGrace,
		Confine: plan,
	}
}

func (st *starting) makeDir() error {
	if _, err := os.Lstat(st.s.Socket); err == nil {
		return vyre.Errorf(vyre.CodeConflict, "a session of this id exists already")
	}
	if err := os.MkdirAll(filepath.Dir(st.s.Dir), 0o700); err != nil {
		return fault("the session's folder can't be made", err)
	}
	err := os.Mkdir(st.s.Dir, 0o700)
	switch {
	case err == nil:
		st.madeDir = true
	case errors.Is(err, os.ErrExist):
		if _, err := os.Lstat(filepath.Join(st.s.Dir, proto.RecordFile)); err == nil {
			return vyre.Errorf(vyre.CodeConflict, "the session's folder was used before")
		}
	default:
		return fault("the session's folder can't be made", err)
	}
	if err := os.Mkdir(filepath.Join(st.s.Dir, proto.SpoolDir), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fault("the session's spool can't be made", err)
	}
	if st.lock, err = takeLock(st.s.Dir); err != nil {
		return fault("the session's folder can't be locked", err)
	}
	return nil
}

// spawn starts the shim and returns our end of its socketpair.
func (st *starting) spawn() (*net.UnixConn, error) {
	pair, err := bootPair()
	if err != nil {
		return nil, fault("no socketpair for the session", err)
	}
	defer pair.theirs.Close()
	if st.l.parent != "" {
		g, err := cgroup.Create(st.l.parent, st.l.groupName(st.s.ID))
		if errors.Is(err, os.ErrExist) {
			pair.ours.Close()
			return nil, vyre.Errorf(vyre.CodeConflict, "a control group of this session exists already")
		}
		if err == nil {
			st.group = g
			if err := writeGroup(st.s.Dir, g); err != nil {
				pair.ours.Close()
				return nil, fault("the session's folder can't be written", err)
			}
		}
	}
	fail.Point("shim.prepare.group")
	st.child, err = startShim(st.program, pair.theirs, st.lock, st.group)
	if err != nil && st.group.Path != "" {
		// The group could be made but not entered (a foreign manager's rule, an
		// older kernel): go on without, a level lower.
		st.l.cfg.Log.Warn("a session could not be started in its control group", "error", err)
		_ = st.group.Remove()
		st.group = cgroup.Group{}
		st.child, err = startShim(st.program, pair.theirs, st.lock, st.group)
	}
	if err != nil {
		pair.ours.Close()
		return nil, fault("the session's parent can't be started", err)
	}
	return pair.ours, nil
}

// undo leaves nothing of what run did.
func (st *starting) undo(ctx context.Context) {
	if st.child.pid != 0 {
		st.child.end()
	}
	if st.group.Path != "" {
		ctx, cancel := context.WithTimeout(ctx, st.l.cfg.KillWait)
		if err := st.group.End(ctx); err != nil {
			st.l.cfg.Log.Error("a control group of a refused start is left", "error", err)
		}
		cancel()
	}
	if st.child.pid != 0 {
		_ = unix.Unlink(st.s.Socket)
	}
	_ = os.Remove(st.l.sessionSockets(st.s.ID))
	if st.madeDir || st.lock != nil { // else it is another session's
		clearFolder(st.s.Dir)
	}
}

func startError(err error) error {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return err
	}
	if r.text == unix.ENOSPC.Error() || r.text == unix.EDQUOT.Error() {
		err = unix.ENOSPC
	}
	return fault("the session's parent could not start", err)
}
