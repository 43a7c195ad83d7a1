package shim

import (
	"errors"
	"io"
	"testing"
	"time"

	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// readAll reads lines until the end and tells of each batch.
func readAllOf(t testing.TB, p *process, each func(end int64)) []engine.Line {
	t.Helper()
	var all []engine.Line
	for {
		lines, err := p.Read(ctx(t), 16<<10)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
		each(lines[len(lines)-1].End)
	}
}

// readWaiting reads what a held shim has and no more.
func readWaiting(t testing.TB, p *process, size int64) (lines []engine.Line) {
	t.Helper()
	for len(lines) == 0 || lines[len(lines)-1].End < size {
		more, err := p.Read(ctx(t), 16<<10)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, more...)
	}
	return lines
}

func held(t testing.TB, p *process) {
	t.Helper()
	until(t, "the bound is reached", func() bool { return p.statusNow().Has(proto.FlagBound) })
}

func TestLongTurn(t *testing.T) {
	// A turn far larger than the bound passes without any Release, as long as what
	// was read is committed; all of it stays on disk until it is released.
	const bound, segment, n = 300_000, 50_000, 20_000
	b := newBench(t, func(c *Config) { c.BoundBytes, c.SegmentBytes = bound, segment })
	s, p := b.start(counting(t, n, 99))
	checkCounting(t, readAllOf(t, p, p.Committed), n, 99)
	if size, files := spoolSize(t, s.Dir); size != 100*n || files != 100*n/segment {
		t.Errorf("%d bytes in %d files are left of %d", size, files, 100*n)
	}
	closed(t, "the shim is gone", p.gone)
	p.Release(100 * n)
	if _, files := spoolSize(t, s.Dir); files != 1 {
		t.Errorf("%d files are left after the release", files)
	}
}

func TestHeldUntilCommitted(t *testing.T) {
	// With nobody committing the agent is held at the bound, although all of it was
	// read; a commit lets it go on.
	const bound, n = 300_000, 20_000
	b := newBench(t, func(c *Config) { c.BoundBytes = bound })
	_, p := b.start(counting(t, n, 99))
	held(t, p)
	all := readWaiting(t, p, bound)
	short, cancel := contextFor(t, 100*time.Millisecond)
	defer cancel()
	if lines, err := p.Read(short, 100); err == nil {
		t.Fatalf("%d lines more than the bound", len(lines))
	}
	if st := p.statusNow(); st.End != bound || !st.Has(proto.FlagBound) {
		t.Fatalf("status %+v", st)
	}
	p.Committed(bound)
	checkCounting(t, append(all, readAllOf(t, p, p.Committed)...), n, 99)
}

func TestCommitByCommitAtTheBound(t *testing.T) {
	// At the bound, commits of one line each let the agent go on to its end.
	const bound, n = 20_000, 2_000
	b := newBench(t, func(c *Config) { c.BoundBytes = bound })
	_, p := b.start(counting(t, n, 99))
	held(t, p)
	var all []engine.Line
	for {
		lines, err := p.Read(ctx(t), 4<<10)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			p.Committed(l.End)
		}
		all = append(all, lines...)
	}
	checkCounting(t, all, n, 99)
}

func TestLineOverTheBound(t *testing.T) {
	// A single line far longer than the bound, which nobody can commit before it
	// ends, does not hold its agent for ever.
	const bound = 300_000
	b := newBench(t, func(c *Config) { c.BoundBytes, c.SegmentBytes = bound, 50_000 })
	_, p := b.start(helper(t, "long"))
	lines := readAllOf(t, p, p.Committed)
	if len(lines) != 2 || len(lines[0].Bytes) != 20_000_000 || string(lines[1].Bytes) != "normal" {
		t.Fatalf("%d lines", len(lines))
	}
}

func TestHeldAcrossDaemons(t *testing.T) {
	// While the daemon is away the bound holds; the next one tells at once how far
	// its commits reach, and the agent goes on from there.
	const bound, n = 300_000, 20_000
	b := newBench(t, func(c *Config) { c.BoundBytes = bound })
	s, p := b.start(counting(t, n, 99))
	held(t, p)
	all := readWaiting(t, p, bound)
	p.Detach()
	q := b.adopt(s)
	if !q.statusNow().Has(proto.FlagBound) {
		t.Fatalf("status %+v", q.statusNow())
	}
	q.SetOffset(200) // a checkpoint of two lines, and room for two
	until(t, "it goes on", func() bool { return q.statusNow().End == bound+200 })
	held(t, q)
	q.SetOffset(bound)
	until(t, "it goes on", func() bool { return q.statusNow().End == 2*bound })
	checkCounting(t, append(all, readAllOf(t, q, q.Committed)...), n, 99)
}

func TestTellsAreFew(t *testing.T) {
	// Committing line by line costs a message only for each MiB, while the bound is
	// far.
	l := ledger{}
	told := 0
	for at := int64(100); at <= 64<<20; at += 100 {
		l.committed = at
		if !l.begun {
			l.begun, l.urgent = true, at
		}
		if typ, offset := l.due(proto.Status{}, proto.DefaultBound); typ != 0 {
			l.told(typ, offset)
			told++
		}
	}
	if told != 64 {
		t.Errorf("told %d times for 64 MiB", told)
	}
	l.released, l.urgent = 1000, l.spare()
	for want, n := []proto.Type{proto.TypeRelease, proto.TypeCommitted, 0}, 0; n < len(want); n++ {
		typ, offset := l.due(proto.Status{}, proto.DefaultBound)
		if typ != want[n] {
			t.Fatalf("told %d, want %d", typ, want[n])
		}
		if l.told(typ, offset); typ == 0 {
			break
		}
	}
}
