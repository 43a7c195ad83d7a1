package shim

import (
	"vyre"
	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// Protocol is the range of protocol versions that this build speaks with the
// parents of sessions: its own and the one before.
func Protocol() (oldest, newest int) { return proto.MinVersion, proto.Version }

// Spoken is the protocol version of a session's parent, 0 when it has not said
// hello to this daemon: it is gone, does not answer, or speaks none that is known.
func (l *Launcher) Spoken(id vyre.SessionID) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.said[id])
}

// met checks what a parent says of itself at its welcome and keeps it.
func (l *Launcher) met(id vyre.SessionID, i proto.Identity) error {
	if !proto.Speaks(i.Version) {
		return &refusal{proto.CodeVersion, "no version in common"}
	}
	l.mu.Lock()
	l.said[id] = i.Version
	l.mu.Unlock()
	return nil
}

// foreign is the error of a session whose parent speaks no version that this build
// knows. It works on and is left alone; engine.DetailForeign marks the error.
func foreign(r *refusal) *vyre.Error {
	e := vyre.Errorf(vyre.CodeConflict, "the session was started by a version of vyre that this one can't talk to").
		WithHint("It works on. Let the vyre that started it finish it, or stop the thread: the next message then starts a new session.").
		WithDetail(engine.DetailForeign, true)
	e.Err = r
	return e
}
