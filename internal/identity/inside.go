package identity

import (
	"slices"

	"vyre"
)

// Inside says who the peer of a session's own socket is, now: the session's thread,
// or nobody. The person is nobody there, and so is another session: what speaks on
// this socket is the session or an impostor.
func (p *Peer) Inside(id vyre.SessionID) (vyre.Caller, error) {
	open := p.peers.current()
	i := slices.IndexFunc(open, func(s vyre.Session) bool { return s.ID == id })
	if i < 0 {
		return vyre.Caller{}, outside()
	}
	c, err := p.Caller()
	if err != nil {
		return vyre.Caller{}, err
	}
	if c.Thread() == "" || c.Thread() != open[i].Thread {
		return vyre.Caller{}, outside()
	}
	c.Proof = "session socket"
	return c, nil
}

func outside() *vyre.Error {
	return vyre.Errorf(vyre.CodeUnauthenticated, "this socket serves what runs inside its session alone").
		WithHint("Unset VYRE_SOCKET: outside of sessions the daemon's own socket is found without it.")
}
