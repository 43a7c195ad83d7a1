package shim

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/shim/proto"
)

// counting is an agent that writes n numbered lines of a given width.
func counting(t testing.TB, n, width int) agent.Command {
	return helper(t, "lines", fmt.Sprint(n), fmt.Sprint(width))
}

// checkCounting checks that the lines are those of counting, all and once.
func checkCounting(t testing.TB, lines []engine.Line, n, width int) {
	t.Helper()
	if len(lines) != n {
		t.Fatalf("%d lines, want %d", len(lines), n)
	}
	for i, l := range lines {
		if want := countingLine(i, width); string(l.Bytes) != want {
			t.Fatalf("line %d is %.40q", i, l.Bytes)
		}
		if want := int64(i+1) * int64(width+1); l.End != want {
			t.Fatalf("line %d ends at %d, want %d", i, l.End, want)
		}
	}
}

func countingLine(i, width int) string {
	s := fmt.Sprintf("%d ", i)
	return s + strings.Repeat("y", width-len(s))
}

func (p *process) statusNow() proto.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func spoolSize(t testing.TB, dir string) (size int64, files int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, proto.SpoolDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			size += fi.Size()
			files++
		}
	}
	return size, files
}

func TestManySmallLines(t *testing.T) {
	// 10,000 small lines over several segments arrive all and once, while what was
	// read is released behind the reader.
	b := newBench(t, func(c *Config) { c.SegmentBytes = 100_000 })
	s, p := b.start(counting(t, 10_000, 99))
	var all []engine.Line
	for len(all) < 10_000 {
		lines, err := p.Read(ctx(t), 32<<10)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
		p.Release(lines[len(lines)-1].End)
	}
	checkCounting(t, all, 10_000, 99)
	collect(t, p)
	closed(t, "the shim is gone", p.gone)
	if size, files := spoolSize(t, s.Dir); files > 2 || size > 200_000 {
		t.Errorf("%d bytes in %d files are left", size, files)
	}
}

func TestSpoolBound(t *testing.T) {
	// At the bound the agent waits; released output makes it go on. Nothing is
	// dropped or doubled, and the spool never holds more than bound and segment.
	const bound, segment = 300_000, 50_000
	b := newBench(t, func(c *Config) { c.BoundBytes, c.SegmentBytes = bound, segment })
	s, p := b.start(counting(t, 20_000, 99))
	until(t, "the bound is reached", func() bool { return p.statusNow().Has(proto.FlagBound) })
	if st := p.statusNow(); st.End != bound || st.Phase != proto.PhaseRunning {
		t.Fatalf("status %+v", st)
	}
	var all []engine.Line
	for len(all) < 20_000 {
		lines, err := p.Read(ctx(t), 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
		if size, _ := spoolSize(t, s.Dir); size > bound+2*segment {
			t.Fatalf("the spool holds %d bytes", size)
		}
		p.Release(lines[len(lines)-1].End)
	}
	checkCounting(t, all, 20_000, 99)
	if n, err := p.Accepted(ctx(t)); err != nil || n != 0 {
		t.Fatal(n, err)
	}
}

func TestStopAtTheBound(t *testing.T) {
	// Stop ends a session whose agent waits at the bound, and what it had written
	// can be read to its end.
	b := newBench(t, func(c *Config) { c.BoundBytes = 100_000 })
	s, p := b.start(counting(t, 20_000, 99))
	until(t, "the bound is reached", func() bool { return p.statusNow().Has(proto.FlagBound) })
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	lines := collect(t, p)
	for i, l := range lines[:len(lines)-1] { // the last one may have been cut by the end
		if string(l.Bytes) != countingLine(i, 99) {
			t.Fatalf("line %d is %.40q", i, l.Bytes)
		}
	}
	b.nothingRuns(s)
}

func TestReleaseSurvivesAdoption(t *testing.T) {
	// A later daemon reads on from its own offset, across segments, after the
	// earlier one released what lay before.
	b := newBench(t, func(c *Config) { c.SegmentBytes = 10_000 })
	cmd := counting(t, 1000, 99)
	s, p := b.start(cmd)
	var all []engine.Line
	for len(all) < 500 {
		lines, err := p.Read(ctx(t), 5000)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
	}
	at := all[len(all)-1].End
	p.Release(at)
	p.Detach()
	q := b.adopt(s)
	q.SetOffset(at)
	all = append(all, collect(t, q)...)
	checkCounting(t, all, 1000, 99)
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	q.Release(at + 20_000) // with the shim gone the files are ours to remove
	starts, err := segments(filepath.Join(s.Dir, proto.SpoolDir))
	if err != nil || len(starts) == 0 || starts[0] < at+10_000 {
		t.Fatalf("left %v, %v", starts, err)
	}
}

func TestOverlongLine(t *testing.T) {
	// A line over 64 MiB is cut to its first MiB with its size told, and the lines
	// after it are whole.
	if testing.Short() {
		t.Skip("70 MB of output")
	}
	b := newBench(t)
	_, p := b.start(script(t, `echo before; head -c 70000000 /dev/zero; echo; echo after`))
	lines := collect(t, p)
	if len(lines) != 3 || string(lines[0].Bytes) != "before" || string(lines[2].Bytes) != "after" {
		t.Fatalf("%d lines", len(lines))
	}
	if l := lines[1]; l.Cut != 70_000_000 || len(l.Bytes) != keepLine || l.End != 7+70_000_001 {
		t.Fatalf("cut %d, %d bytes, end %d", l.Cut, len(l.Bytes), l.End)
	}
}

func TestStderrKeepsTheEnd(t *testing.T) {
	// Of a flood on stderr the end is kept, in bounded space, and it never holds
	// the agent up.
	b := newBench(t)
	s, p := b.start(script(t, `i=0; while [ $i -lt 3000 ]; do printf 'error number %0100d\n' $i; i=$((i+1)); done >&2; exit 1`))
	closed(t, "the exit is known", p.Done())
	words := p.Exit().Stderr
	if !strings.HasSuffix(words, fmt.Sprintf("%0100d\n", 2999)) || len(words) != shownStderr {
		t.Fatalf("%d bytes, the end is %q", len(words), words[max(0, len(words)-120):])
	}
	for _, name := range []string{proto.StderrFile, proto.StderrOld} {
		if fi, err := os.Stat(filepath.Join(s.Dir, name)); err != nil || fi.Size() > proto.StderrKeep {
			t.Fatalf("%s: %v %v", name, fi, err)
		}
	}
}

func TestTree(t *testing.T) {
	// Tree lists the shim, the agent and what it started, detached children too,
	// with their groups and sessions; nothing when it is over.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, brood+"read x")
		s, p := b.start(cmd)
		expect(t, p, "ready")
		m, err := p.Tree(ctx(t))
		if err != nil {
			t.Fatal(err)
		}
		want := []int{s.PID, s.AgentPID}
		for _, k := range kids(t, cmd.Dir) {
			want = append(want, k.PID)
		}
		for _, pid := range want {
			if !slices.ContainsFunc(m, func(x engine.Member) bool { return x.PID == pid && x.PGID != 0 && x.SID != 0 }) {
				t.Errorf("%d is missing in %v", pid, m)
			}
		}
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		if m, err := p.Tree(ctx(t)); err != nil || len(m) != 0 {
			t.Fatalf("%v, %v", m, err)
		}
	})
}

func TestReadWaits(t *testing.T) {
	// Read returns the context's error when it ends, and later goes on where it was.
	b := newBench(t)
	_, p := b.start(helper(t, "echo"))
	short, cancel := contextFor(t, 20*time.Millisecond)
	defer cancel()
	if lines, err := p.Read(short, 100); err == nil {
		t.Fatalf("read %q", texts(lines))
	}
	send(t, p, 1, "half")
	short, cancel = contextFor(t, 20*time.Millisecond)
	defer cancel()
	if lines, err := p.Read(short, 100); err == nil {
		t.Fatalf("read %q", texts(lines))
	}
	send(t, p, 2, " whole\r\n")
	expect(t, p, "half whole")
}
