package sqlite

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"vyre"
)

func TestBusyStore(t *testing.T) {
	// Fifty writers beside a reader that holds its moment for all that time: nobody is
	// told "busy", the reader sees its moment, other readers the present, and once it
	// is gone the write-ahead log is small again.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Events: []vyre.Event{{Kind: "x.before"}}}))
	tx, err := db.reading.BeginTx(t.Context(), nil)
	must(t, err)
	count := func() (n int) {
		t.Helper()
		must(t, tx.QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&n))
		return n
	}
	seen := count()
	write := func(rounds int) {
		var wg sync.WaitGroup
		for w := range 50 {
			wg.Go(func() {
				for i := range rounds {
					c := &vyre.Commit{Durable: i%4 == 0, Events: []vyre.Event{textEvent("t", 1, vyre.ItemID(fmt.Sprint(w)), i, string(make([]byte, 4000)))}}
					if err := db.Commit(t.Context(), c); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	write(60)
	if n := count(); n != seen {
		t.Errorf("the reader saw %d events become %d", seen, n)
	}
	if all := readAll(t, db); len(all) != 1+50*60 {
		t.Errorf("%d events are there", len(all))
	}
	long := walSize(t, db)
	must(t, tx.Rollback())
	for i := 0; walSize(t, db) > walKeepBytes; i++ { // the next writers begin it anew
		if i > 20 {
			t.Fatalf("the log stays at %d bytes after the reader is gone; it was %d", walSize(t, db), long)
		}
		write(4)
	}
	must(t, db.Verify(t.Context()))
}

func walSize(t *testing.T, db *DB) int64 {
	t.Helper()
	st, err := os.Stat(db.path + "-wal")
	must(t, err)
	return st.Size()
}

func TestVerifyHoldsNobodyUp(t *testing.T) {
	// While the whole log is checked, commits go on and the check is of one moment.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	var evs []vyre.Event
	for range 20_000 {
		evs = append(evs, vyre.Event{Kind: "x.y"})
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Events: evs}))
	done := make(chan error, 1)
	go func() { done <- db.Verify(t.Context()) }()
	n := 0
	for ; ; n++ {
		must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Events: []vyre.Event{{Kind: "x.y"}}}))
		select {
		case err := <-done:
			must(t, err)
			if n == 0 {
				t.Error("no commit came in between")
			}
			return
		default:
		}
	}
}

func TestOpenDoesNoUpkeep(t *testing.T) {
	// However much is old, opening prunes nothing: that is for later, by the timer.
	c := newClock()
	db := open(t, c.options())
	stop := run(t, db)
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "old", true, "a", "b", "c")
	<-c.armed
	stop()
	must(t, db.Close())
	c.pass(2 * 24 * time.Hour)
	db = openAt(t, db.path, c.options())
	stop = run(t, db)
	defer stop()
	if n := len(readAll(t, db)); n != 4 {
		t.Errorf("%d events after a start", n)
	}
	c.prune()
	if n := len(readAll(t, db)); n != 1 {
		t.Errorf("%d events after the timer", n)
	}
}
