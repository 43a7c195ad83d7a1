package shim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vyre/internal/shim/procs"
)

func TestAgentEnvironment(t *testing.T) {
	// The agent has exactly the environment, arguments and folder of its command,
	// a session of its own, the daemon's umask, and no secret in argv or environment.
	b := newBench(t)
	cmd := script(t, `umask; pwd; read x`)
	cmd.Env = []string{"A=1", "B=two words", "PATH=/usr/bin:/bin"}
	cmd.OneShot = [][]byte{[]byte("hidden-secret-value")}
	s, p := b.start(cmd)
	if got, want := string(one(t, p).Bytes), fmt.Sprintf("%04o", currentUmask(t)); got != want {
		t.Errorf("umask %s, want %s", got, want)
	}
	if got := string(one(t, p).Bytes); got != cmd.Dir {
		t.Errorf("folder %q, want %q", got, cmd.Dir)
	}
	if got := procFile(t, s.AgentPID, "environ"); got != strings.Join(cmd.Env, "\x00")+"\x00" {
		t.Errorf("environment %q", got)
	}
	if got, want := procFile(t, s.AgentPID, "cmdline"), "/bin/sh\x00-c\x00"+cmd.Args[1]+"\x00"; got != want {
		t.Errorf("arguments %q", got)
	}
	st, err := procs.Stat(s.AgentPID)
	if err != nil || st.SID != s.AgentPID || st.PPID != s.PID {
		t.Errorf("agent %+v, %v", st, err)
	}
	for _, file := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.PID, file))
		if errors.Is(err, os.ErrPermission) && os.Getuid() != 0 {
			continue // not dumpable: nobody but root reads it, which is the point
		}
		if err != nil {
			t.Fatal(err)
		}
		got := string(b)
		if strings.Contains(got, "hidden") || strings.Contains(got, s.Token) {
			t.Errorf("a secret is in the shim's %s", file)
		}
	}
	if got := procFile(t, s.PID, "cmdline"); got != "vyre-shim\x00" {
		t.Errorf("the shim is called %q", got)
	}
	if got := procFile(t, s.PID, "comm"); got != "vyre-shim\n" {
		t.Errorf("the shim is named %q", got)
	}
}

func currentUmask(t *testing.T) int {
	t.Helper()
	for line := range strings.Lines(procFile(t, os.Getpid(), "status")) {
		if v, ok := strings.CutPrefix(line, "Umask:"); ok {
			var n int
			if _, err := fmt.Sscanf(strings.TrimSpace(v), "%o", &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no umask in status")
	return 0
}

func procFile(t *testing.T, pid int, name string) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAgentDescriptors(t *testing.T) {
	// The agent inherits its stdio as sockets and its secrets as pipes, and no
	// descriptor besides, although this process has others open.
	extra, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	b := newBench(t)
	cmd := script(t, "read x")
	cmd.OneShot = [][]byte{[]byte("a"), []byte("b")}
	s, _ := b.start(cmd)
	until(t, "the shell runs", func() bool { return strings.HasPrefix(procFile(t, s.AgentPID, "comm"), "sh") })
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.AgentPID))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range entries {
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", s.AgentPID, e.Name()))
		kind, _, _ := strings.Cut(target, ":")
		kinds = append(kinds, e.Name()+" "+kind)
	}
	slices.Sort(kinds)
	if want := []string{"0 socket", "1 socket", "2 socket", "3 pipe", "4 pipe"}; !slices.Equal(kinds, want) {
		t.Fatalf("descriptors %q, want %q", kinds, want)
	}
}

func TestOneShotIsReadOnce(t *testing.T) {
	// The first reader of a secret gets it whole; a grandchild that inherits the
	// descriptor finds it empty.
	b := newBench(t)
	cmd := script(t, `read s <&3; echo "$s"; sh -c 'cat <&3; echo end'`)
	cmd.OneShot = [][]byte{[]byte("the secret\n")}
	_, p := b.start(cmd)
	if got := texts(collect(t, p)); !slices.Equal(got, []string{"the secret", "end"}) {
		t.Fatalf("read %q", got)
	}
}

func TestStdinIsNoDoor(t *testing.T) {
	// A command of the agent can't write to the agent's own input through /proc,
	// nor by its inherited descriptors.
	b := newBench(t)
	_, p := b.start(script(t, `
sh -c 'echo forged > /proc/'$$'/fd/0' 2>err || echo refused
sed 's/.*: //' err
sh -c 'echo forged >&0' 2>/dev/null || echo refused too
read x; echo "input: $x"`))
	expect(t, p, "refused")
	if got := string(one(t, p).Bytes); !strings.Contains(got, "No such device or address") {
		t.Errorf("the reason was %q", got)
	}
	expect(t, p, "refused too")
	send(t, p, 1, "real\n")
	expect(t, p, "input: real")
}

func TestShimIsUnreadable(t *testing.T) {
	// The shim is not dumpable: its files under /proc are root's, so nobody of its
	// own user reads its memory or takes its descriptors.
	b := newBench(t)
	s, _ := b.start(script(t, "read x"))
	dumpable := "/proc/" + fmt.Sprint(s.PID) + "/environ"
	fi, err := os.Stat(dumpable)
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		if _, err := os.ReadFile(dumpable); err == nil {
			t.Fatal("its environment can be read")
		}
		return
	}
	// As root only the owner of the files tells; where that is root anyway, try it
	// as somebody else who runs the very program.
	_ = fi
	runAsNobody(t, b)
}

func TestFilesArePrivate(t *testing.T) {
	// All that a session leaves on disk is for its user alone.
	b := newBench(t)
	s, p := b.start(script(t, "echo out; echo err >&2; exit 1"))
	collect(t, p)
	err := filepath.WalkDir(s.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", d.Name(), fi.Mode())
		}
		if !d.IsDir() {
			if raw, _ := os.ReadFile(path); bytes.Contains(raw, []byte(s.Token)) {
				t.Errorf("the token is in %s", d.Name())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
