package main

import (
	"syscall"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

// handle does what one message asks. False to close the peer.
func (l *loop) handle(p *peer, t proto.Type, id uint32, body []byte) bool {
	if p != l.ctl {
		if t != proto.TypeHello {
			l.refuse(p, id, proto.CodeDenied, "say hello first")
			return false
		}
		return l.hello(p, id, body)
	}
	switch t {
	case proto.TypeGo:
		l.letGo(p, id)
	case proto.TypeSignal:
		l.signalRequest(p, id, body)
	case proto.TypeStatus:
		l.pushed = l.status()
		l.send(p, proto.TypeOK, id, l.pushed.Append(nil))
	case proto.TypeCommitted, proto.TypeRelease:
		return l.forget(p, t, id, body)
	case proto.TypeEnd:
		l.endInput(p, id)
	default:
		l.refuse(p, id, proto.CodeUnknown, "no such message")
	}
	return true
}

// forget does what the daemon says of output that it does not need to be told
// again. False to close the peer.
func (l *loop) forget(p *peer, t proto.Type, id uint32, body []byte) bool {
	offset, err := proto.ParseU64(body)
	if err != nil {
		l.refuse(p, id, proto.CodeMalformed, "no offset")
		return false
	}
	if t == proto.TypeCommitted {
		l.spool.commit(offset)
	} else {
		l.spool.release(offset)
		l.retry = l.now // the disk may have room again
	}
	l.send(p, proto.TypeOK, id, nil)
	return true
}

// hello makes a newcomer with the right token the controller.
func (l *loop) hello(p *peer, id uint32, body []byte) bool {
	h, err := proto.ParseHello(body)
	if err != nil {
		l.refuse(p, id, proto.CodeMalformed, "hello")
		return false
	}
	if !sameSecret(h.Token, l.spec.Token) {
		l.refuse(p, id, proto.CodeDenied, "wrong token")
		return false
	}
	if h.Min > proto.Version || h.Max < proto.Version {
		l.refuse(p, id, proto.CodeVersion, "no version in common")
		return false
	}
	if old := l.ctl; old != nil {
		l.send(old, proto.TypeBye, 0, []byte{byte(proto.ReasonReplaced)})
		old.close()
	}
	for i := range l.newcomers {
		if l.newcomers[i] == p {
			l.newcomers[i] = nil
		}
	}
	l.ctl = p
	l.pushed = l.status()
	l.send(p, proto.TypeOK, id, l.pushed.Append(l.ident.Append(nil)))
	return true
}

// sameSecret takes as long for any two secrets of one length.
func sameSecret(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	var diff byte
	for i := range a {
		diff |= a[i] ^ b[i]
	}
	return diff == 0
}

// letGo starts the agent; repeated, it says which one runs or ran.
func (l *loop) letGo(p *peer, id uint32) {
	if l.phase == proto.PhasePrepared {
		if err := l.start(); err != nil {
			l.refuse(p, id, proto.CodeExec, err.Error())
			l.reason = proto.ReasonUnused
			return
		}
		l.phase = proto.PhaseRunning
		l.children = true
	}
	l.send(p, proto.TypeOK, id, proto.Running{PID: uint32(l.agent.pid), Held: l.held.Parts.Names(), Open: l.held.Open}.Append(nil))
}

// endInput closes the agent's stdin. An agent that was never let go never will be.
func (l *loop) endInput(p *peer, id uint32) {
	l.send(p, proto.TypeOK, id, nil)
	if l.phase == proto.PhasePrepared {
		l.reason = proto.ReasonUnused
		return
	}
	l.closeInput("the agent's input was ended")
}

func (l *loop) signalRequest(p *peer, id uint32, body []byte) {
	s, err := proto.ParseSignal(body)
	if err != nil || s.Number == 0 || s.Number > 64 {
		l.refuse(p, id, proto.CodeMalformed, "signal")
		return
	}
	sig := syscall.Signal(s.Number)
	switch {
	case s.Scope == proto.ScopeTree && sig == syscall.SIGKILL:
		l.sweep.kill(l.now)
	case s.Scope == proto.ScopeTree:
		l.signalTree(sig)
	case l.phase != proto.PhaseRunning:
		l.refuse(p, id, proto.CodeGone, "the agent does not run")
		return
	default:
		_ = unix.Kill(l.agent.pid, sig) // not reaped, so the pid is still the agent's
	}
	l.send(p, proto.TypeOK, id, nil)
}
