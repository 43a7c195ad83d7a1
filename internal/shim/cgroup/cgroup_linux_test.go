package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

func TestCandidates(t *testing.T) {
	// The v2 hierarchy is found where it is mounted, pure or hybrid, own group first.
	own := "0::/user.slice/a b\n"
	for name, c := range map[string]struct {
		mounts, own string
		want        []string
	}{
		"pure":      {"30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", own, []string{"/sys/fs/cgroup/user.slice/a b", "/sys/fs/cgroup"}},
		"hybrid":    {"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n41 31 0:38 / /sys/fs/cgroup/unified rw shared:3 - cgroup2 cgroup2 rw\n", "1:cpu:/x\n0::/\n", []string{"/sys/fs/cgroup/unified"}},
		"container": {"30 23 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "0::/docker/1/x\n", []string{"/sys/fs/cgroup/x", "/sys/fs/cgroup"}},
		"outside":   {"30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/other\n", []string{"/sys/fs/cgroup"}},
		"escaped":   {`30 23 0:26 / /mnt/c\040g rw - cgroup2 cgroup rw` + "\n", "0::/\n", []string{"/mnt/c g"}},
		"v1 only":   {"32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/x\n", nil},
		"nonsense":  {"\n x - cgroup2\n30 - cgroup2 c\n", "", nil},
	} {
		if got := candidates([]byte(c.mounts), []byte(c.own)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzCandidates(f *testing.F) {
	// No mount table makes the search panic.
	f.Add("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/a\n")
	f.Fuzz(func(_ *testing.T, mounts, own string) { candidates([]byte(mounts), []byte(own)) })
}

func group(t *testing.T) Group {
	t.Helper()
	parent, err := Parent()
	if err != nil {
		t.Skip("no control group to be had here")
	}
	g, err := Create(parent, fmt.Sprintf("vyre-test-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.End(t.Context()); _ = os.Remove(g.Path) })
	return g
}

func startIn(t *testing.T, g Group, script string) *exec.Cmd {
	t.Helper()
	dir, err := g.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(dir.Fd()), Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestEnd(t *testing.T) {
	// End kills all that is in the group and in groups made inside it, removes it,
	// and is no error when repeated.
	g := group(t)
	inner := filepath.Join(g.Path, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := startIn(t, g, "trap '' TERM HUP; setsid sleep 1000 & echo $$ > "+inner+"/cgroup.procs; sleep 1000")
	if err := g.Remove(); !errors.Is(err, syscall.EBUSY) {
		t.Fatalf("a busy group was removed: %v", err)
	}
	if pids, err := g.Members(); err != nil || len(pids) == 0 {
		t.Fatalf("%v, %v", pids, err)
	}
	begin := time.Now()
	if err := g.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("ended in %v", time.Since(begin))
	_ = cmd.Wait()
	if _, err := os.Stat(g.Path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("it is left: %v", err)
	}
	if err := g.End(t.Context()); err != nil {
		t.Fatalf("again: %v", err)
	}
}

func TestOtherGroupIsLeftAlone(t *testing.T) {
	// A group of the same path with another inode is not touched.
	g := group(t)
	cmd := startIn(t, g, "exec sleep 1000")
	other := Group{Path: g.Path, ID: g.ID + 1}
	if err := other.End(t.Context()); !errors.Is(err, ErrOther) {
		t.Fatalf("error %v", err)
	}
	if _, err := other.Members(); !errors.Is(err, ErrOther) {
		t.Fatalf("error %v", err)
	}
	if pids, err := g.Members(); err != nil || !slices.Equal(pids, []int{cmd.Process.Pid}) {
		t.Fatalf("%v, %v", pids, err)
	}
	if err := g.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func TestCreateTwice(t *testing.T) {
	// A group that exists is refused.
	g := group(t)
	if _, err := Create(filepath.Dir(g.Path), filepath.Base(g.Path)); !errors.Is(err, os.ErrExist) {
		t.Fatalf("error %v", err)
	}
}
