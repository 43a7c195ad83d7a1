package identity

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"vyre"
	"vyre/internal/shim/procs"
)

const (
	shimName = "vyre-shim"
	maxChain = 256 // processes between a peer and the top of the tree
	maxTries = 3   // times a chain that changes under us is begun again
)

// errMoved says that the tree changed while a chain was followed.
var errMoved = errors.New("the process tree changed")

// walk is one look at the process tree.
type walk struct {
	sys      system
	open     []vyre.Session
	programs Programs
	bound    func() []Bound
	self     procs.Proc // the daemon, or nothing
}

// classify says what the living process pid is. Proof and level are not set.
func (w *walk) classify(pid int) (vyre.Caller, error) {
	for range maxTries {
		c, err := w.once(pid)
		if errors.Is(err, errMoved) {
			continue
		}
		return c, err
	}
	return vyre.Caller{}, nobody("the process that called could not be followed to its parents")
}

func (w *walk) once(pid int) (vyre.Caller, error) {
	chain, err := w.chain(pid)
	if err != nil {
		return vyre.Caller{}, err
	}
	peer := chain[0]
	if t, ok := w.inSession(chain); ok {
		return thread(t, ""), nil
	}
	found, isAgent := w.agent(chain)
	// A leader that isn't an ancestor tells where an orphan came from.
	for _, leader := range []int{peer.PGID, peer.SID} {
		if leader <= 1 || slices.ContainsFunc(chain, func(p procs.Proc) bool { return p.PID == leader }) {
			continue
		}
		other, err := w.chain(leader)
		if errors.Is(err, procs.ErrGone) {
			continue // a group outlives its leader
		}
		if err != nil {
			return vyre.Caller{}, err
		}
		if t, ok := w.inSession(other); ok {
			return thread(t, ""), nil
		}
		if !isAgent {
			found, isAgent = w.agent(other)
		}
	}
	if isAgent {
		return found, nil
	}
	return w.person(chain)
}

// person is what is left once nothing speaks against it. That something is not known
// is against it, too.
func (w *walk) person(chain []procs.Proc) (vyre.Caller, error) {
	for _, p := range chain[1:] {
		if w.self.PID != 0 && p.PID == w.self.PID && p.Start == w.self.Start {
			return vyre.Caller{}, nobody("the daemon itself started the process that called")
		}
	}
	elsewhere, err := w.sys.elsewhere(chain[0].PID)
	if err != nil {
		return vyre.Caller{}, nobody("the namespaces of the process that called can't be seen").Because(err).
			WithHint("Do it on the page: `vyre open` gives its address.")
	}
	if len(elsewhere) > 0 {
		return vyre.Caller{}, nobody("the process that called is in another "+strings.Join(elsewhere, ", ")+" namespace than the daemon").
			WithHint("A container's programs are nobody here: call from a terminal outside of it, or use the page.").
			WithDetail("namespaces", elsewhere)
	}
	return vyre.Person(vyre.Owner, "cli"), nil
}

// chain lists a process and its ancestors up to the top. A parent counts only
// if its child still names it after it was looked at: then it was the parent all
// the while, and its pid can't have been given to another.
func (w *walk) chain(pid int) ([]procs.Proc, error) {
	p, err := w.sys.stat(pid)
	if err != nil {
		return nil, gone(err)
	}
	chain := []procs.Proc{p}
	for p.PPID > 0 {
		if len(chain) == maxChain {
			return nil, nobody("the process that called has too many parents")
		}
		parent, err := w.sys.stat(p.PPID)
		again, errAgain := w.sys.stat(p.PID)
		switch {
		case errAgain != nil || again.PPID != p.PPID || again.Start != p.Start:
			return nil, errMoved
		case err != nil:
			return nil, nobody("a parent of the process that called can't be seen")
		}
		chain = append(chain, parent)
		p = parent
	}
	return chain, nil
}

// gone keeps ErrGone apart from what can't be read.
func gone(err error) error {
	if errors.Is(err, procs.ErrGone) {
		return nobody("the process that called is gone").Because(procs.ErrGone)
	}
	return nobody("the process that called can't be looked at").Because(err)
}

// inSession says which session a chain leads into.
func (w *walk) inSession(chain []procs.Proc) (vyre.ThreadID, bool) {
	for _, p := range chain {
		for i := range w.open {
			if w.sessionHas(&w.open[i], p) {
				return w.open[i].Thread, true
			}
		}
	}
	return w.inCgroup(chain)
}

// inCgroup looks whether any process of the chain is in the cgroup of a session
// or in one that was made below it. The peer may have moved itself out; a parent
// of it may not have.
func (w *walk) inCgroup(chain []procs.Proc) (vyre.ThreadID, bool) {
	if !slices.ContainsFunc(w.open, func(s vyre.Session) bool { return s.Cgroup != "" }) {
		return "", false
	}
	for _, p := range chain {
		folders, err := w.sys.cgroup(p.PID)
		if err != nil {
			continue // it died: that the peer lives is looked at again in the end
		}
		for _, s := range w.open {
			if s.Cgroup != "" && slices.ContainsFunc(folders, func(f string) bool { return below(s.Cgroup, f) }) {
				return s.Thread, true
			}
		}
	}
	return "", false
}

// sessionHas reports whether a process is the session's shim or agent, or in
// their group or session. The shim's start time must be the recorded one; the
// agent's is not recorded, but it can't have started before its shim.
func (w *walk) sessionHas(s *vyre.Session, p procs.Proc) bool {
	if s.PID == 0 || p.Start < s.StartTime {
		return false // what started before the shim is not of its session
	}
	if p.PID == s.PID {
		return p.Start == s.StartTime
	}
	if s.AgentPID != 0 && (p.PID == s.AgentPID || p.PGID == s.AgentPID || p.SID == s.AgentPID) {
		return true
	}
	grouped := s.SID > 1 && p.SID == s.SID || s.PGID > 1 && p.PGID == s.PGID
	return grouped && w.numberHolds(s)
}

// numberHolds reports whether the session's number is still its own. It is not
// given out again while anything is in the group, so if another process has it
// as its pid, the group has long been empty.
func (w *walk) numberHolds(s *vyre.Session) bool {
	p, err := w.sys.stat(s.PID)
	return err != nil || p.Start == s.StartTime
}

// agent looks for an agent among a process and its ancestors, nearest first: one that
// was bound, a session's parent that isn't in our books, an agent's program.
func (w *walk) agent(chain []procs.Proc) (vyre.Caller, bool) {
	bound := w.boundPIDs()
	for _, p := range chain {
		if b, ok := bound[p.PID]; ok && b.Start == p.Start {
			return b.Caller, true
		}
		runs := w.sys.program(p.PID)
		if runs.isShim() {
			return vyre.Caller{Kind: vyre.CallerAgent, ID: shimName}, true
		}
		if name, ok := w.programs.agent(runs); ok {
			return vyre.Caller{Kind: vyre.CallerAgent, ID: name}, true
		}
	}
	return vyre.Caller{}, false
}

func (w *walk) boundPIDs() map[int]Bound {
	if w.bound == nil {
		return nil
	}
	out := map[int]Bound{}
	for _, b := range w.bound() {
		out[b.PID] = b
	}
	return out
}

// below reports whether path is dir or lies below it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
