package main

import (
	"os"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/procs"
)

const processName = "vyre-shim"

// isolate makes the process unreadable to others of its user, the reaper of
// all it starts, and keeps from the agent whatever it inherited itself.
func isolate() {
	_ = os.WriteFile("/proc/self/comm", []byte(processName), 0) // a label only
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err := unix.CloseRange(bootFD, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		for fd := bootFD; fd < 1024; fd++ { // before Linux 5.11
			unix.CloseOnExec(fd)
		}
	}
}

func socketpair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

func unixSocket() (int, error) {
	return unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

func pipe() (r, w int, err error) {
	var p [2]int
	err = unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK)
	return p[0], p[1], err
}

func accept(fd int) (int, error) {
	c, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	return c, err
}

// allowed reports whether the peer of a connection may be a controller: the
// same user, alive, and no descendant of ours. What can't be told is refused.
func allowed(fd int) bool {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || int(cred.Uid) != os.Geteuid() || cred.Pid <= 0 {
		return false
	}
	// The pidfd of the peer itself tells whether the pid we look at is still its.
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if err == nil {
		defer unix.Close(pidfd)
	} else if err != unix.ENOPROTOOPT { // before Linux 6.5 there is none
		return false
	}
	inside, ierr := procs.Inside(int(cred.Pid), os.Getpid())
	if ierr != nil || inside {
		return false
	}
	return err != nil || !readable(pidfd)
}

func readable(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := ignoringEINTR(func() (int, error) { return unix.Poll(p, 0) })
	return err != nil || n > 0
}

// tree lists all that came from the agent: as a subreaper we are an ancestor of
// every one of them, whatever it did to get away.
func (l *loop) tree() ([]procs.Proc, error) { return procs.Descendants(os.Getpid()) }
