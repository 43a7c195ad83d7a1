package sqlite

import (
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vyre"
)

// cpuTime is what this process used so far.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGroupCommit256 measures acknowledged events per second with 256
// callers at FULL, and the 99th percentile of the time a caller waits.
func BenchmarkGroupCommit256(b *testing.B) {
	const callers = 256
	db := openRunning(b, Options{})
	seedThread(b, db, "t")
	waits := make([]time.Duration, b.N)
	var at atomic.Int64
	b.ResetTimer()
	cpu, start := cpuTime(b), time.Now()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				i := at.Add(1) - 1
				if i >= int64(b.N) {
					return
				}
				c := &vyre.Commit{Durable: true, Events: []vyre.Event{textEvent("t", 1, "item", int(i), "some words ")}}
				t := time.Now()
				if err := db.Commit(b.Context(), c); err != nil {
					b.Error(err)
					return
				}
				waits[i] = time.Since(t)
			}
		})
	}
	wg.Wait()
	took, used := time.Since(start), cpuTime(b)-cpu
	b.StopTimer()
	slices.Sort(waits)
	b.ReportMetric(float64(b.N)/took.Seconds(), "events/s")
	b.ReportMetric(float64(waits[len(waits)*50/100].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/event")
}

// BenchmarkDelta measures one text delta as the engine commits it: one event and
// the reading position of the spool, not durable, one caller.
func BenchmarkDelta(b *testing.B) {
	db := openRunning(b, Options{})
	seedThread(b, db, "t")
	if err := db.Commit(b.Context(), &vyre.Commit{Sessions: []vyre.Session{{ID: "s", Thread: "t", State: vyre.SessionLive}}}); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	cpu := cpuTime(b)
	for i := range b.N {
		err := db.Commit(b.Context(), &vyre.Commit{
			Events: []vyre.Event{textEvent("t", 1, "item", i*11, "some words ")},
			Spool:  &vyre.SpoolMark{Session: "s", Committed: int64(i), Checkpoint: 0},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkOpen100k measures Open of a store with 100,000 events and 1,000 threads.
func BenchmarkOpen100k(b *testing.B) {
	path := filepath.Join(b.TempDir(), "vyre.db")
	fill100k(b, path)
	b.ResetTimer()
	for range b.N {
		db, err := Open(b.Context(), path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func fill100k(tb testing.TB, path string) {
	tb.Helper()
	db, err := Open(tb.Context(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	stop := run(tb, db)
	for i := range 1000 {
		id := vyre.NewThreadID()
		c := &vyre.Commit{Threads: []vyre.Thread{aThread(id)}}
		c.Threads[0].Updated = vyre.Time(i)
		for j := range 100 {
			c.Events = append(c.Events, textEvent(id, 1, "item", j*11, "some words "))
		}
		if err := db.Commit(tb.Context(), c); err != nil {
			tb.Fatal(err)
		}
	}
	stop()
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
}
