package config

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"vyre"
)

func TestMain(m *testing.M) {
	if home := os.Getenv("CONFIG_TEST_HOLD"); home != "" { // a second process, for TestLockDiesWithProcess
		if _, err := Lock(home); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLock(t *testing.T) {
	// A second daemon on a home is refused as a conflict that names the first one's pid.
	home := t.TempDir()
	if _, err := Prepare(home); err != nil {
		t.Fatal(err)
	}
	l, err := Lock(home)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lock(home)
	if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeConflict || e.Details["pid"] != os.Getpid() {
		t.Fatalf("got %v, want a conflict naming pid %d", err, os.Getpid())
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := Lock(home)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	_ = again.Release()
}

func TestLockDiesWithProcess(t *testing.T) {
	// A daemon killed with -9 leaves no lock behind.
	home := t.TempDir()
	if _, err := Prepare(home); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "CONFIG_TEST_HOLD="+home)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	_, err := Lock(home)
	if e := vyre.AsError(err); e == nil || e.Details["pid"] != cmd.Process.Pid {
		t.Fatalf("got %v, want a conflict naming pid %s", err, strconv.Itoa(cmd.Process.Pid))
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l, err := Lock(home)
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	_ = l.Release()
}

func TestLockOfTheDead(t *testing.T) {
	// A lock that a killed daemon left with a child is waited for; it is not told as
	// another daemon that runs.
	home := t.TempDir()
	if _, err := Prepare(home); err != nil {
		t.Fatal(err)
	}
	l, err := Lock(home)
	if err != nil {
		t.Fatal(err)
	}
	gone := exec.CommandContext(t.Context(), "true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(Layout{home}.LockFile(), []byte(strconv.Itoa(gone.Process.Pid)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = l.f.Close() })
	next, err := Lock(home)
	if err != nil {
		t.Fatalf("got %v, want the lock once the child let go", err)
	}
	_ = next.Release()
}
