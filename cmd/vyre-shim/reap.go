package main

import (
	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/proto"
)

func (l *loop) drainWake() {
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(l.wake, l.scratch[:64]) })
		if err != nil || n <= 0 {
			return
		}
	}
}

// reap buries everybody who died, the agent or what it left us. This is the
// only place that waits for a child.
func (l *loop) reap() {
	ended := false
	var status unix.WaitStatus
	for {
		pid, err := ignoringEINTR(func() (int, error) { return unix.Wait4(-1, &status, unix.WNOHANG, nil) })
		if err != nil { // ECHILD: nobody is left, and nobody can come any more
			l.children = false
			break
		}
		if pid == 0 {
			l.children = true
			break
		}
		if pid == l.agent.pid && l.phase == proto.PhaseRunning {
			ended = true
			l.code, l.signal = exitOf(status)
		}
	}
	if ended {
		l.agentExited()
	}
}

func exitOf(status unix.WaitStatus) (code, signal int) {
	if status.Signaled() {
		return -1, int(status.Signal())
	}
	return status.ExitStatus(), 0
}

// agentExited writes the exit down before anybody is told.
func (l *loop) agentExited() {
	fail.Point("vyre-shim.exit")
	l.phase = proto.PhaseExited
	l.exited = l.now
	l.closeInput("the agent exited")
	l.drain()
	l.recordExit()
	fail.Point("vyre-shim.exited")
}

// recordExit writes exit.json. When the disk is full the record is missing and
// a later reader takes the exit for unknown; the loop tries again at its end.
func (l *loop) recordExit() {
	e := proto.Exit{Code: l.code, Signal: l.signal, Last: l.last, Empty: l.drained && !l.children}
	if replaceFile(l.spec.Dir, proto.ExitFile, e.JSON(), true) == nil {
		l.recorded = e
	}
}
