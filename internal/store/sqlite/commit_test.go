package sqlite

import (
	"context"
	"errors"
	"sync"
	"testing"

	"vyre"
)

func TestOnlyTheFailingChangeFails(t *testing.T) {
	// Changes that share a transaction have their own outcomes: one that breaks a
	// rule is undone whole and its caller alone gets the error; the numbers stay
	// without a gap, also in the order of arrival.
	db := open(t, Options{})
	good := func(id vyre.ThreadID) *vyre.Commit {
		return &vyre.Commit{Durable: true, Threads: []vyre.Thread{aThread(id)}, Events: []vyre.Event{textEvent(id, 1, "i", 0, string(id))}}
	}
	bad := good("bad")
	bad.Items = []vyre.Item{{ID: "x", Thread: "nobody", Kind: vyre.ItemText, Status: vyre.ItemRunning}}
	commits := []*vyre.Commit{good("a"), bad, good("b")}
	errs := make([]error, len(commits))
	var wg sync.WaitGroup
	for i, c := range commits { // one after another into the line, before the writer runs
		wg.Go(func() { errs[i] = db.Commit(t.Context(), c) })
		waitFor(t, func() bool { return len(db.jobs) == i+1 })
	}
	stop := run(t, db)
	wg.Wait()
	if errs[0] != nil || errs[2] != nil || vyre.CodeOf(errs[1]) != vyre.CodeInternal {
		t.Fatalf("outcomes: %v", errs)
	}
	if a, b := commits[0].Events[0].Seq, commits[2].Events[0].Seq; a != 1 || b != 2 {
		t.Errorf("numbers %d and %d, want 1 and 2", a, b)
	}
	if bad.Events[0].Seq != 0 || bad.Items[0].Rev != 0 {
		t.Error("the change that failed was given numbers")
	}
	if _, err := db.Thread(t.Context(), "bad"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("part of the failed change is there: %v", err)
	}
	must(t, db.Verify(t.Context()))
	stop()
}

func TestKeyIsTakenOnce(t *testing.T) {
	// Of two threads started with one key, one is made; the other gets a conflict.
	// Threads without a key don't meet.
	db := openRunning(t, Options{})
	a, b, c, d := aThread("a"), aThread("b"), aThread("c"), aThread("d")
	a.Key, b.Key = "k", "k"
	must(t, db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{a, c, d}}))
	if err := db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{b}}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("second use of the key: %v", err)
	}
	if got, ok, err := db.ThreadByKey(t.Context(), "k"); err != nil || !ok || got.ID != "a" {
		t.Errorf("ThreadByKey = %v %v %v", got.ID, ok, err)
	}
	if _, ok, _ := db.ThreadByKey(t.Context(), ""); ok {
		t.Error("the empty key names a thread")
	}
}

func TestAcknowledgedIsAlreadyTold(t *testing.T) {
	// When Commit returns, OnCommit has had its events and every read sees it.
	var mu sync.Mutex
	var told []vyre.Event
	db := openRunning(t, Options{OnCommit: func(evs []vyre.Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, evs...)
	}})
	seedThread(t, db, "t")
	for i := range 50 {
		c := &vyre.Commit{Durable: i%2 == 0, Events: []vyre.Event{textEvent("t", 1, "i", i, "x"), textEvent("t", 1, "i", i, "y")}}
		must(t, db.Commit(t.Context(), c))
		mu.Lock()
		n, last := len(told), told[len(told)-1].Seq
		mu.Unlock()
		if _, head, _ := db.Bounds(t.Context()); n != 2*(i+1) || last != c.Events[1].Seq || head != last {
			t.Fatalf("after commit %d: told %d events up to %d, head %d", i, n, last, head)
		}
	}
	for i, e := range told {
		if e.Seq != vyre.Seq(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
}

func TestCommitClassesReachTheDisk(t *testing.T) {
	// A durable change runs at synchronous=FULL (2), another at NORMAL (1), as the
	// writing connection itself says at that moment.
	var level int
	var db *DB
	db = open(t, Options{OnCommit: func([]vyre.Event) {
		if err := db.writer.conn.QueryRowContext(context.WithoutCancel(t.Context()), "PRAGMA synchronous").Scan(&level); err != nil {
			t.Error(err)
		}
	}})
	t.Cleanup(run(t, db))
	for i, durable := range []bool{true, false, false, true, false, true, true} {
		must(t, db.Commit(t.Context(), &vyre.Commit{Durable: durable, Events: []vyre.Event{{Kind: "x.y"}}}))
		if want := map[bool]int{true: 2, false: 1}[durable]; level != want {
			t.Errorf("change %d ran at level %d, want %d", i, level, want)
		}
	}
}

func TestCallerMayLeaveTheLine(t *testing.T) {
	// A caller whose context ends while its change waits gets timeout, and the
	// change is never made.
	db := open(t, Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	got := make(chan error)
	go func() { got <- db.Commit(ctx, &vyre.Commit{Threads: []vyre.Thread{aThread("gone")}}) }()
	waitFor(t, func() bool { return len(db.jobs) == 1 })
	cancel(errors.New("left"))
	if err := <-got; vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Fatalf("got %v", err)
	}
	stop := run(t, db)
	defer stop()
	seedThread(t, db, "after")
	if _, err := db.Thread(t.Context(), "gone"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("the change was made: %v", err)
	}
}

func TestStopDoesWhatWaits(t *testing.T) {
	// What waits when the store stops is still done; what comes later is refused
	// as unavailable; nobody hangs.
	db := open(t, Options{})
	const n = 20
	errs := make(chan error, n)
	for range n {
		go func() { errs <- db.Commit(t.Context(), &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}) }()
	}
	waitFor(t, func() bool { return len(db.jobs) == n })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, db.Run(ctx))
	for range n {
		must(t, <-errs)
	}
	if err := db.Commit(t.Context(), &vyre.Commit{Durable: true}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("after the stop: %v", err)
	}
}

func TestCloseEndsRun(t *testing.T) {
	// Close ends a running Run, waits for it, and may be repeated.
	db := open(t, Options{})
	done := make(chan error, 1)
	go func() { done <- db.Run(t.Context()) }()
	seedThread(t, db, "t")
	must(t, db.Close())
	must(t, <-done)
	must(t, db.Close())
}

func TestChangeOfItemsNeedsAnEvent(t *testing.T) {
	// Items without an event would have no revision: the change is refused.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	c := &vyre.Commit{Items: []vyre.Item{{ID: "i", Thread: "t", Kind: vyre.ItemText, Status: vyre.ItemRunning}}}
	if err := db.Commit(t.Context(), c); vyre.CodeOf(err) != vyre.CodeInternal {
		t.Errorf("got %v", err)
	}
}
