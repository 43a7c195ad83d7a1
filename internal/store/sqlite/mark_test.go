package sqlite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"vyre"
)

func TestCleanRestartHasNoGap(t *testing.T) {
	// After a clean stop the next run goes on with the very next number, and its
	// head is the last one given.
	path := filepath.Join(t.TempDir(), "vyre.db")
	next := vyre.Seq(1)
	for range 3 {
		db := openAt(t, path, Options{})
		if db.Head() != next-1 {
			t.Fatalf("head after the start is %d, want %d", db.Head(), next-1)
		}
		stop := run(t, db)
		for range 5 {
			c := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}
			must(t, db.Commit(t.Context(), c))
			if c.Events[0].Seq != next {
				t.Fatalf("got number %d, want %d", c.Events[0].Seq, next)
			}
			next++
		}
		stop()
		must(t, db.Close())
	}
}

func TestPowerCutReusesNoNumber(t *testing.T) {
	// A power cut takes everything after the last fsync. Whatever moment it comes
	// at, also right after a mark was moved in a change that was not durable
	// itself, the next run gives only numbers that no reader ever saw, what was
	// acknowledged as durable is there, and the chain verifies.
	dir := t.TempDir()
	path := filepath.Join(dir, "vyre.db")
	var synced int64 // bytes of the write-ahead log that were fsynced
	var db *DB
	db = openAt(t, path, Options{OnCommit: func([]vyre.Event) {
		if st, err := os.Stat(path + "-wal"); err == nil && db.writer.full {
			synced = st.Size()
		}
	}})
	stop := run(t, db)
	defer stop()
	r := rand.New(rand.NewPCG(1, 2))
	var seen, durable vyre.Seq
	for cut := range 25 {
		for range 1 + r.IntN(4) {
			c := &vyre.Commit{Durable: r.IntN(4) == 0}
			for range 1 + r.IntN(1200) {
				c.Events = append(c.Events, vyre.Event{Kind: "x.y"})
			}
			must(t, db.Commit(t.Context(), c))
			seen = c.Events[len(c.Events)-1].Seq
			if c.Durable {
				durable = seen
			}
		}
		checkAfterCut(t, path, filepath.Join(dir, fmt.Sprint(cut)), synced, seen, durable)
	}
	if seen < 2*reserveAhead {
		t.Fatalf("only %d events: the mark was hardly moved", seen)
	}
}

func checkAfterCut(t *testing.T, path, to string, synced int64, seen, durable vyre.Seq) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	wal, err := os.ReadFile(path + "-wal")
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
	must(t, os.WriteFile(to+"-wal", wal[:min(synced, int64(len(wal)))], 0o600))
	db, err := Open(t.Context(), to, Options{})
	must(t, err)
	stop := run(t, db)
	must(t, db.Verify(t.Context()))
	if durable > 0 {
		if evs, err := db.Since(t.Context(), durable-1, 1); err != nil || len(evs) == 0 || evs[0].Seq != durable {
			t.Fatalf("event %d was acknowledged and is gone: %v %v", durable, evs, err)
		}
	}
	c := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}
	must(t, db.Commit(t.Context(), c))
	if c.Events[0].Seq <= seen {
		t.Fatalf("number %d was given again; %d had been seen", c.Events[0].Seq, seen)
	}
	must(t, db.Verify(t.Context()))
	stop()
	must(t, db.Close())
}
