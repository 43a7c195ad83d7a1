package identity

import (
	"errors"
	"net"
	"testing"

	"vyre"
	"vyre/internal/shim/procs"
)

// tree is a process tree as data, for what real ones do too seldom.
type tree struct {
	procs  map[int]procs.Proc
	hidden map[int]error
	onStat func(pid int)
	runs   map[int]program
	away   map[int][]string
	blind  map[int]error
}

func (tr *tree) facts() Facts                           { return Facts{Subreaper: true, Handles: true} }
func (tr *tree) boot() string                           { return "" }
func (tr *tree) hold(*net.UnixConn, int) (*held, error) { return nil, errors.New("no sockets") }
func (tr *tree) program(pid int) program                { return tr.runs[pid] }
func (tr *tree) elsewhere(pid int) ([]string, error)    { return tr.away[pid], tr.blind[pid] }
func (tr *tree) cgroup(int) ([]string, error)           { return nil, nil }
func (tr *tree) add(pid, ppid int, start uint64) {
	tr.procs[pid] = procs.Proc{PID: pid, PPID: ppid, PGID: pid, SID: pid, Start: start}
}

func (tr *tree) stat(pid int) (procs.Proc, error) {
	if tr.onStat != nil {
		tr.onStat(pid)
	}
	if err := tr.hidden[pid]; err != nil {
		return procs.Proc{}, err
	}
	p, ok := tr.procs[pid]
	if !ok {
		return p, procs.ErrGone
	}
	return p, nil
}

func newTree() *tree {
	tr := &tree{
		procs: map[int]procs.Proc{}, hidden: map[int]error{}, runs: map[int]program{},
		away: map[int][]string{}, blind: map[int]error{},
	}
	tr.add(1, 0, 1)
	tr.add(10, 1, 100) // the session's root
	tr.add(20, 10, 200)
	tr.add(30, 20, 300)
	return tr
}

var live = vyre.Session{ID: "s", Thread: "t1", State: vyre.SessionLive, PID: 10, StartTime: 100, PGID: 10, SID: 10}

// A parent that dies while the chain is followed, its pid going to an outsider,
// doesn't lead the walk out of the session.
func TestWalkIsNotLedAstray(t *testing.T) {
	tr := newTree()
	swapped := false
	tr.onStat = func(pid int) {
		if pid == 20 && !swapped { // between the look at 30 and the look at 20
			swapped = true
			tr.add(20, 1, 400)  // the pid is an outsider's now
			tr.add(30, 10, 300) // and the orphan was taken in
		}
	}
	w := walk{sys: tr, open: []vyre.Session{live}}
	if got, err := w.classify(30); err != nil || got.String() != "thread:t1" {
		t.Errorf("got %s, %v", got, err)
	}
	if !swapped {
		t.Error("nothing was swapped")
	}
}

// A tree that never holds still, and one whose parents can't be seen, prove nothing.
func TestWalkRefusesWhatItCantFollow(t *testing.T) {
	tr := newTree()
	n := 0
	tr.onStat = func(pid int) {
		if pid == 20 {
			n++
			tr.add(30, 20, uint64(300+n))
		}
	}
	_, err := (&walk{sys: tr}).classify(30)
	refused(t, err)

	tr = newTree()
	tr.hidden[20] = errors.New("hidden")
	_, err = (&walk{sys: tr}).classify(30)
	refused(t, err)

	tr = newTree()
	for pid := 100; pid < 100+2*maxChain; pid++ {
		tr.add(pid, pid+1, 1)
	}
	_, err = (&walk{sys: tr}).classify(100)
	refused(t, err)

	_, err = (&walk{sys: newTree()}).classify(99)
	refused(t, err)
}

// The leader of an orphan's group tells where it came from.
func TestWalkAsksTheLeader(t *testing.T) {
	tr := newTree()
	p := procs.Proc{PID: 40, PPID: 1, PGID: 30, SID: 30, Start: 400}
	tr.procs[40] = p
	if got, err := (&walk{sys: tr, open: []vyre.Session{live}}).classify(40); err != nil || got.String() != "thread:t1" {
		t.Errorf("got %s, %v", got, err)
	}
	delete(tr.procs, 30) // a group outlives its leader, and then says nothing
	if got, err := (&walk{sys: tr, open: []vyre.Session{live}}).classify(40); err != nil || !got.IsPerson() {
		t.Errorf("got %s, %v", got, err)
	}
}

func refused(t *testing.T, err error) {
	t.Helper()
	if vyre.CodeOf(err) != vyre.CodeUnauthenticated {
		t.Errorf("got %v, want unauthenticated", err)
	}
}

// What is in another namespace, what can't be looked at, and what the daemon itself
// started is nobody, though nothing else speaks against it. Inside a session it is that
// session's all the same.
func TestWalkNeedsMoreThanNothingAgainst(t *testing.T) {
	ask := func(tr *tree, pid int) (vyre.Caller, error) {
		return (&walk{sys: tr, open: []vyre.Session{live}, self: procs.Proc{PID: 60, Start: 600}}).classify(pid)
	}
	tr := newTree()
	tr.add(50, 1, 500)
	if got, err := ask(tr, 50); err != nil || !got.IsPerson() {
		t.Fatalf("got %s, %v", got, err)
	}
	tr.away[50], tr.away[30] = []string{"network"}, []string{"pid", "user"}
	_, err := ask(tr, 50)
	refused(t, err)
	if vyre.AsError(err).Hint == vyre.CodeUnauthenticated.Info().Hint {
		t.Error("no hint about containers")
	}
	if got, err := ask(tr, 30); err != nil || got.String() != "thread:t1" {
		t.Errorf("inside a session: %s, %v", got, err)
	}
	delete(tr.away, 50)
	tr.blind[50] = errors.New("not permitted")
	_, err = ask(tr, 50)
	refused(t, err)

	tr = newTree()
	tr.add(60, 1, 600) // the daemon
	tr.add(61, 60, 610)
	tr.add(62, 61, 620)
	_, err = ask(tr, 62)
	refused(t, err)
	if got, err := ask(tr, 60); err != nil || !got.IsPerson() {
		t.Errorf("the daemon of a test, calling itself: %s, %v", got, err)
	}
	tr.add(60, 1, 630) // another process has its number
	if got, err := ask(tr, 62); err != nil || !got.IsPerson() {
		t.Errorf("got %s, %v", got, err)
	}
}

// A process that was bound as an agent makes all below it that agent's, as long as it
// is the very one.
func TestBoundPIDIsTheAgent(t *testing.T) {
	tr := newTree()
	tr.add(70, 1, 700)
	tr.add(71, 70, 710)
	bound := func() []Bound {
		return []Bound{{PID: 70, Start: 700, Caller: vyre.Caller{Kind: vyre.CallerAgent, ID: "hooked"}}}
	}
	w := walk{sys: tr, bound: bound}
	if got, err := w.classify(71); err != nil || got.String() != "agent:hooked" {
		t.Errorf("got %s, %v", got, err)
	}
	tr.add(70, 1, 701)
	if got, err := w.classify(71); err != nil || !got.IsPerson() {
		t.Errorf("a recycled pid: %s, %v", got, err)
	}
}
