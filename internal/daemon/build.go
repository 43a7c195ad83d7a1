package daemon

import (
	"cmp"
	"slices"

	"vyre/internal/config"
	"vyre/internal/module/system"
	"vyre/internal/shim"
	"vyre/internal/store/sqlite"
)

// Speaks says what this build understands of what an earlier one leaves: the
// versions of the protocol of running sessions' parents, and the number of the
// store's newest migration. An upgrade asks it before anything is stopped.
func Speaks() (oldest, newest, store int) {
	oldest, newest = shim.Protocol()
	return oldest, newest, sqlite.Newest()
}

// describe is what an upgrade asks of this daemon.
func (h *house) describe() system.Build {
	oldest, newest, store := Speaks()
	return system.Build{
		Program: h.program, Service: h.opt.Getenv(config.ServiceEnv), Store: store,
		Shim: system.Protocol{Oldest: oldest, Newest: newest}, Live: h.live(),
	}
}

// live lists the sessions and what their parents speak, by thread.
func (h *house) live() []system.Live {
	out := []system.Live{}
	for _, s := range h.engine.Sessions() {
		out = append(out, system.Live{Thread: s.Thread, Session: s.ID, PID: s.PID, Protocol: h.shims.Spoken(s.ID)})
	}
	slices.SortFunc(out, func(a, b system.Live) int { return cmp.Compare(a.Thread, b.Thread) })
	return out
}
