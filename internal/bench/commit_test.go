package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/internal/store/sqlite"
)

// BenchmarkCommit: acknowledged events a second at synchronous=FULL, with one
// caller and with 256.
func BenchmarkCommit(b *testing.B) {
	one, _ := commits(b, 1, 400)
	many, p99 := commits(b, 256, 200)
	report("acknowledged events, 256 callers, FULL", fmt.Sprintf("%.0f/s, p99 %s", many, ms(p99)),
		"≥ 20,000/s, p99 ≤ 25 ms", fmt.Sprintf("%.1f times one caller's %.0f/s on the same disk", many/one, one))
}

// commits returns commits a second and the 99th percentile of their time.
func commits(b *testing.B, callers, each int) (perSecond float64, p99 time.Duration) {
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var run, wg sync.WaitGroup
	run.Go(func() { _ = db.Run(ctx) })
	times := make([][]time.Duration, callers)
	begun := time.Now()
	for i := range callers {
		wg.Go(func() {
			for range each {
				c := vyre.Commit{Durable: true, Events: []vyre.Event{
					vyre.NewEvent("a-thread", "", vyre.ThreadText{Item: "x", Kind: vyre.ItemText, Text: "some words of a stream"}),
				}}
				at := time.Now()
				if err := db.Commit(ctx, &c); err != nil {
					b.Error(err)
					return
				}
				times[i] = append(times[i], time.Since(at))
			}
		})
	}
	wg.Wait()
	took := time.Since(begun)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	cancel()
	run.Wait()
	var all []time.Duration
	for _, t := range times {
		all = append(all, t...)
	}
	return float64(len(all)) / took.Seconds(), at(all, .99)
}
