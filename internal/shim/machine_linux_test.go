package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

func TestFullDisk(t *testing.T) {
	// On a full disk the agent waits; when there is room again it goes on by
	// itself, and its output is whole.
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a small disk")
	}
	b := newBench(t)
	s := b.session()
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", s.Dir, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		t.Skipf("no small disk to be had: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(s.Dir, unix.MNT_DETACH) })
	ballast := filepath.Join(s.Dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 600<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	_, q, err := b.Prepare(ctx(t), s, counting(t, 7000, 99))
	if err != nil {
		t.Fatal(err)
	}
	p := q.(*process)
	defer p.Detach()
	if _, err := p.Go(ctx(t)); err != nil {
		t.Fatal(err)
	}
	until(t, "the disk is full", func() bool { return p.statusNow().Has(proto.FlagDisk) })
	if st := p.statusNow(); st.Phase != proto.PhaseRunning {
		t.Fatalf("status %+v", st)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	checkCounting(t, collect(t, p), 7000, 99)
	if e := p.Exit(); e.Code != 0 {
		t.Fatalf("exit %+v", e)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
}

func TestZombies(t *testing.T) {
	// A thousand short orphans leave no zombie, and the agent's status is never
	// taken for theirs.
	b := newBench(t)
	s, p := b.start(script(t, `i=0; while [ $i -lt 1000 ]; do (true &) ; i=$((i+1)); done; echo done; read x; exit 5`))
	expect(t, p, "done")
	until(t, "they are buried", func() bool {
		m, err := p.Tree(ctx(t))
		return err == nil && len(m) == 2 && zombiesOf(t, s.PID) == 0
	})
	send(t, p, 1, "go\n")
	closed(t, "the exit is known", p.Done())
	if e := p.Exit(); e.Code != 5 {
		t.Fatalf("exit %+v", e)
	}
}

func zombiesOf(t *testing.T, parent int) int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range entries {
		raw, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest)
		if len(f) > 1 && f[0] == "Z" && f[1] == fmt.Sprint(parent) {
			n++
		}
	}
	return n
}
