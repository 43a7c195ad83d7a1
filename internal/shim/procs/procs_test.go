package procs

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func start(t *testing.T, script string) (*exec.Cmd, Proc) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	p, err := Stat(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, p
}

func TestStat(t *testing.T) {
	// A process is seen with its parent, group and session; one that is not there is
	// gone.
	_, p := start(t, "exec sleep 100")
	if p.PPID != os.Getpid() || p.PGID != unix.Getpgrp() || p.Start == 0 || p.Dead() {
		t.Fatalf("%+v", p)
	}
	if _, err := Stat(1 << 30); !errors.Is(err, ErrGone) {
		t.Fatalf("error %v", err)
	}
	boot, err := BootID()
	if err != nil || len(boot) < 16 {
		t.Fatalf("%q, %v", boot, err)
	}
}

func TestSignalIsExact(t *testing.T) {
	// A signal reaches the process of that pid and start time and no other.
	cmd, p := start(t, "exec sleep 100")
	if err := Signal(p.PID, p.Start+1, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Fatalf("error %v", err)
	}
	if !Alive(p.PID, p.Start) || Alive(p.PID, p.Start+1) {
		t.Fatal("the wrong one was hit")
	}
	if err := Signal(p.PID, p.Start, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := Signal(p.PID, p.Start, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Fatalf("error %v", err)
	}
}

func TestKillTree(t *testing.T) {
	// A tree is ended round by round until nobody of it is left.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", "sleep 100 & (sleep 100 & sleep 100) & echo ready; wait")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer func() { _ = cmd.Wait() }()
	_, _ = r.Read(make([]byte, 10))
	p, err := Stat(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	mine := func() ([]Proc, error) {
		all, err := All()
		return Below(all, func(q Proc) bool { return q.PID == p.PID && q.Start == p.Start }), err
	}
	first, err := mine()
	if err != nil || len(first) < 3 {
		t.Fatalf("%v, %v", first, err)
	}
	for {
		n, err := KillTree(mine)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
}

func TestBelow(t *testing.T) {
	// Descendants are found at any depth, once, without the dead, and a circle (pids
	// that were reused while the list was read) ends.
	all := []Proc{
		{PID: 2, PPID: 1}, {PID: 3, PPID: 2}, {PID: 4, PPID: 3, State: 'Z'}, {PID: 5, PPID: 4}, {PID: 9, PPID: 8}, {PID: 8, PPID: 9},
	}
	var got []int
	for _, p := range Below(all, func(p Proc) bool { return p.PPID == 1 || p.PID == 8 }) {
		got = append(got, p.PID)
	}
	slices.Sort(got)
	if want := []int{2, 3, 5, 8, 9}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
}

func TestInside(t *testing.T) {
	// A child is inside, a process of another tree is not, and of one that is gone
	// nobody can tell.
	_, p := start(t, "exec sleep 100")
	if in, err := Inside(p.PID, os.Getpid()); err != nil || !in {
		t.Fatalf("%v, %v", in, err)
	}
	if in, err := Inside(os.Getppid(), os.Getpid()); err != nil || in {
		t.Fatalf("%v, %v", in, err)
	}
	if _, err := Inside(1<<30, os.Getpid()); err == nil {
		t.Fatal("no error")
	}
}
