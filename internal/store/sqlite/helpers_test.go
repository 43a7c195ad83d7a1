package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"vyre"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChild); path != "" {
		fmt.Fprintln(os.Stderr, crashMain(path))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// open opens a fresh store that does not run.
func open(tb testing.TB, o Options) *DB {
	tb.Helper()
	return openAt(tb, filepath.Join(tb.TempDir(), "vyre.db"), o)
}

func openAt(tb testing.TB, path string, o Options) *DB {
	tb.Helper()
	db, err := Open(tb.Context(), path, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// openRunning opens a fresh store and runs it until the test ends.
func openRunning(tb testing.TB, o Options) *DB {
	tb.Helper()
	db := open(tb, o)
	tb.Cleanup(run(tb, db))
	return db
}

// run runs db until the returned function is called.
func run(tb testing.TB, db *DB) (stop func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background()) // outlives tb.Context, which ends before cleanups
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := db.Run(ctx); err != nil {
			tb.Error("Run:", err)
		}
	})
	return func() { cancel(); wg.Wait() }
}

func aThread(id vyre.ThreadID) vyre.Thread {
	return vyre.Thread{ID: id, Provider: "claude", Driver: "claude", Mode: vyre.ModeAsk, State: vyre.StateIdle, CWD: "/w", Created: 1, Updated: 1}
}

func seedThread(tb testing.TB, db *DB, id vyre.ThreadID) {
	tb.Helper()
	must(tb, db.Commit(tb.Context(), &vyre.Commit{Durable: true, Threads: []vyre.Thread{aThread(id)}}))
}

func textEvent(thread vyre.ThreadID, turn int, item vyre.ItemID, offset int, text string) vyre.Event {
	return vyre.NewEvent(thread, vyre.MakeTurnID(thread, turn), vyre.ThreadText{Item: item, Kind: vyre.ItemText, Offset: offset, Text: text})
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// waitFor yields until ok holds; the test's own deadline bounds it.
func waitFor(tb testing.TB, ok func() bool) {
	tb.Helper()
	for !ok() {
		if err := tb.Context().Err(); err != nil {
			tb.Fatal(err)
		}
		runtime.Gosched()
	}
}
