package main

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

// killAgain is how soon a killed tree is looked at again.
const killAgain = 10 * time.Millisecond

// sweep is how far the ending of what is left is, whoever began it.
type sweep struct {
	termed time.Time // when TERM was sent; zero: not yet
	next   time.Time // when to kill (again); zero: not yet
}

// kill begins to kill whatever is left, until nothing is.
func (s *sweep) kill(now time.Time) {
	if s.next.IsZero() {
		s.next = now
	}
}

// timers does what is due.
func (l *loop) timers() {
	for i, p := range l.newcomers {
		if p != nil && !l.now.Before(p.until) {
			p.close()
			l.newcomers[i] = nil
		}
	}
	if !l.retry.IsZero() && !l.now.Before(l.retry) {
		l.retry = time.Time{}
		if len(l.spool.rest) > 0 {
			l.writeSpool()
		}
	}
	l.drain()
	if due(l.orphanAt(), l.now) {
		l.reason = proto.ReasonUnused
	}
	if due(l.leftoversAt(), l.now) || due(l.toldAt(), l.now) {
		l.sweepLeftovers()
	}
	if due(l.sweep.next, l.now) {
		l.sweep.next = l.now.Add(killAgain)
		_, _ = procs.KillTree(l.tree)
		l.reap()
	}
}

// timeout is how long nothing is due; negative: for ever.
func (l *loop) timeout() time.Duration {
	at := earlier(l.retry, l.orphanAt())
	at = earlier(at, l.leftoversAt())
	at = earlier(at, l.toldAt())
	at = earlier(at, l.sweep.next)
	for _, p := range l.newcomers {
		if p != nil {
			at = earlier(at, p.until)
		}
	}
	if at.IsZero() {
		return -1
	}
	return max(0, time.Until(at))
}

// orphanAt is when a session that nobody let go, and nobody can, ends itself.
func (l *loop) orphanAt() time.Time {
	if l.phase != proto.PhasePrepared || l.ctl != nil {
		return time.Time{}
	}
	return l.alone.Add(l.spec.Orphan)
}

// leftoversAt is when the next step against what a dead agent left is due, as
// no daemon is there to take it.
func (l *loop) leftoversAt() time.Time {
	if l.phase != proto.PhaseExited || !l.children || l.ctl != nil || !l.sweep.next.IsZero() {
		return time.Time{}
	}
	if !l.sweep.termed.IsZero() {
		return l.sweep.termed.Add(l.spec.TermGrace)
	}
	since := l.exited
	if l.alone.After(since) {
		since = l.alone
	}
	return since.Add(l.spec.Leftovers)
}

// obey begins the end of the session when TERM came: the agent's input ends, and
// what is still there after a grace is sent TERM, and after another is killed.
func (l *loop) obey() {
	if !l.asked.Load() || !l.told.IsZero() {
		return
	}
	l.told = l.now
	if l.phase == proto.PhasePrepared {
		l.reason = proto.ReasonUnused
		return
	}
	l.closeInput("the session's parent was told to end")
}

// toldAt is when the next step of the end that obey began is due.
func (l *loop) toldAt() time.Time {
	if l.told.IsZero() || !l.sweep.next.IsZero() || l.phase == proto.PhaseExited && !l.children {
		return time.Time{}
	}
	if !l.sweep.termed.IsZero() {
		return l.sweep.termed.Add(l.spec.TermGrace)
	}
	return l.told.Add(l.spec.TermGrace)
}

func (l *loop) sweepLeftovers() {
	if l.sweep.termed.IsZero() {
		l.sweep.termed = l.now
		l.signalTree(syscall.SIGTERM)
		return
	}
	l.sweep.kill(l.now)
}

// leave puts the folder into its final state and takes the socket away.
func (l *loop) leave() {
	if l.reason == proto.ReasonUnused {
		_ = unix.Unlink(l.spool.path(0))
		l.removeTraces()
		return
	}
	if !l.recorded.Empty {
		l.recordExit()
	}
	fail.Point("vyre-shim.empty")
	_ = unix.Unlink(l.spec.Socket)
}

func due(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
