package shim

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/procs"
)

// watch waits for the death of one process without holding a thread: a pidfd
// becomes readable then, and the runtime's poller waits for that.
type watch struct {
	pid   int
	start uint64
	f     *os.File      // nil before Linux 5.3
	stop  chan struct{} // for the fallback
}

// newWatch takes over pidfd where it is not negative. ErrGone when the process
// is dead already.
func newWatch(pid int, start uint64, pidfd int) (*watch, error) {
	w := &watch{pid: pid, start: start, stop: make(chan struct{})}
	if pidfd < 0 {
		fd, err := procs.Open(pid, start)
		if err == unix.ENOSYS {
			return w, nil
		}
		if err != nil {
			return nil, err
		}
		pidfd = fd
	}
	if unix.SetNonblock(pidfd, true) == nil {
		w.f = os.NewFile(uintptr(pidfd), "pidfd")
		return w, nil
	}
	_ = unix.Close(pidfd) // before Linux 5.10: the fallback watches
	return w, nil
}

// wait returns true once the process is dead, and buries it if it was our
// child; false after close.
func (w *watch) wait() bool {
	if w.f == nil {
		return pollDeath(w.pid, w.start, w.stop)
	}
	rc, err := w.f.SyscallConn()
	if err != nil {
		return false
	}
	err = rc.Read(func(fd uintptr) bool {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, 0)
		return err == nil && n > 0
	})
	if err != nil {
		return false
	}
	w.bury()
	return true
}

// bury reaps the dead process if it was our child. Through the pidfd: the pid
// may be another's by now.
func (w *watch) bury() {
	rc, err := w.f.SyscallConn()
	if err != nil {
		return
	}
	_ = rc.Control(func(fd uintptr) { reap(int(fd)) })
}

// reap buries the process of a pidfd. False when it lives and is our child.
func reap(pidfd int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PIDFD, pidfd, &info, unix.WEXITED|unix.WNOHANG, nil)
	return err != nil || info.Signo != 0
}

// keep returns a pidfd that outlives close, or -1.
func (w *watch) keep() int {
	if w.f == nil {
		return -1
	}
	kept := -1
	if rc, err := w.f.SyscallConn(); err == nil {
		_ = rc.Control(func(fd uintptr) {
			if n, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err == nil {
				kept = n
			}
		})
	}
	return kept
}

// close ends a wait. Once.
func (w *watch) close() {
	close(w.stop)
	if w.f != nil {
		_ = w.f.Close()
	}
}

const pollEvery = 100 * time.Millisecond

func pollDeath(pid int, start uint64, stop <-chan struct{}) bool {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		if !procs.Alive(pid, start) {
			return true
		}
		select {
		case <-stop:
			return false
		case <-t.C:
		}
	}
}
