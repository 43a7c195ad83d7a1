package procs

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	// A name with brackets and spaces does not shift the fields.
	line := "4242 (a) R (b) S 17 42 41 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 9 0 987654 1 2 3\n"
	p, err := parseStat([]byte(line))
	want := Proc{PID: 4242, PPID: 17, PGID: 42, SID: 41, Start: 987654, State: 'S'}
	if err != nil || p != want {
		t.Fatalf("%+v, %v", p, err)
	}
}

func FuzzParseStat(f *testing.F) {
	// No bytes make the parser panic.
	f.Add([]byte("1 (x) S 2 3 4"))
	f.Add([]byte(")"))
	f.Add([]byte("12 ()"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = parseStat(b) })
}

func TestZombieIsDead(t *testing.T) {
	// A process that ended and was not buried yet is not alive.
	cmd, p := start(t, "exit 0")
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, p.PID, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if Alive(p.PID, p.Start) {
		t.Fatal("alive")
	}
	_ = cmd.Wait()
}
