package identity

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/internal/shim/procs"
)

// books is the list of open sessions.
type books []vyre.Session

func (b books) Open() []vyre.Session { return b }

// door is a socket to connect to.
type door struct {
	path string
	l    *net.UnixListener
}

func listen(t *testing.T) *door {
	t.Helper()
	dir, err := os.MkdirTemp("", "vyre-id")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := &door{path: filepath.Join(dir, "s")}
	if d.l, err = net.ListenUnix("unix", &net.UnixAddr{Name: d.path, Net: "unix"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.l.Close() })
	if err := os.Chmod(d.path, 0o777); err != nil {
		t.Fatal(err)
	}
	return d
}

// accept waits for the next connection. It is closed, and with it the dialer
// ended, when the test is over.
func (d *door) accept(t *testing.T) *net.UnixConn {
	t.Helper()
	if err := d.l.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	c, err := d.l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// session starts a session's root and returns its row, and a way to tell it what
// to start.
func session(t *testing.T, prepare func(*exec.Cmd)) (vyre.Session, func(how string, d *door)) {
	t.Helper()
	cmd := helper("root", "subreaper")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if prepare != nil {
		prepare(cmd)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	p, err := procs.Stat(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	boot, err := procs.BootID()
	if err != nil {
		t.Fatal(err)
	}
	s := vyre.Session{
		ID: "s1", Thread: "t1", State: vyre.SessionLive, BootID: boot,
		PID: p.PID, StartTime: p.Start, PGID: p.PGID, SID: p.SID, Level: "L1",
	}
	return s, func(how string, d *door) {
		if _, err := io.WriteString(in, how+" "+d.path+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func withoutSubreaper(cmd *exec.Cmd) { cmd.Args[len(cmd.Args)-1] = "plain" }

// caller asks who a connection's peer is.
func caller(t *testing.T, c *net.UnixConn, executables []string, open ...vyre.Session) vyre.Caller {
	t.Helper()
	got, err := NewPeers(books(open), executables).Caller(c)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A process of a session is that thread, however it slipped away from its parents.
func TestInsideASessionIsTheThread(t *testing.T) {
	for _, how := range []string{"child", "setsid", "orphan", "setsid-orphan"} {
		t.Run(how, func(t *testing.T) {
			d := listen(t)
			s, start := session(t, nil)
			start(how, d)
			got := caller(t, d.accept(t), nil, s)
			if got.String() != "thread:t1" || got.Level != "L1" || got.Proof != "peer" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// An orphan that no subreaper took in is still known by its session's number.
func TestOrphanIsKnownByItsGroup(t *testing.T) {
	d := listen(t)
	s, start := session(t, withoutSubreaper)
	start("orphan", d)
	if got := caller(t, d.accept(t), nil, s); got.String() != "thread:t1" {
		t.Errorf("got %s", got)
	}
}

// A process that has nothing to do with any session is the person, also while
// sessions run.
func TestOutsideIsThePerson(t *testing.T) {
	d := listen(t)
	s, _ := session(t, nil)
	run(t, helper("dial", d.path))
	got := caller(t, d.accept(t), []string{"vyre-test-agent"}, s)
	if got.String() != "person:owner:cli" || got.Proof != "peer" || got.Level != "L1" {
		t.Errorf("got %+v", got)
	}
}

// A pid that another process has now is not the session's: the start time, and
// the boot, must hold.
func TestRecycledPidIsNotTheSession(t *testing.T) {
	d := listen(t)
	s, start := session(t, nil)
	start("child", d)
	c := d.accept(t)
	for name, change := range map[string]func(*vyre.Session){
		"earlier start": func(s *vyre.Session) { s.StartTime -= 5 },
		"later start":   func(s *vyre.Session) { s.StartTime += 1000 },
		"boot":          func(s *vyre.Session) { s.BootID = "another" },
		"ended":         func(s *vyre.Session) { s.State = vyre.SessionEnded },
	} {
		other := s
		change(&other)
		if got := caller(t, c, nil, other); !got.IsPerson() {
			t.Errorf("%s: got %s", name, got)
		}
	}
	if got := caller(t, c, nil, s); got.String() != "thread:t1" {
		t.Errorf("got %s", got)
	}
}

// What runs below an agent's program, or below a shim that isn't ours, is not
// the person's: by the name of the file, or by what it calls itself.
func TestBelowAnAgentIsTheAgent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "vyre-test-agent")
	if err := os.Symlink(self, linked); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "vyre-test-agent")
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, b, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path, arg0 string
		want       string
	}{
		"file":          {copied, "x", "agent:vyre-test-agent"},
		"argument":      {self, "/usr/bin/vyre-test-agent", "agent:vyre-test-agent"},
		"link":          {linked, linked, "agent:vyre-test-agent"},
		"another shim":  {self, "vyre-shim", "agent:vyre-shim"},
		"login shell":   {self, "-vyre-test-agent", "agent:vyre-test-agent"},
		"nothing known": {self, "vyre-test-agent-not", "person:owner:cli"},
	} {
		t.Run(name, func(t *testing.T) {
			d := listen(t)
			_, start := session(t, func(cmd *exec.Cmd) { cmd.Path, cmd.Args[0] = c.path, c.arg0 })
			start("setsid-orphan", d)
			if got := caller(t, d.accept(t), []string{"vyre-test-agent"}); got.String() != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A peer that died and left its connection to another process is nobody: the
// pid may be anyone's by now.
func TestDeadPeerIsNobody(t *testing.T) {
	d := listen(t)
	cmd := helper("pass", d.path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := d.accept(t)
	peer := NewPeers(books(nil), nil).Accept(c)
	defer peer.Close()
	if err := cmd.Wait(); err != nil { // dead and reaped
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "mine\n" {
		t.Fatal(line, err)
	}
	_, err := peer.Caller()
	refused(t, err)
	peer.held.pid = os.Getpid() // as if the number had been given out again
	_, err = peer.Caller()
	refused(t, err)
	_, err = NewPeers(books(nil), nil).Caller(c) // taken hold of only after the death
	refused(t, err)
}

// The number of a caller that died, given out again to another process of this user, is
// not the caller: by a handle that was taken while it lived, and by one that is taken
// only now.
func TestRecycledPidOfAPeer(t *testing.T) {
	last, err := os.OpenFile("/proc/sys/kernel/ns_last_pid", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("only root can choose the next pid")
	}
	defer last.Close()
	d := listen(t)
	cmd := helper("pass", d.path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := d.accept(t)
	early := NewPeers(books(nil), nil).Accept(c)
	defer early.Close()
	if err := cmd.Wait(); err != nil { // dead and reaped: the number is free
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "mine\n" {
		t.Fatal(line, err)
	}
	if !takeNumber(t, last, cmd.Process.Pid) {
		t.Skip("other processes are begun too fast here to have that very number")
	}
	late := NewPeers(books(nil), nil).Accept(c)
	defer late.Close()
	for name, p := range map[string]*Peer{"early": early, "late": late} {
		if got, err := p.Caller(); vyre.CodeOf(err) != vyre.CodeUnauthenticated {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// takeNumber starts a process that has a pid, and leaves it to the test's end.
func takeNumber(t *testing.T, last *os.File, pid int) bool {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := last.WriteAt([]byte(strconv.Itoa(pid-1)), 0); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(sleep, "600")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if cmd.Process.Pid == pid {
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			return true
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return false
}

// With a cgroup a session's processes are known also when they left its tree,
// its group and its cgroup's top, and even after they died.
func TestCgroupTellsTheThread(t *testing.T) {
	group, fd, id := cgroup(t)
	self, err := procs.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// Its parent, so that it has one that lives, is not an ancestor of what it starts.
	keeper := helper("root", "plain")
	in, err := keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	run(t, keeper)
	t.Cleanup(func() { in.Close() })
	parent, err := procs.Stat(keeper.Process.Pid)
	if err != nil || parent.Start < self.Start {
		t.Fatal(err)
	}
	s := vyre.Session{ID: "s1", Thread: "t1", State: vyre.SessionLive, PID: parent.PID, StartTime: parent.Start, Cgroup: group, CgroupID: id, Level: "L2"}
	inGroup := func(cmd *exec.Cmd) {
		withoutSubreaper(cmd)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, UseCgroupFD: true, CgroupFD: fd}
	}
	for _, how := range []string{"child", "setsid-orphan"} {
		d := listen(t)
		_, start := session(t, inGroup)
		start(how, d)
		if got := caller(t, d.accept(t), nil, s); got.String() != "thread:t1" || got.Level != NewPeers(books(nil), nil).Level() {
			t.Errorf("%s: got %+v", how, got)
		}
	}

	t.Run("below", func(t *testing.T) {
		below := filepath.Join(group, "below")
		if err := os.Mkdir(below, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeGroup(t, below) })
		f, err := os.Open(below)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		d := listen(t)
		_, start := session(t, func(cmd *exec.Cmd) {
			withoutSubreaper(cmd)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, UseCgroupFD: true, CgroupFD: int(f.Fd())}
		})
		start("setsid-orphan", d)
		if got := caller(t, d.accept(t), nil, s); got.String() != "thread:t1" {
			t.Errorf("got %s", got)
		}
	})

	t.Run("dead", func(t *testing.T) {
		if NewPeers(books(nil), nil).Level() != "L2" {
			t.Skip("this kernel does not tell the cgroup of a handle")
		}
		d := listen(t)
		_, start := session(t, inGroup)
		start("pass", d)
		c := d.accept(t)
		peer := NewPeers(books{s}, nil).Accept(c)
		defer peer.Close()
		if line, err := bufio.NewReader(c).ReadString('\n'); line != "mine\n" {
			t.Fatal(line, err)
		}
		waitDead(t, peer)
		if got, err := peer.Caller(); err != nil || got.String() != "thread:t1" {
			t.Errorf("got %s, %v", got, err)
		}
	})
}

// Another user's process is nobody, whatever the socket's mode.
func TestAnotherUserIsNobody(t *testing.T) {
	d := listen(t)
	run(t, helper("dial", d.path))
	_, err := NewPeers(books(nil), nil, WithUID(os.Geteuid()+1)).Caller(d.accept(t))
	refused(t, err)
	if os.Geteuid() != 0 {
		t.Skip("only root can start another user's process")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(d.path)
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), b, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := helper("dial", d.path)
	cmd.Path = filepath.Join(dir, "other")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242}}
	run(t, cmd)
	_, err = NewPeers(books(nil), nil).Caller(d.accept(t))
	refused(t, err)
}

// A session that comes up while a peer is looked at still counts.
func TestSessionThatBeginsMeanwhileCounts(t *testing.T) {
	d := listen(t)
	s, start := session(t, nil)
	start("child", d)
	late := &lateBooks{then: s}
	got, err := NewPeers(late, nil).Caller(d.accept(t))
	if err != nil || got.String() != "thread:t1" {
		t.Errorf("got %s, %v", got, err)
	}
}

// lateBooks knows of a session only from the second look on.
type lateBooks struct {
	looks int
	then  vyre.Session
}

func (l *lateBooks) Open() []vyre.Session {
	if l.looks++; l.looks == 1 {
		return nil
	}
	return []vyre.Session{l.then}
}

// A verdict is not looked for anew while nothing changed, whatever the order in
// which the sessions are listed; a new session ends it at once.
func TestVerdictHoldsWhileNothingChanges(t *testing.T) {
	d := listen(t)
	s, start := session(t, nil)
	start("child", d)
	other := vyre.Session{ID: "s0", Thread: "t0", PID: 1 << 30, StartTime: 1}
	open := &turning{lists: [][]vyre.Session{{other}}}
	peer := NewPeers(open, nil).Accept(d.accept(t))
	defer peer.Close()
	if got, err := peer.Caller(); err != nil || !got.IsPerson() {
		t.Fatalf("got %s, %v", got, err)
	}
	open.lists = [][]vyre.Session{{other, s}, {s, other}}
	for range 2 {
		if got, err := peer.Caller(); err != nil || got.String() != "thread:t1" {
			t.Fatalf("got %s, %v", got, err)
		}
	}
	at := peer.known.at
	if got, err := peer.Caller(); err != nil || got.String() != "thread:t1" || peer.known.at != at && time.Since(at) < verdictLife {
		t.Errorf("got %s, %v, looked for anew", got, err)
	}
}

// turning lists its sessions in another order each time.
type turning struct {
	lists [][]vyre.Session
	n     int
}

func (o *turning) Open() []vyre.Session {
	o.n++
	return o.lists[o.n%len(o.lists)]
}

// The level is the lowest that any open session allows.
func TestLevel(t *testing.T) {
	kernel := NewPeers(books(nil), nil).Level()
	self, err := procs.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	grouped := vyre.Session{ID: "s1", PID: self.PID, StartTime: self.Start, State: vyre.SessionLive, Cgroup: "/c", CgroupID: 7, Level: "L2"}
	bare := vyre.Session{ID: "s2", PID: self.PID, StartTime: self.Start, State: vyre.SessionLive}
	orphaned := grouped
	orphaned.StartTime, orphaned.Thread = self.Start+1, "t9"
	for name, c := range map[string]struct {
		open books
		want string
	}{
		"none":                {nil, kernel},
		"grouped":             {books{grouped}, kernel},
		"one without a group": {books{grouped, bare}, "L1"},
		"one ended":           {books{{State: vyre.SessionEnded, PID: 4}}, kernel},
		"not begun":           {books{{State: vyre.SessionStarting}}, kernel},
		"a dead parent":       {books{orphaned}, "L1"},
		"unknown":             {books{{PID: self.PID, StartTime: self.Start, State: vyre.SessionLive, Level: "L0"}}, "L0"},
	} {
		if got := NewPeers(c.open, nil).Level(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A closed peer, and a closed connection, are nobody.
func TestClosedIsNobody(t *testing.T) {
	d := listen(t)
	run(t, helper("dial", d.path))
	c := d.accept(t)
	peer := NewPeers(books(nil), nil).Accept(c)
	peer.Close()
	peer.Close()
	_, err := peer.Caller()
	refused(t, err)
	c.Close()
	_, err = NewPeers(books(nil), nil).Caller(c)
	refused(t, err)
}

// run starts a command and ends it with the test.
func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// waitDead waits until the handle on the peer says that it is dead.
func waitDead(t *testing.T, p *Peer) {
	t.Helper()
	fds := []unix.PollFd{{Fd: int32(p.held.pidfd), Events: unix.POLLIN}}
	if n, err := unix.Poll(fds, 10_000); n != 1 {
		t.Fatal("the peer does not die", n, err)
	}
}

// cgroup makes a group of its own for the test, or skips.
func cgroup(t *testing.T) (path string, fd int, id uint64) {
	t.Helper()
	mounts := unifiedMounts()
	i := slices.IndexFunc(mounts, func(m mount) bool { return unix.Access(m.point, unix.W_OK) == nil })
	if i < 0 {
		t.Skip("no cgroup can be made here")
	}
	path, err := os.MkdirTemp(mounts[i].point, "vyre-test-")
	if err != nil {
		t.Skip("no cgroup can be made here")
	}
	t.Cleanup(func() { removeGroup(t, path) })
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	return path, int(f.Fd()), st.Ino
}

// removeGroup ends what is left in a group and removes it.
func removeGroup(t *testing.T, path string) {
	_ = os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0)
	deadline := time.Now().Add(10 * time.Second)
	for os.Remove(path) != nil {
		if time.Now().After(deadline) {
			t.Error("the group does not empty")
			return
		}
		unix.Poll(nil, 2)
	}
}
