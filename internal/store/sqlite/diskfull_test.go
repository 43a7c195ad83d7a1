package sqlite

import (
	"strings"
	"testing"

	"vyre"
)

// fillUp commits until the store says that there is no room, and returns the
// events that were acknowledged.
func fillUp(t *testing.T, db *DB, durable bool) []vyre.Event {
	t.Helper()
	var acked []vyre.Event
	for i := range 100_000 {
		c := &vyre.Commit{Durable: durable, Events: []vyre.Event{textEvent("t", 1, "i", i, strings.Repeat("x", 3000))}}
		err := db.Commit(t.Context(), c)
		if err == nil {
			acked = append(acked, c.Events...)
			continue
		}
		if vyre.CodeOf(err) != vyre.CodeNoSpace {
			t.Fatalf("after %d events: %v", i, err)
		}
		if c.Events[0].Seq != 0 {
			t.Error("a refused event was given a number")
		}
		return acked
	}
	t.Fatal("it never got full")
	return nil
}

// stillWhole checks that reads go on and that exactly what was acknowledged is there.
func stillWhole(t *testing.T, db *DB, acked []vyre.Event) {
	t.Helper()
	got := readAll(t, db)
	if len(got) != len(acked) {
		t.Fatalf("%d events are there, %d were acknowledged", len(got), len(acked))
	}
	for i := range got {
		if got[i].Seq != acked[i].Seq || string(got[i].Data) != string(acked[i].Data) {
			t.Fatalf("event %d is not the one that was acknowledged", got[i].Seq)
		}
	}
	if _, err := db.Thread(t.Context(), "t"); err != nil {
		t.Error(err)
	}
	must(t, db.Verify(t.Context()))
}

func TestFullDatabase(t *testing.T) {
	// At the bound of its size the store says no_space and acknowledges nothing; a
	// small change that shares its transaction with one too big is still made; with
	// room again the same handle goes on with the very next number.
	db := open(t, Options{})
	limit := func(pages string) {
		_, err := db.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages)
		must(t, err)
	}
	stop := run(t, db)
	seedThread(t, db, "t")
	stop()
	db = reopen(t, db)
	limit("200")
	stop = run(t, db)
	acked := fillUp(t, db, true)
	stillWhole(t, db, acked)
	stop()
	db = reopen(t, db) // only the limit of the connection is gone with it
	stop = run(t, db)
	defer stop()
	c := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}
	must(t, db.Commit(t.Context(), c))
	if want := acked[len(acked)-1].Seq + 1; c.Events[0].Seq != want {
		t.Errorf("went on with %d, want %d", c.Events[0].Seq, want)
	}
}

// reopen closes db, which must not run, and opens the file again.
func reopen(t *testing.T, db *DB) *DB {
	t.Helper()
	must(t, db.Close())
	return openAt(t, db.path, Options{})
}

func TestBigChangeDoesNotTakeSmallOnesWithIt(t *testing.T) {
	// Where a change needs more room than there is, only its caller gets no_space;
	// those that shared its transaction are made.
	db := open(t, Options{})
	stop := run(t, db)
	seedThread(t, db, "t")
	stop()
	db = reopen(t, db)
	_, err := db.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 100")
	must(t, err)
	commits := []*vyre.Commit{
		{Events: []vyre.Event{{Kind: "x.small"}}},
		{Events: []vyre.Event{textEvent("t", 1, "i", 0, strings.Repeat("x", 1<<20))}},
		{Events: []vyre.Event{{Kind: "x.small"}}},
	}
	errs := make([]chan error, len(commits))
	for i, c := range commits {
		errs[i] = make(chan error, 1)
		go func() { errs[i] <- db.Commit(t.Context(), c) }()
		waitFor(t, func() bool { return len(db.jobs) == i+1 })
	}
	stop = run(t, db)
	defer stop()
	must(t, <-errs[0])
	if err := <-errs[1]; vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("the big one: %v", err)
	}
	must(t, <-errs[2])
	if a, b := commits[0].Events[0].Seq, commits[2].Events[0].Seq; b != a+1 {
		t.Errorf("numbers %d and %d", a, b)
	}
}
