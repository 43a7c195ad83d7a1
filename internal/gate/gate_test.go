package gate_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/gate"
	"vyre/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a gate over a real store, with a sender that counts.
type world struct {
	*gate.Gate
	t    *testing.T
	db   *sqlite.DB
	boot atomic.Value // string
	ms   atomic.Int64
	now  atomic.Int64 // unix ms

	mu   sync.Mutex
	sent []string // the key of each attempt
	send func(ctx context.Context, a vyre.GateAct, key string) gate.Result
}

var (
	person = vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "web", Proof: "passkey", Level: "L2"}
	agent  = vyre.Caller{Kind: vyre.CallerThread, ID: "t", Proof: "session"}
	other  = vyre.Caller{Kind: vyre.CallerMCP, ID: "m"}
)

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait(); _ = db.Close() })
	w := &world{t: t, db: db}
	w.boot.Store("boot-1")
	w.ms.Store(1000)
	w.now.Store(time.Now().UnixMilli())
	w.Gate = w.next()
	if err := db.Commit(t.Context(), &vyre.Commit{Durable: true, Threads: []vyre.Thread{{
		ID: "t", Provider: "claude", Driver: "claude", Mode: vyre.ModeAsk, State: vyre.StateIdle, CWD: "/w", Created: 1, Updated: 1,
	}}}); err != nil {
		t.Fatal(err)
	}
	return w
}

// next is the gate of another daemon over the same store.
func (w *world) next() *gate.Gate {
	return gate.New(gate.Config{
		Store: w.db, Senders: map[vyre.GateKind]gate.Sender{vyre.GateHTTP: w}, Log: slog.New(slog.DiscardHandler),
		Secrets: func() gate.Secrets { return w }, Now: func() time.Time { return time.UnixMilli(w.now.Load()) },
		Machine: func() (string, int64) { return w.boot.Load().(string), w.ms.Load() },
	})
}

func (w *world) Has(b []byte) bool                            { return string(b) == "a secret" }
func (w *world) Prepare(context.Context, *vyre.GateAct) error { return nil }
func (w *world) Label(a vyre.GateAct) string                  { return a.Target }
func (w *world) Warn(vyre.GateAct) []string                   { return nil }

func (w *world) Send(ctx context.Context, a vyre.GateAct, key string) gate.Result {
	w.mu.Lock()
	w.sent = append(w.sent, key)
	f := w.send
	w.mu.Unlock()
	if f == nil {
		return gate.Result{End: gate.Done, Status: 200, Why: "done"}
	}
	return f(ctx, a, key)
}

func (w *world) attempts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.sent...)
}

// run runs a gate until the returned function is called.
func (w *world) run(g *gate.Gate) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = g.Run(ctx) })
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); wg.Wait() }) }
	w.t.Cleanup(stop)
	return stop
}

func (w *world) ask(c vyre.Caller, change ...func(*vyre.GateAct)) vyre.GateAct {
	w.t.Helper()
	a := vyre.GateAct{Kind: vyre.GateHTTP, Target: "https://example.invalid/x", Payload: []byte("hello"), Summary: "says hello"}
	for _, f := range change {
		f(&a)
	}
	a, err := w.Request(w.t.Context(), c, a, time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func idempotent(a *vyre.GateAct) { a.Idempotent = true }

func (w *world) get(id vyre.GateID) vyre.GateAct {
	w.t.Helper()
	a, err := w.db.GateAct(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// becomes waits until the act is in a state, by its event.
func (w *world) becomes(id vyre.GateID, want vyre.GateState) vyre.GateAct {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	for {
		if a := w.get(id); a.State == want {
			return a
		}
		select {
		case <-ctx.Done():
			w.t.Fatalf("it is %s, not %s", w.get(id).State, want)
		case <-time.After(time.Millisecond):
		}
	}
}

// kinds is the log's events of the gate, in order.
func (w *world) kinds() []vyre.Kind {
	w.t.Helper()
	list, err := w.db.Since(w.t.Context(), 0, 10000)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []vyre.Kind
	for _, e := range list {
		out = append(out, e.Kind)
	}
	return out
}

func conflict(t *testing.T, err error) {
	t.Helper()
	if vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("not a conflict: %v", err)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
