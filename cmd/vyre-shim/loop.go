package main

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/confine"
	"vyre/internal/shim/proto"
)

// loop is the whole state of the program. Only the goroutine of run touches it.
type loop struct {
	spec  proto.Spec
	ident proto.Identity
	umask int // what the daemon had, for the agent

	listener, wake int
	spool          spool
	words          lastWords
	agent          agent
	held           confine.Held // of its confinement

	phase   proto.Phase
	drained bool // the agent is gone and its output is all in the spool
	// spoolGone: the session's folder was removed, so nobody can take what is left.
	spoolGone bool
	children  bool // somebody is left to be reaped
	code      int
	signal    int
	recorded  proto.Exit // what exit.json holds

	ctl       *peer
	newcomers [maxNewcomers]*peer
	alone     time.Time // since when there is no controller
	pushed    proto.Status
	frame     frame // in flight to the agent
	last      uint64

	asked   atomic.Bool // TERM came; the signals' goroutine sets it
	told    time.Time   // since when the session is being ended for it; zero: it is not
	exited  time.Time
	sweep   sweep
	retry   time.Time // when to try a full disk again; zero: no need
	now     time.Time
	reason  proto.Reason // why the program ends; 0: it goes on
	scratch [16 << 10]byte
}

// run polls until the session is over. Its result is the exit code.
func (l *loop) run() int {
	l.words.dir = l.spec.Dir
	l.now = time.Now()
	l.push()
	var set pollSet
	for l.reason == 0 {
		set.fill(l)
		if !set.poll(l.timeout()) {
			return 1
		}
		l.now = time.Now()
		l.serve(&set)
	}
	return l.finish()
}

// serve gives everybody who is ready a turn.
func (l *loop) serve(set *pollSet) {
	if set.ready(slotWake) {
		l.drainWake()
		l.obey()
		l.reap()
	}
	if set.ready(slotControl) {
		l.serveController(set.revents(slotControl))
	}
	for i := range l.newcomers {
		if set.ready(slotNewcomer + i) {
			l.serveNewcomer(i)
		}
	}
	if set.ready(slotListener) {
		l.acceptAll()
	}
	if set.ready(slotStdin) {
		l.feedAgent()
	}
	if set.ready(slotStdout) {
		l.readOutput()
	}
	if set.ready(slotStderr) {
		l.readWords()
	}
	l.timers()
	l.settle()
	l.push()
}

// settle ends the program when nothing is left to do.
func (l *loop) settle() {
	taken := l.drained || l.spoolGone && !l.told.IsZero()
	if l.phase == proto.PhaseExited && taken && !l.children && l.reason == 0 {
		l.reason = proto.ReasonEmpty
	}
}

func (l *loop) status() proto.Status {
	s := proto.Status{
		Phase: l.phase, AgentPID: uint32(l.agent.pid), Last: l.last,
		End: l.spool.end, Released: l.spool.released,
		Code: int32(l.code), Signal: uint32(l.signal),
	}
	set := func(flag uint8, on bool) {
		if on {
			s.Flags |= flag
		}
	}
	set(proto.FlagDrained, l.drained)
	set(proto.FlagDisk, len(l.spool.rest) > 0)
	set(proto.FlagBound, l.phase == proto.PhaseRunning && len(l.spool.rest) == 0 && l.spool.room(true) == 0)
	set(proto.FlagStdinEnd, l.phase != proto.PhasePrepared && l.agent.stdin == 0)
	set(proto.FlagLeft, l.phase == proto.PhaseExited && l.children)
	return s
}

// push tells the controller what changed since it was told last, once it took
// what it was told: changes in between become one.
func (l *loop) push() {
	if l.ctl == nil || len(l.ctl.out) > 0 {
		return
	}
	if s := l.status(); s != l.pushed {
		l.pushed = s
		l.send(l.ctl, proto.TypeNote, 0, s.Append(nil))
	}
}

// finish leaves the folder as the page says and tells the controller last.
func (l *loop) finish() int {
	l.leave()
	if p := l.ctl; p != nil {
		l.send(p, proto.TypeBye, 0, []byte{byte(l.reason)})
		l.flush(p)
	}
	return 0
}

// flushTime is how long the last words wait for a controller that does not read.
const flushTime = time.Second

func (l *loop) flush(p *peer) {
	until := time.Now().Add(flushTime)
	for len(p.out) > 0 && p.write() {
		left := time.Until(until)
		if len(p.out) == 0 || left <= 0 {
			return
		}
		set := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}
		_, _ = unix.Poll(set, int(left.Milliseconds())+1)
	}
}
