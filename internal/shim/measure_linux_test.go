package shim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// resident is a process's memory in KiB: now, and at its highest.
func resident(t *testing.T, pid int) (now, peak int) {
	t.Helper()
	for line := range strings.Lines(procFile(t, pid, "status")) {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && f[0] == "VmRSS:":
			now, _ = strconv.Atoi(f[1])
		case len(f) > 1 && f[0] == "VmHWM:":
			peak, _ = strconv.Atoi(f[1])
		}
	}
	return now, peak
}

func TestShimMemory(t *testing.T) {
	// A shim stays within 6 MB of memory, idle and after a large frame, a flood of
	// output and many small frames.
	const limit = 6 << 10
	b := newBench(t)
	s, p := b.start(helper(t, "count-flood"))
	idle, _ := resident(t, s.PID)
	send(t, p, 1, strings.Repeat("x", 30<<20)+"\n")
	for i := range 2000 {
		send(t, p, uint64(i+2), "small\n")
	}
	send(t, p, 2002, "flood\n")
	expect(t, p, "flooded")
	after, peak := resident(t, s.PID)
	t.Logf("idle %d KiB, after work %d KiB, highest (with a frame of 30 MiB in flight) %d KiB", idle, after, peak)
	if idle > limit || after > limit {
		t.Errorf("more than %d KiB", limit)
	}
}

func TestLatency(t *testing.T) {
	// From an agent's write to the return of Read it takes far less than 1 ms at the
	// median.
	b := newBench(t)
	_, p := b.start(helper(t, "clock", "400"))
	var took []time.Duration
	for {
		lines, err := p.Read(ctx(t), 64<<10)
		now := monotonic()
		if err != nil {
			break
		}
		for _, l := range lines {
			at, err := strconv.ParseInt(string(l.Bytes), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			took = append(took, time.Duration(now-at))
		}
	}
	if len(took) != 400 {
		t.Fatalf("%d lines", len(took))
	}
	slices.Sort(took)
	t.Logf("p50 %v, p95 %v, p99 %v", took[200], took[380], took[396])
	if took[200] > time.Millisecond {
		t.Errorf("the median is %v", took[200])
	}
}

func BenchmarkRead(b *testing.B) {
	for _, width := range []int{99, 999_999} {
		b.Run(fmt.Sprintf("lines of %d", width+1), func(b *testing.B) {
			bench := newBench(b)
			n := 100_000_000 / (width + 1)
			b.SetBytes(100_000_000)
			for b.Loop() {
				_, p := bench.start(counting(b, n, width))
				at := int64(0)
				for {
					lines, err := p.Read(ctx(b), 256<<10)
					if err != nil {
						break
					}
					at = lines[len(lines)-1].End
					p.Release(at)
				}
				if at != 100_000_000 {
					b.Fatalf("read %d bytes", at)
				}
			}
		})
	}
}

func BenchmarkSend(b *testing.B) {
	bench := newBench(b)
	_, p := bench.start(script(b, "cat >/dev/null"))
	frame := []byte(strings.Repeat("x", 200) + "\n")
	n := uint64(0)
	for b.Loop() {
		n++
		if err := p.Send(b.Context(), n, frame); err != nil {
			b.Fatal(err)
		}
	}
}
