package system

import (
	"context"

	"vyre"
)

// Build is what an upgrade needs to know of a daemon: where it lies, who starts it, and
// what it and the sessions that run understand.
type Build struct {
	Program string   `json:"program"` // path of the daemon's binary when it started
	Service string   `json:"service"` // user, system or launchd when a service manager runs it, else empty
	Store   int      `json:"store"`   // number of the store's newest migration
	Shim    Protocol `json:"shim"`    // versions of the protocol that it speaks with the parents of sessions
	Live    []Live   `json:"live"`    // sessions that are not proven ended
}

// Protocol is a range of protocol versions, both ends included.
type Protocol struct {
	Oldest int `json:"oldest"`
	Newest int `json:"newest"`
}

// Live is one session and the parent that holds it.
type Live struct {
	Thread   vyre.ThreadID  `json:"thread"`
	Session  vyre.SessionID `json:"session"`
	PID      int            `json:"pid"`      // of the parent; 0 while it starts
	Protocol int            `json:"protocol"` // what the parent speaks; 0 when it can't be talked to (yet)
}

// StopIn is the input of daemon.stop.
type StopIn struct {
	Again bool `json:"again,omitempty" jsonschema:"end so that the service manager starts the daemon again; without one it is an ordinary end"`
}

func (m *Module) stop(_ context.Context, _ vyre.Caller, in StopIn) (StopOut, error) {
	if in.Again {
		m.Again()
	} else {
		m.Leave()
	}
	return StopOut{true}, nil
}
