package confine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attack is one attempt of a process inside.
type attack struct {
	name  string
	parts Parts  // that must stop it; 0: the machine's own rules do
	act   string // one argument a line
	child bool   // tried by a child against the process that was confined
	root  bool   // means something as root only
}

func attacks(w *world, victim int, group string) []attack {
	v := strconv.Itoa(victim)
	l := func(s ...string) string { return strings.Join(s, "\n") }
	list := []attack{
		{"read the database", Mount, l("read", w.home+"/private/vyre.db"), false, false},
		{"read it through another process's root", Scope, l("read", "/proc/"+v+"/root"+w.home+"/private/vyre.db"), false, false},
		{"read it through another process's folder", Scope, l("read", "/proc/"+v+"/cwd/home/private/vyre.db"), false, false},
		{"read it through init's root", 0, l("read", "/proc/1/root"+w.home+"/private/vyre.db"), false, false},
		{"write into private", Mount, l("create", w.home+"/private/x"), false, false},
		{"write our settings", Mount, l("create", w.home+"/config.toml"), false, false},
		{"replace a program of ours", Mount, l("create", w.home+"/bin/vyre-shim"), false, false},
		{"move the home away", Mount, l("rename", w.home, w.home+"2"), false, false},
		{"link the database elsewhere", Mount, l("link", w.home+"/private/vyre.db", w.project+"/db"), false, false},
		{"connect to the daemon", Mount, l("connect", w.runtime+"/daemon.sock"), false, false},
		{"connect to another session's socket", Mount, l("connect", w.runtime+"/s/two/sock"), false, false},
		{"connect to a session's parent", Mount, l("connect", w.runtime+"/two.sock"), false, false},
		{"connect to a vendor's side socket", Mount, l("connect", w.side+"/1.sock"), false, false},
		{"connect to an abstract socket", Scope, l("connect", "@vyre-test-"+filepath.Base(w.root)), false, false},
		{"write the project's settings", Mount, l("write", w.project+"/.claude/settings.json", "{}"), false, false},
		{"rename over them", Mount, l("rename", w.project+"/file", w.project+"/.claude/settings.json"), false, false},
		{"remove them", Mount, l("remove", w.project+"/.claude/settings.json"), false, false},
		{"change their mode", Mount, l("chmod", w.project+"/.claude/settings.json"), false, false},
		{"change their times", Mount, l("utime", w.project+"/.claude/settings.json"), false, false},

		{"end a process outside", Scope, l("kill", v), false, false},
		{"end it by its handle", Scope, l("pidfd kill", v), false, false},
		{"trace it", Calls, l("ptrace", v), false, false},
		{"seize it", Calls, l("ptrace seize", v), false, false},
		{"read its memory", Calls, l("vm read", v), false, false},
		{"write its memory", Calls, l("vm write", v), false, false},
		{"open its memory", Scope, l("open-write", "/proc/"+v+"/mem"), false, false},
		{"read its environment", Scope, l("read", "/proc/"+v+"/environ"), false, false},
		{"take its descriptor", Calls, l("getfd", v, "0"), false, false},
		{"open its descriptor", Scope, l("open-write", "/proc/"+v+"/fd/0"), false, false},
		{"compare with it", Calls, l("kcmp", v), false, false},
		{"enter its mount namespace", Calls, l("setns", "/proc/"+v+"/ns/mnt"), false, false},
		{"enter it by its handle", Calls, l("setns pidfd", v), false, false},
		{"enter its pid namespace", Calls, l("setns", "/proc/"+v+"/ns/pid"), false, false},
		{"enter its user namespace", Calls, l("setns", "/proc/"+v+"/ns/user"), false, false},

		{"its agent: write its input", 0, l("open-write", "/proc/$AGENT/fd/0"), true, false},
		{"its agent: write its memory", Files, l("open-write", "/proc/$AGENT/mem"), true, false},
		{"its agent: write a thread's memory", Files, l("open-write", "/proc/$AGENT/task/$AGENT/mem"), true, false},
		{"its agent: write memory by a call", Calls, l("vm write", "$AGENT"), true, false},
		{"its agent: read memory by a call", Calls, l("vm read", "$AGENT"), true, false},
		{"its agent: trace it", Calls, l("ptrace", "$AGENT"), true, false},
		{"its agent: seize it", Calls, l("ptrace seize", "$AGENT"), true, false},
		{"its agent: take its input", Calls, l("getfd", "$AGENT", "0"), true, false},
		{"its agent: take its output", Calls, l("getfd", "$AGENT", "1"), true, false},
		{"its agent: be traced by it", Calls, l("traced by its parent"), true, false},

		{"umount private", Calls, l("umount", w.home+"/private"), false, false},
		{"detach private", Calls, l("umount detach", w.home+"/private"), false, false},
		{"detach the runtime folder", Calls, l("umount detach", w.runtime), false, false},
		{"bind the home elsewhere", Calls, l("bind", w.home, w.project), false, false},
		{"bind the root elsewhere", Calls, l("bind", "/", w.project), false, false},
		{"mount over the settings", Calls, l("tmpfs", w.project+"/.claude"), false, false},
		{"make a read-only mount writable", Calls, l("remount", w.home), false, false},
		{"the same by the newer call", Calls, l("mount setattr", w.home), false, false},
		{"move a mount", Calls, l("move mount", w.home, w.project), false, false},
		{"copy a tree of mounts", Calls, l("open tree", "/"), false, false},
		{"make a file system", Calls, l("fsopen"), false, false},
		{"change the root's mount", Calls, l("pivot root", w.project), false, false},
		{"change the root", Caps, l("chroot", w.project), false, false},
		{"a mount namespace", Caps, l("unshare mount"), false, false},
		{"a user namespace", Calls, l("unshare user"), false, false},
		{"a child in a user namespace", Calls, l("clone user"), false, false},
		{"the same by clone3", Calls, l("clone3 user"), false, false},
		{"a child in a pid namespace", Caps, l("clone pid"), false, false},
		{"gain capabilities", Caps, l("raise cap"), false, false},
		{"take back no_new_privs", 0, l("dumpable"), false, false},
		{"a device of its own", Caps, l("mknod", w.project+"/disk"), false, false},
		{"set the clock", Caps, l("set time"), false, false},
		{"map users of a namespace", Files, l("open-write", "/proc/self/uid_map"), false, false},
		{"call through another interface", Calls, l("x32 call"), false, false},
		{"name the program of core dumps", Files, l("open-write", "/proc/sys/kernel/core_pattern"), false, true},
		{"give the kernel a command", Files, l("open-write", "/proc/sysrq-trigger"), false, true},
		{"name a program for hot-plugging", Files, l("open-write", "/sys/kernel/uevent_helper"), false, true},
	}
	if group != "" {
		list = append(list,
			attack{"leave its control group", Files, "write\n" + group + "/cgroup.procs\n0", false, false},
			attack{"make a control group", Mount, "mkdir\n" + group + "/vyre-escape", false, false},
		)
	}
	for _, disk := range blockDevices() {
		list = append(list, attack{"read the raw disk " + disk, Mount, "read-some\n" + disk, false, true})
	}
	return list
}

// blockDevices lists some disks that this process can read.
func blockDevices() []string {
	entries, _ := os.ReadDir("/dev")
	var disks []string
	for _, e := range entries {
		if e.Type()&os.ModeDevice == 0 || e.Type()&os.ModeCharDevice != 0 || len(disks) == 2 {
			continue
		}
		f, err := os.Open("/dev/" + e.Name())
		if err != nil {
			continue
		}
		if n, _ := f.Read(make([]byte, 512)); n > 0 {
			disks = append(disks, "/dev/"+e.Name())
		}
		_ = f.Close()
	}
	return disks
}

// outside starts a process of the same user outside any confinement.
func outside(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(self(t))
	cmd.Env, cmd.Dir = []string{actEnv + "=victim", "TOKEN=" + secret}, dir
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
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	return cmd
}

// listen makes the sockets that are attacked, outside.
func (w *world) listen() {
	w.t.Helper()
	for _, d := range []string{w.side, w.runtime + "/s/two"} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, path := range []string{w.runtime + "/daemon.sock", w.runtime + "/two.sock", w.runtime + "/s/two/sock", w.session + "/sock", w.side + "/1.sock", "@vyre-test-" + filepath.Base(w.root)} {
		l, err := net.Listen("unix", path)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { _ = l.Close() })
	}
}

// attempt runs an act inside and returns what it said.
func attempt(t *testing.T, w *world, p Plan, a attack) string {
	t.Helper()
	c := Command{Path: self(t), Args: []string{"agent"}, Dir: w.project, Env: []string{actEnv + "=" + a.act}}
	if a.child {
		c.Env = append(c.Env, childEnv+"=1")
	}
	s := start(t, p, c)
	timer := time.AfterFunc(20*time.Second, func() { _ = killGroup(s.pid) }) // a traced process stops
	defer timer.Stop()
	out, _ := s.wait(t)
	return strings.TrimSpace(out)
}

func TestAttacks(t *testing.T) {
	// What a process inside tries against private state, sockets, its parent, the
	// daemon, its own agent and the rules themselves is refused, each by itself.
	have := available(t)
	w := newWorld(t)
	w.listen()
	victim := outside(t, w.root)
	group := writableGroup()
	tried, not := 0, []string{}
	for _, a := range attacks(w, victim.Process.Pid, group) {
		if a.root && os.Geteuid() != 0 || !have.Has(a.parts) || strings.Contains(a.act, "x32") && !hasX32() {
			not = append(not, a.name)
			continue
		}
		tried++
		out := attempt(t, w, w.plan(), a)
		if !strings.HasPrefix(out, "refused") {
			t.Errorf("accepted: %s (%s)", a.name, out)
			continue
		}
		t.Logf("%-45s %s", a.name, out)
	}
	if err := victim.Process.Signal(unix.Signal(0)); err != nil {
		t.Errorf("the process outside is gone: %v", err)
	}
	if os.Geteuid() == 0 && len(blockDevices()) == 0 {
		not = append(not, "read a raw disk (there is none to be read here)")
	}
	if group == "" {
		not = append(not, "leave its control group (this user may write none)")
	}
	t.Logf("%d tried, 0 may be accepted; not tried here: %q", tried, not)
	asOrdinary(t)
}

func TestAttacksWouldSucceed(t *testing.T) {
	// The attempts are real ones: without a confinement those that the machine's own
	// rules do not stop go through.
	w := newWorld(t)
	w.listen()
	victim := outside(t, w.root)
	for _, name := range []string{
		"read the database", "connect to the daemon", "connect to an abstract socket", "write our settings",
		"its agent: write its memory", "its agent: take its output", "open its memory", "read its environment",
	} {
		for _, a := range attacks(w, victim.Process.Pid, "") {
			if a.name != name {
				continue
			}
			if out := attempt(t, w, Plan{}, a); !strings.HasSuffix(out, "done") {
				t.Errorf("%s was refused although nothing is confined: %s", name, out)
			}
		}
	}
}

// writableGroup is a control group that this user could leave its own for.
func writableGroup() string {
	for _, g := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if unix.Access(g+"/cgroup.procs", unix.W_OK) == nil {
			return g
		}
	}
	return ""
}

func hasX32() bool { return len(callTables) > 0 && callTables[0].limit != 0 }

func TestOnlyDeclaredDescriptors(t *testing.T) {
	// A confined process has the descriptors it was given and none of the stage's.
	w := newWorld(t)
	if out := attempt(t, w, w.plan(), attack{act: "descriptors"}); !strings.HasPrefix(out, "0 1 2\n") {
		t.Errorf("descriptors %q", out)
	}
}

func TestOwnSocketIsSeen(t *testing.T) {
	// The session's own socket can be reached, also one that was made after the
	// session began.
	need(t, Mount)
	w := newWorld(t)
	if err := os.MkdirAll(w.side, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, w.plan(), Command{Path: "/bin/sh", Args: []string{"sh", "-c", "read x; exec " + self(t)}, Dir: w.project, Env: []string{actEnv + "=connect\n" + w.session + "/sock"}})
	l, err := net.Listen("unix", w.session+"/sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fmt.Fprintln(s.in, "go")
	if out, _ := s.wait(t); out != "done\n" {
		t.Errorf("it said %q", out)
	}
}
