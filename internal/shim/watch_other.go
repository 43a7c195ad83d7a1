//go:build !linux

package shim

import (
	"time"

	"vyre/internal/shim/procs"
)

// watch waits for the death of one process by looking again and again: this
// system has no handle on a process.
type watch struct {
	pid   int
	start uint64
	stop  chan struct{}
}

// newWatch never fails here.
func newWatch(pid int, start uint64, _ int) (*watch, error) {
	return &watch{pid: pid, start: start, stop: make(chan struct{})}, nil
}

const pollEvery = 100 * time.Millisecond

// wait returns true once the process is dead, and buries it if it was our
// child; false after close.
func (w *watch) wait() bool {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		if !procs.Alive(w.pid, w.start) {
			return true
		}
		select {
		case <-w.stop:
			return false
		case <-t.C:
		}
	}
}

// close ends a wait. Once.
func (w *watch) close() { close(w.stop) }

// keep has nothing to keep here.
func (w *watch) keep() int { return -1 }

func reap(int) bool { return true }
