package cli

import "vyre"

// daemonOutput is all that daemon.status says to the commands that change the daemon
// itself. An older daemon says less.
type daemonOutput struct {
	statusOutput
	Home   string     `json:"home"`
	Listen string     `json:"listen"`
	Build  buildShape `json:"build"`
}

// buildShape is where a daemon lies, who starts it, and what it understands.
type buildShape struct {
	Program string        `json:"program"`
	Service string        `json:"service"`
	Store   int           `json:"store"`
	Shim    protocolShape `json:"shim"`
	Live    []liveShape   `json:"live"`
}

// protocolShape is a range of versions of the protocol of sessions' parents.
type protocolShape struct {
	Oldest int `json:"oldest"`
	Newest int `json:"newest"`
}

// liveShape is one session and what its parent speaks.
type liveShape struct {
	Thread   vyre.ThreadID `json:"thread"`
	PID      int           `json:"pid"`
	Protocol int           `json:"protocol"`
}
