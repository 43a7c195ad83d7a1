package config

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vyre"
)

// HomeLock is the right to run a daemon on a home. It is held until Release or
// the end of the process.
type HomeLock struct{ f *os.File }

// Lock takes the home's lock and writes our pid into it. It waits for nobody but
// the dead: a home that another daemon holds is a conflict that names its pid
// (detail "pid"). The home must be prepared.
func Lock(home string) (*HomeLock, error) {
	f, err := os.OpenFile(Layout{home}.LockFile(), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, cannotMake("the home's lock", err)
	}
	if err := flockPast(f); err != nil {
		defer f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, vyre.Errorf(vyre.CodeUnavailable, "this home can't be locked").
				WithHint("Its file system may not know locks: set VYRE_HOME to a folder on a local disk.").Because(err)
		}
		return nil, held(readPID(f))
	}
	if err := writePID(f); err != nil {
		f.Close()
		return nil, cannotMake("the home's lock", err)
	}
	return &HomeLock{f}, nil
}

// Release gives the lock back. The file stays: to remove it would let two
// daemons lock two files of one name.
func (l *HomeLock) Release() error {
	_ = l.f.Truncate(0) // a pid of a daemon that left is only misleading
	return l.f.Close()
}

// Holder returns the pid of the daemon that has the home's lock, or 0. It only
// looks: it takes no lock, so it can't get into a daemon's way. The pid of a daemon
// that was killed may be another process by now; then it is told all the same.
func Holder(home string) int {
	f, err := os.Open(Layout{home}.LockFile())
	if err != nil {
		return 0
	}
	defer f.Close()
	pid := readPID(f)
	if pid <= 0 || dead(pid) {
		return 0
	}
	return pid
}

// A daemon that was killed may leave its lock for a moment with a child that it had
// forked and that has not become another program yet.
const (
	deadHold = 2 * time.Second
	deadLook = 5 * time.Millisecond
)

// flockPast takes the lock, and waits only for what a dead daemon left. It looks again
// and again, as a flock that blocks can't be given up: its goroutine and thread would
// stay until the lock is free, and then hold it for nobody.
func flockPast(f *os.File) error {
	for end := time.Now().Add(deadHold); ; time.Sleep(deadLook) {
		err := flock(f)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(end) {
			return err
		}
		if pid := readPID(f); pid > 0 && !dead(pid) {
			return err
		}
	}
}

// dead reports whether a process can hold nothing any more: it is gone, or only its
// parent has not looked yet.
func dead(pid int) bool {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return true
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(after, "Z") || strings.HasPrefix(after, "X")
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func held(pid int) error {
	e := vyre.Errorf(vyre.CodeConflict, "another daemon runs on this home").
		WithHint("Use the daemon that runs, stop it, or set VYRE_HOME to another folder.")
	if pid > 0 {
		e.Message += " (pid " + strconv.Itoa(pid) + ")"
		return e.WithDetail("pid", pid)
	}
	return e
}

func readPID(r io.ReaderAt) int {
	var b [20]byte
	n, _ := r.ReadAt(b[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}
