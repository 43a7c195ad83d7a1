package shim

import (
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	// An agent is prepared, let go, spoken to, read to its end, and its exit is known.
	b := newBench(t)
	s, p := b.start(script(t, `read a; echo "got $a"; read b; echo "got $b"; echo last >&2; printf rest; exit 3`))
	if s.PID == 0 || s.StartTime == 0 || s.BootID == "" || s.SID != s.PID || s.Level == "" {
		t.Fatalf("the identity is not filled in: %+v", s)
	}
	send(t, p, 1, "one\n")
	send(t, p, 1, "again\n")
	send(t, p, 2, "two\n")
	got := texts(collect(t, p))
	if want := []string{"got one", "got two", "rest"}; !slices.Equal(got, want) {
		t.Fatalf("read %q, want %q", got, want)
	}
	closed(t, "the exit is known", p.Done())
	if e := p.Exit(); e.Code != 3 || e.Signal != "" || e.Stderr != "last\n" {
		t.Fatalf("exit %+v", e)
	}
	if n, err := p.Accepted(ctx(t)); err != nil || n != 2 {
		t.Fatalf("accepted %d, %v", n, err)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
}

func TestLongLine(t *testing.T) {
	// A line of 20 MB arrives whole, and so does the normal one after it.
	b := newBench(t)
	_, p := b.start(helper(t, "long"))
	lines := collect(t, p)
	if len(lines) != 2 || len(lines[0].Bytes) != 20_000_000 || string(lines[1].Bytes) != "normal" {
		t.Fatalf("%d lines, first of %d bytes", len(lines), len(lines[0].Bytes))
	}
	if lines[1].End != 20_000_001+7 {
		t.Fatalf("end %d", lines[1].End)
	}
}

func TestAdoptRunning(t *testing.T) {
	// A later daemon takes over a running session: same offsets, same numbering.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	send(t, p, 1, "one\n")
	mark := expect(t, p, "one").End
	p.Detach()
	q := b.adopt(s)
	send(t, q, 1, "one\n")
	send(t, q, 2, "two\n")
	q.SetOffset(mark)
	expect(t, q, "two")
	if pid, err := q.Go(ctx(t)); err != nil || pid != s.AgentPID {
		t.Fatalf("go again: %d, %v", pid, err)
	}
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if e := q.Exit(); e.Code != 0 {
		t.Fatalf("exit %+v", e)
	}
	if rest := collect(t, q); len(rest) != 0 {
		t.Fatalf("doubled: %q", texts(rest))
	}
}
