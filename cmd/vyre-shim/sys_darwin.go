package main

import (
	"os"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/procs"
)

// isolate keeps from the agent whatever we inherited. This system has neither
// subreapers nor a way to make a process unreadable for its own user: what
// leaves the tree of parents is found by its session and group only.
func isolate() {
	for fd := bootFD; fd < 1024; fd++ {
		unix.CloseOnExec(fd)
	}
}

func socketpair() ([2]int, error) {
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(p[0])
		unix.CloseOnExec(p[1])
	}
	return p, err
}

func unixSocket() (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

func pipe() (r, w int, err error) {
	var p [2]int
	if err = unix.Pipe(p[:]); err != nil {
		return 0, 0, err
	}
	for _, fd := range p {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return 0, 0, err
		}
	}
	return p[0], p[1], nil
}

func accept(fd int) (int, error) {
	c, _, err := unix.Accept(fd)
	if err != nil {
		return 0, err
	}
	unix.CloseOnExec(c)
	return c, unix.SetNonblock(c, true)
}

// allowed reports whether the peer of a connection may be a controller: the
// same user and no descendant of ours. What can't be told is refused.
func allowed(fd int) bool {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil || int(cred.Uid) != os.Geteuid() {
		return false
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil || pid <= 0 {
		return false
	}
	inside, err := procs.Inside(pid, os.Getpid())
	return err == nil && !inside
}

// tree lists what came from the agent as far as this system shows it: our
// descendants, and the members of the agent's session that lost their parents.
func (l *loop) tree() ([]procs.Proc, error) {
	all, err := procs.All()
	if err != nil {
		return nil, err
	}
	me := os.Getpid()
	return procs.Below(all, func(p procs.Proc) bool {
		return p.PPID == me || (l.agent.pid != 0 && p.SID == l.agent.pid)
	}), nil
}
