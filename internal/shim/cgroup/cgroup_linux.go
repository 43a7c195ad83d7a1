package cgroup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Create makes the group parent/name. An existing one is refused.
func Create(parent, name string) (Group, error) {
	path := filepath.Join(parent, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		return Group{}, err
	}
	id, err := inode(path)
	if err != nil {
		_ = os.Remove(path)
		return Group{}, err
	}
	return Group{Path: path, ID: id}, nil
}

// Bound sets how many processes the group may have and how much memory it may use,
// in bytes; 0 sets no bound. It returns the names of what the kernel took: where a
// controller belongs to somebody else, or to version 1, the bound is not to be had.
func (g Group) Bound(pids, memory int64) []string {
	var set []string
	for _, b := range []struct {
		controller, file string
		n                int64
	}{{"pids", "pids.max", pids}, {"memory", "memory.max", memory}} {
		if b.n <= 0 {
			continue
		}
		// Fails where it is on already, and where it may not be; the next tells.
		_ = os.WriteFile(filepath.Join(filepath.Dir(g.Path), "cgroup.subtree_control"), []byte("+"+b.controller), 0)
		if os.WriteFile(filepath.Join(g.Path, b.file), strconv.AppendInt(nil, b.n, 10), 0) == nil {
			set = append(set, b.controller)
		}
	}
	return set
}

// Open returns a descriptor of the group for clone3 (CLONE_INTO_CGROUP).
func (g Group) Open() (*os.File, error) {
	return os.OpenFile(g.Path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// End kills whatever is in the group, waits until the kernel says that it is
// empty and removes it. A group that is not there is empty. ErrOther and no
// deed if the path holds another group. It repeats until ctx ends.
func (g Group) End(ctx context.Context) error {
	wait := time.Millisecond
	for {
		err := g.Remove()
		if err == nil || errors.Is(err, ErrOther) {
			return err
		}
		if populated, perr := g.populated(); perr == nil && populated {
			g.kill()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
		wait = min(2*wait, 20*time.Millisecond)
	}
}

// Remove removes the group and those the session made inside it. It fails with
// EBUSY while any process is in one of them, and never ends a process.
func (g Group) Remove() error {
	if err := g.check(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if populated, err := g.populated(); err == nil && populated {
		return unix.EBUSY
	}
	var dirs []string
	err := filepath.WalkDir(g.Path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil // what went away meanwhile is as we want it
	})
	for _, dir := range slices.Backward(dirs) {
		if rerr := unix.Rmdir(dir); rerr != nil && rerr != unix.ENOENT {
			err = rerr
		}
	}
	return err
}

// Members returns the pids in the group and those below it.
func (g Group) Members() ([]int, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var pids []int
	err := filepath.WalkDir(g.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "cgroup.procs" {
			return nil //nolint:nilerr // a group below that is gone meanwhile has no members
		}
		b, _ := os.ReadFile(path)
		for line := range bytes.Lines(b) {
			if pid, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids, err
}

func (g Group) kill() {
	if os.WriteFile(filepath.Join(g.Path, "cgroup.kill"), []byte("1"), 0) == nil {
		return
	}
	// Before Linux 5.14: stop the group, so that nobody forks, and kill one by one.
	freeze := filepath.Join(g.Path, "cgroup.freeze")
	_ = os.WriteFile(freeze, []byte("1"), 0)
	if pids, err := g.Members(); err == nil {
		for _, pid := range pids { // frozen: a pid read here can't be recycled
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	_ = os.WriteFile(freeze, []byte("0"), 0)
}

func (g Group) populated() (bool, error) {
	b, err := os.ReadFile(filepath.Join(g.Path, "cgroup.events"))
	if err != nil {
		return false, err
	}
	return bytes.Contains(b, []byte("populated 1")), nil
}

func (g Group) check() error {
	id, err := inode(g.Path)
	if err != nil {
		return err
	}
	if g.ID != 0 && id != g.ID {
		return ErrOther
	}
	return nil
}

func inode(path string) (uint64, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || !fi.IsDir() {
		return 0, ErrOther
	}
	return st.Ino, nil
}
