package sqlite

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"vyre"
)

const days = 24 * time.Hour

func TestRetentionByClass(t *testing.T) {
	// Each class goes by its own age and takes nothing of another: words, other
	// events, raw bodies, large outputs. What a person reads stays in the items. The
	// floor moves, the chain verifies, and it is so after a restart.
	c := newClock()
	db := open(t, c.options())
	stop := run(t, db)
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "words", true, "a", "b")
	withOutput(t, db, "out", bytes.Repeat([]byte("x"), 40*partBytes))
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Items: []vyre.Item{{
			ID: "raw", Thread: "t", Kind: vyre.ItemRaw, Status: vyre.ItemCompleted, Text: "a name",
			Body: []byte(`{"x":1}`), Created: vyre.At(db.opt.Now()),
		}},
		Events: []vyre.Event{{Kind: "x.y"}},
	}))
	c.pass(2 * days)
	young := &vyre.Commit{Events: []vyre.Event{{Kind: "x.young"}}}
	must(t, db.Commit(t.Context(), young))
	prune := func(r Retention, want Pruned) {
		t.Helper()
		got, err := db.Prune(t.Context(), r)
		must(t, err)
		if got != want {
			t.Errorf("%+v pruned %+v, want %+v", r, got, want)
		}
		must(t, db.Verify(t.Context()))
	}
	prune(Retention{}, Pruned{})
	prune(Retention{Words: 3 * days, Events: 3 * days, Raw: 3 * days, Outputs: 3 * days}, Pruned{})
	prune(Retention{Outputs: days}, Pruned{Outputs: 1})
	if _, err := db.Output(t.Context(), "t", "out", 0, 100); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("a pruned output: %v", err)
	}
	var parts int
	must(t, db.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM output_parts").Scan(&parts))
	if parts != 0 {
		t.Errorf("%d parts left", parts)
	}
	prune(Retention{Raw: days}, Pruned{Raw: 1})
	prune(Retention{Words: days}, Pruned{Words: 2})
	prune(Retention{Events: days}, Pruned{Events: 3}) // finished, the output's, the raw's
	left := readAll(t, db)
	if len(left) != 1 || left[0].Seq != young.Events[0].Seq {
		t.Errorf("left %v", left)
	}
	items, _, err := db.Items(t.Context(), ItemQuery{Thread: "t"})
	must(t, err)
	var texts []string
	for _, it := range items {
		texts = append(texts, it.Text)
	}
	slices.Sort(texts)
	if got := fmt.Sprint(texts); got != "[ a name ab]" {
		t.Errorf("items say %s", got)
	}
	floor, _, _ := db.Bounds(t.Context())
	if floor != left[0].Seq-1 {
		t.Errorf("floor %d", floor)
	}
	stop()
	db = reopen(t, db)
	must(t, db.Verify(t.Context()))
	if f, _, _ := db.Bounds(t.Context()); f != floor {
		t.Errorf("floor %d after a restart, want %d", f, floor)
	}
}

func TestPruningManyEventsInBatches(t *testing.T) {
	// Events by the thousand go in transactions of bounded size, words that nothing
	// else has stay among them, and the chain holds.
	c := newClock()
	db := open(t, c.options())
	t.Cleanup(run(t, db))
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "runs", false, "only here")
	var evs []vyre.Event
	for range 3*pruneAtOnce + 7 {
		evs = append(evs, vyre.Event{Kind: "x.y"})
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Events: evs}))
	c.pass(2 * days)
	got, err := db.Prune(t.Context(), Retention{Events: days, Words: days})
	must(t, err)
	if got.Events != len(evs) || got.Words != 0 {
		t.Errorf("pruned %+v", got)
	}
	if text, err := db.ItemText(t.Context(), "runs"); err != nil || text != "only here" {
		t.Errorf("words %q %v", text, err)
	}
	must(t, db.Verify(t.Context()))
}

func TestShrinkGivesRoomBack(t *testing.T) {
	// What pruning freed is given back to the disk while the store is written to,
	// and the store is whole.
	c := newClock()
	db := open(t, c.options())
	t.Cleanup(run(t, db))
	seedThread(t, db, "t")
	for i := range 8 {
		withOutput(t, db, vyre.ItemID(fmt.Sprint(i)), bytes.Repeat([]byte("x"), 4<<20))
	}
	full, err := db.Disk(t.Context())
	must(t, err)
	if full.Outputs != 32<<20 || full.Size() < 32<<20 || !full.CanShrink {
		t.Errorf("usage %+v", full)
	}
	c.pass(2 * days)
	_, err = db.Prune(t.Context(), Retention{Outputs: days})
	must(t, err)
	mid, err := db.Disk(t.Context())
	must(t, err)
	if mid.Free < 30<<20 || mid.Outputs != 0 {
		t.Errorf("after pruning %+v", mid)
	}
	freed, err := db.Shrink(t.Context())
	must(t, err)
	end, err := db.Disk(t.Context())
	must(t, err)
	if freed < 30<<20 || end.Size() > 4<<20 || end.Free != 0 {
		t.Errorf("gave back %d: %+v", freed, end)
	}
	must(t, db.Verify(t.Context()))
}

func TestPruningIsNotFooledByTheClock(t *testing.T) {
	// A wall clock that jumps ten years ahead prunes nothing by it: not while the
	// store runs, nor after a restart; a jump back keeps more. One that stands for a
	// day is believed; a weekend's step at once.
	c := newClock()
	var ran time.Duration
	o := c.options()
	o.Elapsed = func() time.Duration { return ran }
	db := open(t, o)
	stop := run(t, db)
	seedThread(t, db, "t")
	note := func() { must(t, db.Commit(t.Context(), &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}})) }
	prune := func(want int) {
		t.Helper()
		got, err := db.Prune(t.Context(), Retention{Events: 30 * days})
		must(t, err)
		if got.Events != want {
			t.Fatalf("pruned %d events, want %d", got.Events, want)
		}
	}
	both := func(d time.Duration) { c.pass(d); ran += d }
	note()
	both(29 * days)
	prune(0)
	c.pass(3650 * days)
	prune(0)
	both(2 * days) // now the first one is 31 days old by any clock
	prune(1)       // and the jump has stood
	note()         // in the future
	c.pass(-3650 * days)
	prune(0)
	note()
	both(31 * days)
	prune(1) // the one from the future stays and keeps nothing
	note()
	stop()
	must(t, db.Close())
	ran = 0
	c.pass(3650 * days)
	db = openAt(t, db.path, o)
	stop = run(t, db)
	defer stop()
	prune(0)
	both(12 * time.Hour)
	prune(0)
	last := vyre.Seq(0)
	for _, e := range readAll(t, db) {
		if e.Seq <= last {
			t.Errorf("number %d after %d", e.Seq, last)
		}
		last = e.Seq
	}
	must(t, db.Verify(t.Context()))
}
