package confine

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// world is a home, a project and a runtime folder, as a daemon would have them.
type world struct {
	t       testing.TB
	root    string // everything below
	home    string // of vyre
	person  string // $HOME
	project string
	runtime string
	session string // the session's own socket folder, in runtime
	side    string
}

// secret is what stands in private/ and must not be seen.
const secret = "planted-secret-4711"

func newWorld(t testing.TB) *world {
	t.Helper()
	root, err := os.MkdirTemp("", "vc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	w := &world{t: t, root: root, home: root + "/home", person: root + "/person", project: root + "/person/project", runtime: root + "/run", side: root + "/cc-socks"}
	w.session = w.runtime + "/s/one"
	for _, d := range []string{w.home + "/private", w.home + "/bin", w.home + "/worktrees/a", w.person + "/.claude", w.project + "/.claude", w.session} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		w.home + "/private/vyre.db": secret, w.home + "/config.toml": "# mine\n", w.person + "/.claude/settings.json": "{}",
		w.project + "/.claude/settings.json": "{}", w.project + "/file": "text\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) plan() Plan {
	return Plan{
		Parts:    available(w.t),
		ReadOnly: []string{w.home, w.person + "/.claude/settings.json", w.project + "/.claude/settings.json", w.project + "/.mcp.json"},
		Writable: []string{w.home + "/worktrees"},
		Cover:    []string{w.home + "/private", w.runtime}, Back: []string{w.session}, Side: []string{w.side},
		Copies: []string{"/etc/ssh/ssh_config.d"},
	}
}

// available is the parts that this machine gives; a test of one that it does not
// give says so.
func available(t testing.TB) Parts {
	t.Helper()
	return Examine(self(t), "").Can()
}

func need(t testing.TB, parts Parts) {
	t.Helper()
	if have := available(t); !have.Has(parts) {
		t.Skipf("this machine gives %q, not all of %q", have.Names(), parts.Names())
	}
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// started is a confined process and what it writes.
type started struct {
	pid  int
	held Held
	out  *os.File
	in   *os.File
}

// start runs a command inside, with pipes for its stdio.
func start(t testing.TB, p Plan, c Command) started {
	t.Helper()
	s, err := tryStart(t, p, c)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	return s
}

func tryStart(t testing.TB, p Plan, c Command) (started, error) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := os.NewFile(uintptr(pair[0]), "in"), os.NewFile(uintptr(pair[1]), "in")
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inR.Close()
	defer outW.Close()
	if c.Env == nil {
		c.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}
	}
	pid, held, err := Start(self(t), p, c, []uintptr{inR.Fd(), outW.Fd(), outW.Fd()})
	if err != nil {
		_ = inW.Close()
		_ = outR.Close()
		return started{}, err
	}
	return started{pid, held, outR, inW}, nil
}

// wait returns all that it wrote, and how it ended.
func (s started) wait(t testing.TB) (string, syscall.WaitStatus) {
	t.Helper()
	_ = s.in.Close()
	b, err := io.ReadAll(s.out)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.out.Close()
	var st syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(s.pid, &st, 0, nil); err == nil {
			break
		} else if err != syscall.EINTR {
			t.Fatal(err)
		}
	}
	return string(b), st
}

// sh runs a shell script inside.
func sh(t testing.TB, p Plan, dir, script string) (string, int) {
	t.Helper()
	out, st := start(t, p, Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: dir}).wait(t)
	return out, st.ExitStatus()
}

// ordinaryEnv says that a test was started again as an ordinary user.
const ordinaryEnv = "VYRE_TEST_ORDINARY"

// ordinaryUser is a user that owns nothing of interest on this machine. It has a name
// where there is one, as some programs refuse a user without.
func ordinaryUser() uint32 {
	if u, err := user.Lookup("games"); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			return uint32(id)
		}
	}
	return 4242
}

// asOrdinary runs the same test once more as an ordinary user, as root meets other
// rules of the kernel.
func asOrdinary(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || os.Getenv(ordinaryEnv) != "" {
		return
	}
	t.Run("as an ordinary user", func(t *testing.T) {
		dir, err := os.MkdirTemp("", "vyre-ordinary-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		bin := filepath.Join(dir, "test")
		copyFile(t, self(t), bin)
		id := ordinaryUser()
		if err := os.Chown(dir, int(id), int(id)); err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(t.Name(), "/")
		cmd := exec.CommandContext(t.Context(), bin, "-test.run=^"+name+"$", "-test.v", "-test.timeout=5m")
		cmd.Dir = dir
		cmd.Env = []string{"TMPDIR=" + dir, "HOME=" + dir, "PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", ordinaryEnv + "=1"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
			t.Error(fmt.Errorf("as an ordinary user: %w", err))
		}
	})
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
}

// killGroup ends a confined process and those it started in its session.
func killGroup(pid int) error { return unix.Kill(-pid, unix.SIGKILL) }
