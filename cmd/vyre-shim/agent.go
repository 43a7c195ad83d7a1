package main

import (
	"syscall"

	"golang.org/x/sys/unix"

	"vyre/internal/confine"
	"vyre/internal/fail"
	"vyre/internal/shim/procs"
)

// agent is the process we are the parent of. Descriptors are our ends; 0 means
// closed.
type agent struct {
	pid                   int
	stdin, stdout, stderr int
}

// start runs the agent. After an error no process and no descriptor is left.
func (l *loop) start() error {
	fail.Point("vyre-shim.start")
	var ours, theirs [3]int
	for i := range ours {
		var err error
		if ours[i], theirs[i], err = socketPair(); err != nil {
			closeAll(ours[:], theirs[:])
			return err
		}
	}
	secrets, err := l.oneShots()
	if err != nil {
		closeAll(ours[:], theirs[:])
		return err
	}
	pid, err := l.spawn(append(theirs[:], secrets...))
	closeAll(theirs[:], secrets)
	if err != nil {
		closeAll(ours[:])
		return err
	}
	// One way each: what a command of the agent does to the wrong end of a
	// socketpair must reach nobody.
	_ = unix.Shutdown(ours[0], unix.SHUT_RD)
	_ = unix.Shutdown(ours[1], unix.SHUT_WR)
	_ = unix.Shutdown(ours[2], unix.SHUT_WR)
	l.agent = agent{pid: pid, stdin: ours[0], stdout: ours[1], stderr: ours[2]}
	fail.Point("vyre-shim.started")
	p, err := procs.Stat(pid) // not reaped yet, so it is this very process
	if err != nil {
		p = procs.Proc{PID: pid}
	}
	_ = l.writeRecord(p) // only a help for sweeping after us; the daemon has the pid too
	return nil
}

func (l *loop) spawn(files []int) (int, error) {
	handles := make([]uintptr, len(files))
	for i, fd := range files {
		handles[i] = uintptr(fd)
	}
	plan, err := confine.ParsePlan(l.spec.Confine)
	if err != nil {
		return 0, err
	}
	unix.Umask(l.umask) // the agent's own files get what the person is used to
	defer unix.Umask(0o077)
	pid, held, err := confine.Start(ownProgram, plan, confine.Command{
		Path: l.spec.Path, Args: l.spec.Args, Env: l.spec.Env, Dir: l.spec.CWD,
	}, handles)
	l.held = held
	return pid, err
}

// ownProgram is this program, also when its file was replaced since.
const ownProgram = "/proc/self/exe"

// oneShots puts each secret into a pipe and closes the writing end, so that one
// reader empties it for ever. The bytes are wiped here.
func (l *loop) oneShots() ([]int, error) {
	var fds []int
	for _, secret := range l.spec.OneShot {
		r, w, err := pipe()
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		fds = append(fds, r)
		_, err = ignoringEINTR(func() (int, error) { return unix.Write(w, secret) })
		_ = unix.Close(w)
		if err == nil {
			err = unix.SetNonblock(r, false)
		}
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		clear(secret)
	}
	l.spec.OneShot = nil
	return fds, nil
}

func closeAll(lists ...[]int) {
	for _, l := range lists {
		for i := range l {
			closeFD(&l[i])
		}
	}
}

// signalTree sends sig to every descendant; the agent is one of them.
func (l *loop) signalTree(sig syscall.Signal) {
	found, err := l.tree()
	if err != nil {
		return
	}
	for _, p := range found {
		_ = procs.Signal(p.PID, p.Start, sig)
		if sig == syscall.SIGTERM {
			_ = procs.Signal(p.PID, p.Start, syscall.SIGCONT) // a stopped one would not hear it
		}
	}
}
