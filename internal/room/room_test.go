package room

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a home with a real database.
type world struct {
	t      *testing.T
	home   string
	db     *sqlite.DB
	now    atomic.Int64 // milliseconds
	free   atomic.Int64
	old    []string // folders of sessions that ended
	needed string   // the version of an agent that is needed
	tick   chan time.Time
	told   chan State
}

type stored struct{ db *sqlite.DB }

func (s stored) Stored(ctx context.Context) (Stored, error) {
	u, err := s.db.Disk(ctx)
	return Stored{u.Size(), u.Words, u.Raw, u.Outputs, u.Free, u.CanShrink}, err
}
func (s stored) Size() int64 { return s.db.Size() }
func (s stored) Prune(ctx context.Context, a Ages) (int, error) {
	p, err := s.db.Prune(ctx, sqlite.Retention{Words: a.Words, Events: a.Events, Raw: a.Raw, Outputs: a.Outputs})
	return p.Words + p.Events + p.Raw + p.Outputs, err
}
func (s stored) Shrink(ctx context.Context) error { _, err := s.db.Shrink(ctx); return err }

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir(), tick: make(chan time.Time), told: make(chan State, 10)}
	w.now.Store(1_700_000_000_000)
	w.free.Store(1 << 40)
	for _, d := range []string{"private/sessions", "attach", "agents", "worktrees"} {
		must(t, os.MkdirAll(filepath.Join(w.home, d), 0o700))
	}
	start := w.now.Load()
	var err error
	w.db, err = sqlite.Open(t.Context(), filepath.Join(w.home, "private", "vyre.db"), sqlite.Options{
		Now:     func() time.Time { return time.UnixMilli(w.now.Load()) },
		Elapsed: func() time.Duration { return time.Duration(w.now.Load()-start) * time.Millisecond },
	})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = w.db.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait(); must(t, w.db.Close()) })
	must(t, w.db.Commit(t.Context(), &vyre.Commit{Threads: []vyre.Thread{{
		ID: "t", Provider: "p", Mode: vyre.ModeAsk, State: vyre.StateIdle, CWD: "/",
	}}}))
	return w
}

func (w *world) keeper(budget, floor int64) *Keeper {
	p := func(d string) string { return filepath.Join(w.home, d) }
	return New(Config{
		Places: Places{Home: w.home, Sessions: p("private/sessions"), Attach: p("attach"), Agents: p("agents"), Worktrees: p("worktrees"), DB: p("private/vyre.db")},
		Store:  stored{w.db}, Budget: budget, Floor: floor,
		Leftover:   func(context.Context) ([]string, error) { return w.old, nil },
		AgentInUse: func(f string) bool { return filepath.Base(f) == w.needed },
		Tell:       func(_ context.Context, s State) { w.told <- s },
		Disk:       func(string) (int64, int64, error) { return w.free.Load(), 1 << 41, nil },
		Tick:       func(time.Duration) (<-chan time.Time, func()) { return w.tick, func() {} },
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) file(path string, size int) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(filepath.Join(w.home, path)), 0o700))
	must(w.t, os.WriteFile(filepath.Join(w.home, path), bytes.Repeat([]byte("x"), size), 0o600))
}

func (w *world) exists(path string) bool {
	_, err := os.Stat(filepath.Join(w.home, path))
	return err == nil
}

// output stores a large output of a tool, now.
func (w *world) output(id vyre.ItemID, size int) {
	w.t.Helper()
	body, err := json.Marshal(vyre.ToolBody{Output: json.RawMessage(`"x"`), OutputRef: &vyre.OutputRef{Ref: id, Bytes: int64(size)}})
	must(w.t, err)
	must(w.t, w.db.Commit(w.t.Context(), &vyre.Commit{
		Items:   []vyre.Item{{ID: id, Thread: "t", Kind: vyre.ItemTool, Status: vyre.ItemCompleted, Body: body, Created: vyre.Time(w.now.Load())}},
		Outputs: []vyre.Output{{Item: id, Bytes: bytes.Repeat([]byte("x"), size)}},
		Events:  []vyre.Event{{Kind: "x.y"}},
	}))
}

func (w *world) has(id vyre.ItemID) bool {
	_, err := w.db.Output(w.t.Context(), "t", id, 0, 10)
	return err == nil
}

func TestBudgetTakesTheOldest(t *testing.T) {
	// Above the budget the oldest of what may go goes, only as much as is needed and
	// nothing that is young or a person's; the log verifies.
	w := newWorld(t)
	w.file("attach/a/photo.png", 2<<20)
	w.file("worktrees/w/work.go", 9<<20) // a person's, and not counted
	w.file("private/sessions/gone/spool", 1<<20)
	w.old = []string{filepath.Join(w.home, "private/sessions/gone")}
	w.output("old", 6<<20)
	w.now.Add((40 * day).Milliseconds())
	w.output("week", 6<<20)
	w.now.Add((8 * day).Milliseconds())
	w.output("today", 6<<20)
	k := w.keeper(18<<20, 0)
	must(t, k.fit(t.Context()))
	if w.has("old") || !w.has("week") || !w.has("today") || w.exists("private/sessions/gone") {
		t.Errorf("old %v, week %v, today %v", w.has("old"), w.has("week"), w.has("today"))
	}
	if s := k.State(); s.Level == Over || s.Used > 18<<20 || s.Used < 12<<20 {
		t.Errorf("state %+v", s)
	}
	k = w.keeper(1<<20, 0) // cannot be reached
	must(t, k.fit(t.Context()))
	if w.has("week") || !w.has("today") || !w.exists("attach/a/photo.png") || !w.exists("worktrees/w/work.go") {
		t.Error("what is young or a person's went")
	}
	if s := k.State(); s.Level != Over {
		t.Errorf("state %+v", s)
	}
	items, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: "t"})
	must(t, err)
	if len(items) != 3 {
		t.Errorf("%d items", len(items))
	}
	must(t, w.db.Verify(t.Context()))
}

func TestTellsOnceForEachChange(t *testing.T) {
	// A level is told when it is reached and not again; below the floor starts are
	// refused with the reason, and allowed as soon as there is room, without a look.
	w := newWorld(t)
	k := w.keeper(0, 100<<20)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Run(ctx) }()
	look := func(free int64) { w.free.Store(free); w.tick <- time.Time{} }
	look(1 << 40)
	look(150 << 20)
	if s := <-w.told; s.Level != Near {
		t.Errorf("told %+v", s)
	}
	look(150 << 20)
	look(50 << 20)
	if s := <-w.told; s.Level != NoRoom || s.Free != 50<<20 {
		t.Errorf("told %+v", s)
	}
	err := k.Space()
	if vyre.CodeOf(err) != vyre.CodeNoSpace || vyre.AsError(err).Hint == "" {
		t.Errorf("a start: %v", err)
	}
	w.free.Store(1 << 40)
	must(t, k.Space())
	look(1 << 40)
	if s := <-w.told; s.Level != Fine {
		t.Errorf("told %+v", s)
	}
	cancel()
	must(t, <-done)
	if len(w.told) != 0 {
		t.Errorf("told once more: %+v", <-w.told)
	}
}

func TestReserveIsKeptAndGivenUp(t *testing.T) {
	// A megabyte is kept back while there is room for it, not when there is little,
	// and given up once.
	w := newWorld(t)
	k := w.keeper(0, 0)
	k.cfg.Places.Reserve = filepath.Join(w.home, "private", "reserve")
	w.free.Store(2 << 20)
	k.keepReserve()
	if w.exists("private/reserve") || Release(k.cfg.Places.Reserve) {
		t.Error("the last room was taken")
	}
	w.free.Store(1 << 30)
	k.keepReserve()
	if n, err := sizeOf(t.Context(), k.cfg.Places.Reserve); err != nil || n < reserveBytes {
		t.Errorf("reserve of %d bytes, %v", n, err)
	}
	if !Release(k.cfg.Places.Reserve) || w.exists("private/reserve") {
		t.Error("it was not given up")
	}
}

func TestCleanRemovesWhatNothingNeeds(t *testing.T) {
	// A clean-up removes agents that nothing runs, folders of ended sessions and
	// empty pages, says what it freed, and touches nothing else, an install at work
	// included.
	w := newWorld(t)
	w.needed = "2.0.0"
	w.file("agents/claude/1.0.0/claude", 3<<20)
	w.file("agents/claude/2.0.0/claude", 3<<20)
	w.file("agents/claude/.stage-1/claude", 1<<20)
	w.file("private/sessions/gone/spool", 1<<20)
	w.file("private/sessions/live/spool", 1<<20)
	w.file("attach/a", 1<<20)
	w.file("worktrees/w/f", 1<<20)
	w.old = []string{filepath.Join(w.home, "private/sessions/gone")}
	w.output("x", 5<<20)
	w.now.Add(day.Milliseconds())
	_, err := w.db.Prune(t.Context(), sqlite.Retention{Outputs: time.Hour})
	must(t, err)
	k := w.keeper(0, 0)
	uses, _, err := k.Usage(t.Context())
	must(t, err)
	sum := map[Class]string{}
	for _, u := range uses {
		sum[u.Class] = fmt.Sprintf("%d MB, %d to free", u.Bytes>>20, u.Freeable>>20)
		if u.How == "" && u.Class != Database {
			t.Errorf("%s does not say how", u.Class)
		}
	}
	for class, want := range map[Class]string{
		Agents: "7 MB, 3 to free", Sessions: "2 MB, 1 to free", Attachments: "1 MB, 0 to free", Worktrees: "1 MB, 0 to free", Outputs: "0 MB, 0 to free",
	} {
		if sum[class] != want {
			t.Errorf("%s: %s, want %s", class, sum[class], want)
		}
	}
	got, err := k.Clean(t.Context())
	must(t, err)
	if !slices.Equal(got.Agents, []string{"claude/1.0.0"}) || got.Sessions < 1<<20 || got.Database < 5<<20 || got.Freed < 9<<20 {
		t.Errorf("cleaned %+v", got)
	}
	for kept := range strings.FieldsSeq("agents/claude/2.0.0/claude agents/claude/.stage-1/claude private/sessions/live/spool attach/a worktrees/w/f private/vyre.db") {
		if !w.exists(kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if w.exists("agents/claude/1.0.0") || w.exists("private/sessions/gone") {
		t.Error("left over")
	}
}
