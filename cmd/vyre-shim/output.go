package main

import (
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

// retryTime is how often a full disk is tried again.
const retryTime = 200 * time.Millisecond

// mayRead reports whether the agent's output is read now. Once the agent is
// gone the bound does not count any more: what is left is what a socket holds.
func (l *loop) mayRead() bool {
	return l.agent.stdout > 0 && l.spool.room(l.phase != proto.PhaseExited) > 0
}

// readOutput moves one buffer of output into the spool.
func (l *loop) readOutput() (more bool) {
	room := l.spool.room(l.phase != proto.PhaseExited)
	if l.agent.stdout == 0 || room == 0 {
		return false
	}
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(l.agent.stdout, l.spool.buf[:room]) })
	if err == unix.EAGAIN {
		return false
	}
	if err != nil || n == 0 {
		closeFD(&l.agent.stdout)
		return false
	}
	l.spool.rest = l.spool.buf[:n]
	return l.writeSpool()
}

// writeSpool writes what waits; what the disk does not take is tried again.
func (l *loop) writeSpool() bool {
	if err := l.spool.write(); err != nil {
		l.retry = l.now.Add(retryTime)
		l.spoolGone = err == unix.ENOENT
		return false
	}
	l.retry, l.spoolGone = time.Time{}, false
	return true
}

// drain takes over what the agent wrote before it died. Descendants that still
// hold its stdout write to nobody afterwards.
func (l *loop) drain() {
	if l.drained || l.phase != proto.PhaseExited {
		return
	}
	if len(l.spool.rest) > 0 && !l.writeSpool() {
		return
	}
	for l.readOutput() {
	}
	if len(l.spool.rest) > 0 {
		return // the disk is full: the timer comes back here
	}
	for l.readWords() {
	}
	closeFD(&l.agent.stdout)
	closeFD(&l.agent.stderr)
	l.drained = true
}

// readWords moves one buffer of stderr into its files.
func (l *loop) readWords() (more bool) {
	if l.agent.stderr == 0 {
		return false
	}
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(l.agent.stderr, l.scratch[:]) })
	if err == unix.EAGAIN {
		return false
	}
	if err != nil || n == 0 {
		closeFD(&l.agent.stderr)
		return false
	}
	l.words.write(l.scratch[:n])
	return true
}
