package sqlite

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"vyre"
)

// clock is a clock that the test sets, with a timer that the test fires.
type clock struct {
	now   atomic.Int64 // milliseconds
	ticks chan time.Time
	armed chan time.Duration
}

func newClock() *clock {
	c := &clock{ticks: make(chan time.Time), armed: make(chan time.Duration, 100)}
	c.now.Store(1_000_000_000_000)
	return c
}

func (c *clock) options() Options {
	return Options{
		Now: func() time.Time { return time.UnixMilli(c.now.Load()) },
		Timer: func(d time.Duration) (<-chan time.Time, func()) {
			c.armed <- d
			return c.ticks, func() {}
		},
	}
}

func (c *clock) pass(d time.Duration) { c.now.Add(d.Milliseconds()) }

// prune fires the timer and returns when the pruner has done its work.
func (c *clock) prune() {
	<-c.armed // it waits
	c.ticks <- time.UnixMilli(c.now.Load())
	c.armed <- <-c.armed // it waits again
}

// streamed commits an item's words one event each, and closes item and turn.
func streamed(t *testing.T, db *DB, thread vyre.ThreadID, turn int, item vyre.ItemID, done bool, text ...string) {
	t.Helper()
	id := vyre.MakeTurnID(thread, turn)
	it := vyre.Item{ID: item, Thread: thread, Turn: id, Kind: vyre.ItemText, Status: vyre.ItemRunning}
	tn := vyre.Turn{ID: id, Thread: thread, Status: vyre.TurnStarted, Origin: vyre.OriginPerson}
	whole := ""
	for _, w := range text {
		must(t, db.Commit(t.Context(), &vyre.Commit{
			Turns: []vyre.Turn{tn}, Items: []vyre.Item{it}, Events: []vyre.Event{textEvent(thread, turn, item, len(whole), w)},
		}))
		whole += w
	}
	if !done {
		return
	}
	it.Status, it.Text, tn.Status = vyre.ItemCompleted, whole, vyre.TurnCompleted
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Turns: []vyre.Turn{tn}, Items: []vyre.Item{it},
		Events: []vyre.Event{vyre.NewEvent(thread, id, vyre.ThreadFinished{Turn: id, Status: tn.Status})},
	}))
}

func TestOldWordsArePruned(t *testing.T) {
	// Words of ended turns go a day after they were said, on the timer; other
	// events, younger words and the words of what still runs stay. The floor is the
	// highest number that went, also after a restart, and the chain verifies.
	c := newClock()
	db := open(t, c.options())
	path := db.path
	stop := run(t, db)
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "old", true, "a", "b", "c") // 1–3, finished 4
	streamed(t, db, "t", 2, "runs", false, "d", "e")    // 5–6
	c.pass(25 * time.Hour)
	streamed(t, db, "t", 3, "new", true, "f") // 7, finished 8
	c.prune()
	want := []vyre.Seq{4, 5, 6, 7, 8}
	check := func(floor vyre.Seq) {
		t.Helper()
		var got []vyre.Seq
		for _, e := range readAll(t, db) {
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("kept %v, want %v", got, want)
		}
		if f, _, _ := db.Bounds(t.Context()); f != floor {
			t.Fatalf("floor %d, want %d", f, floor)
		}
		must(t, db.Verify(t.Context()))
	}
	check(3)
	if text, err := db.ItemText(t.Context(), "runs"); err != nil || text != "de" {
		t.Errorf("ItemText = %q %v", text, err)
	}
	streamed(t, db, "t", 2, "silent", true) // 9: the turn ended, but nothing else has the item's words
	c.pass(25 * time.Hour)
	c.prune()
	want = []vyre.Seq{4, 5, 6, 8, 9}
	check(7)
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Items:  []vyre.Item{{ID: "runs", Thread: "t", Turn: "t:2", Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "de"}},
		Events: []vyre.Event{{Kind: "x.y"}}, // 10
	}))
	c.pass(25 * time.Hour)
	c.prune()
	want = []vyre.Seq{4, 8, 9, 10}
	check(7)
	stop()
	must(t, db.Close())
	db = openAt(t, path, c.options())
	check(7)
}

func TestPruningTheNewestEventsKeepsTheChain(t *testing.T) {
	// When the newest events of all are pruned, the log goes on from the record
	// that they left, in this run and after a restart; neighbouring runs become one
	// record.
	c := newClock()
	db := open(t, c.options())
	path := db.path
	stop := run(t, db)
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "a", true, "1", "2") // 1–2, finished 3
	end := vyre.Item{ID: "b", Thread: "t", Turn: "t:1", Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "xy"}
	must(t, db.Commit(t.Context(), &vyre.Commit{Items: []vyre.Item{end}, Events: []vyre.Event{textEvent("t", 1, "b", 0, "x")}}))
	c.pass(25 * time.Hour)
	c.prune() // 1, 2 and 4 go
	must(t, db.Commit(t.Context(), &vyre.Commit{Items: []vyre.Item{end}, Events: []vyre.Event{textEvent("t", 1, "b", 1, "y")}}))
	must(t, db.Verify(t.Context()))
	c.pass(25 * time.Hour)
	c.prune() // 5 joins 4
	must(t, db.Verify(t.Context()))
	var runs int
	must(t, db.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM pruned").Scan(&runs))
	if runs != 2 {
		t.Errorf("%d records, want 2", runs)
	}
	stop()
	must(t, db.Close())
	db = openAt(t, path, c.options())
	stop = run(t, db)
	defer stop()
	e := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}
	must(t, db.Commit(t.Context(), e))
	if e.Events[0].Seq != 6 {
		t.Errorf("went on with %d, want 6", e.Events[0].Seq)
	}
	must(t, db.Verify(t.Context()))
}

func TestPruningInChunks(t *testing.T) {
	// More events than one transaction drops go all the same, and leave one record
	// where they were neighbours.
	c := newClock()
	db := open(t, c.options())
	t.Cleanup(run(t, db))
	seedThread(t, db, "t")
	streamed(t, db, "t", 1, "a", true, slices.Repeat([]string{"w"}, 2*pruneAtOnce+10)...)
	c.pass(25 * time.Hour)
	c.prune()
	if n := len(readAll(t, db)); n != 1 {
		t.Errorf("%d events kept, want 1", n)
	}
	var runs int
	must(t, db.reading.QueryRowContext(t.Context(), "SELECT count(*) FROM pruned").Scan(&runs))
	if runs != 1 {
		t.Errorf("%d records, want 1", runs)
	}
	must(t, db.Verify(t.Context()))
}
