package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"vyre"
	"vyre/internal/feed"
	"vyre/internal/store/sqlite"
)

func TestFeedOverTheStore(t *testing.T) {
	// Over the real store, while many commit: a reader that is cut off 50 times and
	// goes on from its cursor has byte for byte the events of one never cut, which
	// are those of the table.
	var f *feed.Feed
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{
		OnCommit: func(evs []vyre.Event) { f.Publish(evs) },
	})
	if err != nil {
		t.Fatal(err)
	}
	f = feed.New(db, 64)
	var running, writers, readers sync.WaitGroup
	running.Go(func() {
		if err := db.Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	const callers, each, total = 8, 250, 8 * 250 * 2
	for i := range callers {
		writers.Go(func() {
			for j := range each {
				data := fmt.Appendf(nil, `"%d %d"`, i, j)
				err := db.Commit(t.Context(), &vyre.Commit{Durable: j%5 == 0, Events: []vyre.Event{{Kind: "x.a", Data: data}, {Kind: "x.b", Data: data}}})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var whole, cut string
	readers.Go(func() { whole = follow(t, f, total, 0) })
	readers.Go(func() { cut = follow(t, f, total, 50) })
	writers.Wait()
	readers.Wait()
	table, err := db.Since(t.Context(), 0, total+1)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, e := range table {
		want += line(e)
	}
	if len(table) != total || whole != want || cut != want {
		t.Errorf("table %d events; never cut %d bytes, cut %d, want %d", len(table), len(whole), len(cut), len(want))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	running.Wait()
}

func line(e vyre.Event) string { return fmt.Sprintln(e.Seq, e.TS, e.Kind, string(e.Data)) }

// follow reads until event number total, leaving and coming back cuts times.
func follow(t *testing.T, f *feed.Feed, total vyre.Seq, cuts int) (out string) {
	after := vyre.Seq(0)
	for page := 1; after < total; page++ {
		ctx, leave := context.WithCancel(t.Context())
		if cuts > 0 && page%3 == 0 {
			cuts--
			leave()
		}
		err := f.Wait(ctx, after)
		if err == nil {
			var evs []vyre.Event
			var next vyre.Seq
			if evs, next, err = f.Since(ctx, after, feed.Filter{}, 1+rand.IntN(20)); err == nil {
				after = next
			}
			for _, e := range evs {
				out += line(e)
			}
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			leave()
			return out
		}
		leave()
	}
	if cuts > 0 {
		t.Errorf("%d cuts left", cuts)
	}
	return out
}
