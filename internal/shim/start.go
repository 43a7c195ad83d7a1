package shim

import (
	"errors"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/procs"
)

// bootPairs is the socketpair over which a shim is told what to do; it then is
// its first control connection.
type bootPairs struct {
	ours   *net.UnixConn
	theirs *os.File
}

func bootPair() (bootPairs, error) {
	fds, err := cloexecPair()
	if err != nil {
		return bootPairs{}, err
	}
	mine := os.NewFile(uintptr(fds[0]), "shim")
	theirs := os.NewFile(uintptr(fds[1]), "shim")
	c, err := net.FileConn(mine)
	_ = mine.Close() // FileConn has its own
	if err != nil {
		_ = theirs.Close()
		return bootPairs{}, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		_ = c.Close()
		_ = theirs.Close()
		return bootPairs{}, syscall.EINVAL
	}
	return bootPairs{ours: u, theirs: theirs}, nil
}

// child is a shim that this process started.
type child struct {
	pid   int
	pidfd int // -1 where the system has none
}

// textBusyTries bounds the wait for a fork of somebody else that still holds
// the program's file open for writing (it closes it at its exec).
const textBusyTries = 20

// launch starts the program as a shim. attr is the system's part.
func launch(program string, boot, lock *os.File, attr *syscall.SysProcAttr) (int, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attr.Setsid = true
	n := null.Fd()
	env := append([]string{"GOMAXPROCS=1", "GOGC=50"}, fail.ForChild()...)
	for try := 0; ; try++ {
		pid, err := syscall.ForkExec(program, []string{programName}, &syscall.ProcAttr{
			Dir: "/", Env: env, Files: []uintptr{n, n, n, boot.Fd(), lock.Fd()}, Sys: attr,
		})
		if !errors.Is(err, syscall.ETXTBSY) || try >= textBusyTries {
			return pid, err
		}
		<-time.After(time.Duration(try+1) * time.Millisecond)
	}
}

// end kills a shim that did not get as far as running an agent, and buries it.
// It is our child and not waited for yet, so its pid can't be another's.
func (c child) end() {
	_ = unix.Kill(c.pid, unix.SIGKILL)
	for {
		_, err := unix.Wait4(c.pid, nil, 0, nil)
		if err != unix.EINTR {
			break
		}
	}
	if c.pidfd >= 0 {
		_ = unix.Close(c.pidfd)
	}
}

// alive reports whether the recorded shim runs in this boot.
func (l *Launcher) alive(boot string, pid int, start uint64) bool {
	return boot == l.bootID && pid > 0 && procs.Alive(pid, start)
}

// buryLost reaps the shims of this process that died after Detach. A zombie
// keeps its pid, but nothing else.
func (l *Launcher) buryLost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = slices.DeleteFunc(l.lost, func(pidfd int) bool {
		done := reap(pidfd)
		if done {
			_ = unix.Close(pidfd)
		}
		return done
	})
}

// lose remembers a shim that is let go alive; it is reaped at a later start.
func (l *Launcher) lose(w *watch) {
	if fd := w.keep(); fd >= 0 {
		l.mu.Lock()
		l.lost = append(l.lost, fd)
		l.mu.Unlock()
	}
	l.buryLost()
}
