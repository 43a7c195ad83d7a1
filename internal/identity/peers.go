package identity

import (
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"vyre"
	"vyre/internal/shim/procs"
)

// Sessions is a live view of every session that is not ended, those that are
// being started included.
type Sessions interface{ Open() []vyre.Session }

// Peers tells who is at the other end of a unix socket.
type Peers struct {
	sessions Sessions
	programs Programs
	bound    func() []Bound
	next     func() Facts
	self     procs.Proc
	uid      int
	sys      system
	foreign  foreign
}

// Option changes a Peers that is being made.
type Option func(*Peers)

// WithUID sets the user whose processes may be the person; the default is the
// user this process runs as.
func WithUID(uid int) Option { return func(p *Peers) { p.uid = uid } }

// Bound is a process that is known to be an agent although its program does not show
// it: a hook that it ran said so.
type Bound struct {
	PID    int
	Start  uint64      // as procs.Proc has it
	Caller vyre.Caller // whom what runs below it is taken for; never a person
}

// WithBound sets who lists such processes. It is called at each look. Nothing in the
// daemon sets it yet: it waits for the hooks of agents in a person's own terminals.
func WithBound(f func() []Bound) Option { return func(p *Peers) { p.bound = f } }

// WithFolders sets Programs.Folders.
func WithFolders(folders map[string]string) Option {
	return func(p *Peers) { p.programs.Folders = maps.Clone(folders) }
}

// WithNext sets who says what a session that is started now would have, so that the
// level promises nothing that only the present sessions keep.
func WithNext(f func() Facts) Option { return func(p *Peers) { p.next = f } }

// WithSelf makes a process (the daemon) one below which nobody is a person.
func WithSelf(pid int) Option {
	return func(p *Peers) { p.self, _ = procs.Stat(pid) }
}

// NewPeers returns a Peers. Executables are the base names of agents' programs
// (claude, codex, …): what runs below one is agent:<name>.
func NewPeers(s Sessions, executables []string, options ...Option) *Peers {
	p := &Peers{
		sessions: s, programs: Programs{Executables: slices.Clone(executables)}, uid: os.Geteuid(), sys: newSystem(),
		next: func() Facts { return Facts{Cgroup: true} },
	}
	for _, o := range options {
		o(p)
	}
	return p
}

// Caller says who the peer of a connection is, now. The error is a *vyre.Error
// of code unauthenticated.
func (p *Peers) Caller(conn *net.UnixConn) (vyre.Caller, error) {
	peer := p.Accept(conn)
	defer peer.Close()
	return peer.Caller()
}

func (p *Peers) walk(open []vyre.Session) walk {
	return walk{sys: p.sys, open: open, programs: p.programs, bound: p.bound, self: p.self}
}

// Peer is the process at the other end of one connection, held by a handle
// where the system has one. Its methods may be called from any goroutine.
type Peer struct {
	peers *Peers
	err   error

	mu    sync.Mutex // a handle that is being looked at must not be closed
	held  *held      // nil once closed; guarded by mu
	known verdict    // guarded by mu
}

// verdictLife is how long a verdict holds on its connection, while the peer
// lives, stays in its cgroup, and the same sessions are open. Following a chain
// of parents takes about 0.4 ms, too long for each of a burst of calls; what can
// change unseen in that time is a parent that becomes an agent, and its child
// was there before it.
const verdictLife = 250 * time.Millisecond

// verdict is what was found and when, and what it rests on.
type verdict struct {
	caller vyre.Caller
	at     time.Time
	open   []vyre.Session
	cgroup uint64
}

func (v *verdict) holds(open []vyre.Session, cgroup uint64) bool {
	return v.caller.Kind != "" && time.Since(v.at) < verdictLife && v.cgroup == cgroup && sameSessions(v.open, open)
}

// Accept takes hold of a connection's peer. Do it as soon as the connection is
// accepted, and Close it with the connection. What fails is told by Caller.
func (p *Peers) Accept(conn *net.UnixConn) *Peer {
	h, err := p.sys.hold(conn, p.uid)
	return &Peer{peers: p, held: h, err: err}
}

// Close lets go of the handle.
func (p *Peer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held != nil {
		p.held.close()
		p.held = nil
	}
}

// Caller says who the peer is, now: sessions may have begun since the last
// call, and the peer may have died. The error is of code unauthenticated.
func (p *Peer) Caller() (vyre.Caller, error) { return p.caller(false) }

// Deciding is Caller for a call that decides something: nothing that was found
// earlier is relied on. It takes some milliseconds.
func (p *Peer) Deciding() (vyre.Caller, error) { return p.caller(true) }

func (p *Peer) caller(fresh bool) (vyre.Caller, error) {
	if p.err != nil {
		return vyre.Caller{}, p.err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held == nil {
		return vyre.Caller{}, nobody("the connection is closed")
	}
	ps := p.peers
	open := ps.current()
	cgroup, told := p.held.cgroupID()
	if t, ok := byCgroupID(open, cgroup, told); ok {
		return thread(t, ps.standing(open, false).Level), nil // true of a dead peer, too
	}
	if !p.held.alive() {
		return vyre.Caller{}, nobody("the process that called is gone")
	}
	if !fresh && p.known.holds(open, cgroup) {
		return p.known.caller, nil
	}
	return p.look(open, cgroup, fresh)
}

// look follows the living peer's parents.
func (p *Peer) look(open []vyre.Session, cgroup uint64, fresh bool) (vyre.Caller, error) {
	ps := p.peers
	w := ps.walk(open)
	found, err := w.classify(p.held.pid)
	if err != nil {
		return vyre.Caller{}, err
	}
	// A session may have come up while we looked.
	if again := ps.current(); !sameSessions(open, again) {
		w.open = again
		if found, err = w.classify(p.held.pid); err != nil {
			return vyre.Caller{}, err
		}
	}
	if !p.held.alive() { // then what was read may be another's
		return vyre.Caller{}, nobody("the process that called is gone")
	}
	now := ps.standing(w.open, fresh)
	found.Proof, found.Level = "peer", now.Level
	if found.IsPerson() {
		found.Doubt = now.Doubt
	}
	p.known = verdict{caller: found, at: time.Now(), open: w.open, cgroup: cgroup}
	return found, nil
}

// current lists the open sessions of this boot, by id: pids and cgroup ids of
// another boot name other things now.
func (p *Peers) current() []vyre.Session {
	boot := p.sys.boot()
	open := slices.DeleteFunc(slices.Clone(p.sessions.Open()), func(s vyre.Session) bool {
		return s.State == vyre.SessionEnded || s.BootID != "" && boot != "" && s.BootID != boot
	})
	slices.SortFunc(open, func(a, b vyre.Session) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return open
}

func sameSessions(a, b []vyre.Session) bool {
	return slices.EqualFunc(a, b, func(x, y vyre.Session) bool {
		return x.ID == y.ID && x.PID == y.PID && x.StartTime == y.StartTime && x.AgentPID == y.AgentPID &&
			x.Cgroup == y.Cgroup && x.CgroupID == y.CgroupID && x.Level == y.Level
	})
}

func byCgroupID(open []vyre.Session, id uint64, known bool) (vyre.ThreadID, bool) {
	if !known || id == 0 {
		return "", false
	}
	for _, s := range open {
		if s.CgroupID == id {
			return s.Thread, true
		}
	}
	return "", false
}

func thread(t vyre.ThreadID, level string) vyre.Caller {
	return vyre.Caller{Kind: vyre.CallerThread, ID: string(t), Proof: "peer", Level: level}
}

// nobody refuses a peer that can't be shown to be anyone.
func nobody(why string) *vyre.Error {
	return vyre.Errorf(vyre.CodeUnauthenticated, "%s, so it can't be told who calls", why)
}

// system is what this operating system can tell about processes.
type system interface {
	// facts are those of the kernel alone.
	facts() Facts
	boot() string
	// hold takes hold of the peer of a connection, of the given user.
	hold(conn *net.UnixConn, uid int) (*held, error)
	// stat looks at one process.
	stat(pid int) (procs.Proc, error)
	// program says what a process runs.
	program(pid int) program
	// elsewhere names the namespaces in which a process is not where the daemon is,
	// without a reason that can be seen. An error means that it can't be told.
	elsewhere(pid int) ([]string, error)
	// cgroup lists the folders in which a process's cgroup may be mounted.
	cgroup(pid int) ([]string, error)
}
