package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vyre"
	"vyre/agent"
	"vyre/internal/confine"
	"vyre/internal/shim/cgroup"
)

// Confinement says how sessions are shut in. The zero value shuts them in as well as
// this machine can.
type Confinement struct {
	Require bool     // refuse to start a session that can't be shut in whole
	Off     bool     // shut nothing in
	Debug   bool     // the session's processes may trace each other
	Sockets []string // folders of our sockets besides RuntimeDir, hidden where they are there
	Pids    int64    // processes that a session may have at once; 0: no bound
	Memory  int64    // bytes that it may use; 0: no bound
}

// Report is what this machine can shut in. It tries once, at the first call, and
// takes some milliseconds then. Unavailable when this build has no session's parent.
func (l *Launcher) Report() (confine.Report, error) {
	program, err := l.program()
	if err != nil {
		return confine.Report{}, err
	}
	l.examine.Do(func() { l.report = confine.Examine(program, l.parent) })
	return l.report, nil
}

// Parts is what sessions that start now are shut in by, as far as this machine gives
// it.
func (l *Launcher) Parts() confine.Parts {
	if l.cfg.Confine.Off {
		return 0
	}
	r, err := l.Report()
	if err != nil {
		return 0
	}
	p := r.Can()
	if l.cfg.Confine.Debug {
		p &^= confine.Files
	}
	return p
}

// plan is how a session is shut in, as the shim is told. Errors: unavailable when it
// has to be whole and can't be.
func (l *Launcher) plan(s vyre.Session, cmd agent.Command) ([]byte, error) {
	c := l.cfg.Confine
	if c.Off {
		return nil, nil
	}
	r, err := l.Report()
	if err != nil {
		return nil, err
	}
	if c.Require && !r.Whole() {
		return nil, notWhole(r)
	}
	parts := l.Parts()
	if parts == 0 {
		return nil, nil
	}
	own := l.sessionSockets(s.ID)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, fault("the folder of the session's own socket can't be made", err)
	}
	p := confine.Places(confine.Where{
		Home: l.cfg.Home, Private: filepath.Join(l.cfg.Home, "private"), Worktrees: filepath.Join(l.cfg.Home, "worktrees"),
		Runtime: l.sockets(), Session: own, CWD: filepath.Clean(cmd.Dir), Env: cmd.Env, UID: strconv.Itoa(os.Getuid()),
	})
	p.Parts, p.Debug, p.Fallback = parts, c.Debug, !c.Require
	return p.Append(nil), nil
}

// bound bounds what a session's control group may use, as far as the kernel takes it.
func (l *Launcher) bound(g cgroup.Group) []string {
	if l.cfg.Confine.Off || g.Path == "" {
		return nil
	}
	return g.Bound(l.cfg.Confine.Pids, l.cfg.Confine.Memory)
}

// sessionSockets is the folder of a session's own socket, which it sees.
func (l *Launcher) sessionSockets(id vyre.SessionID) string {
	return filepath.Join(l.cfg.RuntimeDir, "s", string(id))
}

// sockets lists the folders of our sockets that are there.
func (l *Launcher) sockets() []string {
	list := []string{l.cfg.RuntimeDir}
	for _, dir := range l.cfg.Confine.Sockets {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// notWhole is the error of a session that has to be shut in and can't be.
func notWhole(r confine.Report) *vyre.Error {
	var why []string
	for _, m := range r.Missing {
		if !slices.Contains([]string{"limits", "user of their own", "Yama"}, m.What) {
			why = append(why, m.Why)
		}
	}
	return vyre.Errorf(vyre.CodeUnavailable, "sessions can't be shut in here: %s", strings.Join(why, "; ")).
		WithHint("sessions.confine is require. `vyre doctor` says what would help; auto goes on with what there is.").
		WithDetail("missing", r.Missing)
}
