package identity

import (
	"fmt"
	"slices"
	"strings"

	"vyre"
)

// Facts is all that a level rests on. The parts of confinement are facts of every open
// session: one that lacks a part lacks it for all.
type Facts struct {
	Subreaper bool // orphans of a session stay below its parent
	Handles   bool // a peer is held by handle, which tells its control group
	Root      bool // the daemon and its sessions run as root

	Cgroup   bool // a session has a control group of its own
	Scoped   bool // Landlock: no signal out of it, no write to control groups
	Filtered bool // seccomp: no tracing, no taking of descriptors
	Mount    bool // a mount namespace without Vyre's own sockets and state
	OtherUID bool // it runs as another user
	NetNS    bool // it has a network of its own

	Foreign  string // an agent that no session holds runs for this user: its name
	Unproven string // a session's parent died and its tree is not proven empty: the thread
}

// And is what holds of both.
func (f Facts) And(g Facts) Facts {
	f.Cgroup, f.Scoped, f.Filtered = f.Cgroup && g.Cgroup, f.Scoped && g.Scoped, f.Filtered && g.Filtered
	f.Mount, f.OtherUID, f.NetNS = f.Mount && g.Mount, f.OtherUID && g.OtherUID, f.NetNS && g.NetNS
	return f
}

// Standing is how well a person can be told from an agent.
type Standing struct {
	Level string // L0 to L5
	Why   string // what keeps it from being higher
	Raise string // the one command that would raise it, or empty: there is none
	Doubt string // why a terminal's claim to be the person is weak (vyre.Caller.Doubt)
}

// Level is the ladder (SECURITY in docs/guide/security.md), from the bottom up. It is
// pure: the same facts give the same level.
func Level(f Facts) (level, why, raise string) {
	switch {
	case !f.Subreaper:
		return "L0", "this system keeps no orphan below its session and gives no handle on a caller", "vyre open"
	case f.Unproven != "":
		return "L1", "the parent of a session of thread " + f.Unproven + " died, and nothing proves yet that its tree is empty", "vyre stop " + f.Unproven
	case f.Foreign != "":
		return "L1", f.Foreign + " runs for this user outside of Vyre", "vyre run"
	case !f.Handles:
		return "L1", "this kernel has no handle on a caller that tells its control group (Linux 6.13 has)", ""
	case !f.Cgroup:
		return "L1", "sessions have no control group of their own", "vyre service install"
	case f.Root:
		return "L2", "sessions run as root, which no confinement fully holds", ""
	case !f.Scoped || !f.Filtered:
		return "L2", "sessions can signal other processes of this user and trace them", ""
	case !f.Mount:
		return "L3", "sessions see Vyre's own sockets", ""
	case !f.OtherUID || !f.NetNS:
		return "L4", "sessions run as the same user as the daemon", ""
	}
	return "L5", "", ""
}

// doubt words why a terminal is doubted. It follows the level, but for L0, where a
// terminal is not asked at all.
func doubt(level, why string) string {
	if level == "L1" {
		return fmt.Sprintf("level %s: %s", level, why)
	}
	return ""
}

// Level is how well this machine tells a person from an agent at the moment.
func (p *Peers) Level() string { return p.Standing().Level }

// Standing is the level at the moment, and what it rests on.
func (p *Peers) Standing() Standing { return p.standing(p.current(), false) }

func (p *Peers) standing(open []vyre.Session, fresh bool) Standing {
	var s Standing
	s.Level, s.Why, s.Raise = Level(p.facts(open, fresh))
	s.Doubt = doubt(s.Level, s.Why)
	return s
}

func (p *Peers) facts(open []vyre.Session, fresh bool) Facts {
	f := p.next()
	kernel := p.sys.facts()
	f.Subreaper, f.Handles, f.Root = kernel.Subreaper, kernel.Handles, p.uid == 0
	for _, s := range open {
		if s.State == vyre.SessionEnded || s.PID == 0 && s.State == vyre.SessionStarting {
			continue // nothing of it runs (yet)
		}
		f = f.And(sessionFacts(s))
		if s.Level == "L0" {
			f.Subreaper = false
		}
		if !p.parentAlive(s) {
			f.Unproven = string(s.Thread)
		}
	}
	f.Foreign = p.foreignAgent(fresh)
	return f
}

// sessionFacts reads a session's row: what holds of its confinement stands in it by
// name (package confine).
func sessionFacts(s vyre.Session) Facts {
	held := strings.Fields(s.Confined)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if !slices.Contains(held, p) {
				return false
			}
		}
		return true
	}
	return Facts{
		Cgroup: s.Cgroup != "" && s.CgroupID != 0 && s.Level != "L1",
		Scoped: has("scope", "files"), Filtered: has("calls"), Mount: has("mount", "caps"),
	}
}

// parentAlive reports whether the recorded parent of a session runs. One that is gone
// leaves its orphans to whoever takes them, so until the tree is proven empty, which
// ends the session in our books, any of them may be taken for a person's.
func (p *Peers) parentAlive(s vyre.Session) bool {
	q, err := p.sys.stat(s.PID)
	return err == nil && q.Start == s.StartTime && !q.Dead()
}
