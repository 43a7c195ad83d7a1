package engine_test

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/agent"
	"vyre/internal/apply"
	"vyre/internal/engine"
	"vyre/internal/engine/slots"
	"vyre/internal/feed"
	"vyre/internal/redact"
	"vyre/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a home with the real store and peers that outlive its engines.
type world struct {
	t        *testing.T
	db       *sqlite.DB
	feed     *feed.Feed
	peers    *peers
	provider peerProvider
	eng      *engine.Engine
	stop     func()
	bound    time.Duration
	idle     time.Duration
	revive   time.Duration // 0: a millisecond
	maxLive  int
	slots    map[vyre.SlotKind]slots.Bound
	tools    engine.Tools
	folders  engine.Folders
	sweeper  engine.Sweeper
	space    func() error
	rules    engine.Rules
	jump     atomic.Int64 // how far the wall clock is off, nanoseconds
	wrap     func(engine.Store) engine.Store
	purse    *purse // or nil
	redact   *redact.Live
	dbPath   string
	patience time.Duration // of until
}

type noRuntime struct{}

func (noRuntime) Options(context.Context, vyre.Thread) (agent.Options, error) {
	return agent.Options{}, nil
}

func newWorld(t *testing.T, script func(*peerProc, peerFrame)) *world {
	t.Helper()
	w := &world{
		t: t, peers: &peers{procs: map[vyre.SessionID]*peerProc{}, script: script},
		provider: peerProvider{history: map[vyre.MessageID]bool{}}, bound: 10 * time.Second,
		patience: 20 * time.Second, redact: redact.NewLive(),
	}
	w.dbPath = filepath.Join(t.TempDir(), "vyre.db")
	var err error
	w.db, err = sqlite.Open(t.Context(), w.dbPath, sqlite.Options{
		Now:      w.now,
		Clean:    func(c *vyre.Commit) { w.redact.Now().Commit(c) },
		OnCommit: func(evs []vyre.Event) { w.feed.Publish(evs) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.feed = feed.New(w.db, 4096)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.db.Run(ctx); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		w.stop()
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		wg.Wait()
	})
	w.start()
	return w
}

// start runs an engine; restart replaces it, as a new daemon would.
func (w *world) start() {
	var store engine.Store = w.db
	if w.wrap != nil {
		store = w.wrap(w.db)
	}
	var runtime engine.Runtime = noRuntime{}
	var credentials engine.Credentials
	if w.purse != nil {
		runtime, credentials = w.purse, w.purse
	}
	w.eng = engine.New(engine.Config{
		Redact: w.redact,
		Store:  store, Launcher: w.peers, Runtime: runtime, Credentials: credentials, Providers: []agent.Provider{w.provider},
		Log: slog.New(slog.DiscardHandler), Now: w.now, Node: "here",
		SessionDir: func(id vyre.SessionID) string { return "/nowhere/" + string(id) },
		Revive:     cmp.Or(w.revive, time.Millisecond),
		Ours:       func(s vyre.Session) bool { return s.Dir == "/nowhere/"+string(s.ID) },
		Ready:      w.bound, Interrupt: w.bound, Idle: w.idle, MaxLive: w.maxLive, Slots: w.slots, Tools: w.tools, Space: w.space, Rules: w.rules, Hand: apply.Hand{Real: func(p string) (string, bool) { return p, true }},
		Folders: w.folders, Sweeper: w.sweeper,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.eng.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	w.stop = sync.OnceFunc(func() { cancel(); <-done })
	<-w.eng.Started()
}

// now is the wall clock, which the test can put wrong.
func (w *world) now() time.Time {
	if j := w.jump.Load(); j != 0 {
		return time.Now().Add(time.Duration(j)).Round(0) // no monotonic reading: the worst case
	}
	return time.Now()
}

func (w *world) restart() {
	w.stop()
	w.start()
}

func (w *world) begin(prompt string) vyre.ThreadID {
	w.t.Helper()
	id, _, err := w.eng.Start(w.t.Context(), engine.StartInput{Provider: "peer", Prompt: prompt, CWD: "/", By: "person:owner:test"})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) send(id vyre.ThreadID, text, key string) engine.Sent {
	w.t.Helper()
	s, err := w.eng.Send(w.t.Context(), id, engine.SendInput{Text: text, Key: vyre.MessageID(key), By: "person:owner:test"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// events returns the whole log.
func (w *world) events() []vyre.Event {
	w.t.Helper()
	evs, err := w.db.Since(w.t.Context(), 0, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	return evs
}

// kinds renders the log of a thread as words, without the text deltas' data.
func (w *world) kinds(id vyre.ThreadID) string {
	var s []string
	for _, e := range w.events() {
		if e.Thread == id {
			s = append(s, string(e.Kind))
		}
	}
	return strings.Join(s, " ")
}

// until waits for the first event that ok accepts, from the log's beginning.
func (w *world) until(what string, ok func(vyre.Event) bool) vyre.Event {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), w.patience)
	defer cancel()
	var after vyre.Seq
	for {
		evs, next, err := w.feed.Since(ctx, after, feed.Filter{}, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range evs {
			if ok(e) {
				return e
			}
		}
		after = next
		if len(evs) > 0 {
			continue
		}
		if err := w.feed.Wait(ctx, after); err != nil {
			var log []string
			for _, e := range w.events() {
				log = append(log, string(e.Kind)+" "+string(e.Data))
			}
			w.t.Fatalf("waiting for %s: %v; the log:\n%s", what, err, strings.Join(log, "\n"))
		}
	}
}

func (w *world) untilKind(k vyre.Kind, n int) vyre.Event {
	w.t.Helper()
	seen := 0
	return w.until(string(k), func(e vyre.Event) bool {
		if e.Kind == k {
			seen++
		}
		return seen == n
	})
}

func (w *world) asks(id vyre.ThreadID) []vyre.Ask {
	w.t.Helper()
	a, _, err := w.db.Asks(w.t.Context(), sqlite.AskQuery{Thread: id, Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) turn(id vyre.TurnID) vyre.Turn {
	w.t.Helper()
	u, _, err := w.db.Turn(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

func (w *world) thread(id vyre.ThreadID) vyre.Thread {
	w.t.Helper()
	th, err := w.db.Thread(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return th
}

// echo answers the handshake and every message at once.
func echo(p *peerProc, f peerFrame) {
	switch f.Say {
	case "hello":
		p.say(peerLine{Type: "ready", Attach: f.Data["attach"] == true})
	case "send":
		id := vyre.MessageID(f.Data["id"].(string))
		p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{id}})
		p.say(peerLine{Type: "text", Key: "t" + string(id), Text: "echo: "})
		p.say(peerLine{Type: "said", Key: "t" + string(id), Text: "echo: " + f.Data["text"].(string)})
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "completed"})
	case "mode":
		p.say(peerLine{Type: "mode", Mode: f.Data["mode"].(string)})
	}
}

// slow begins a turn and leaves it to the test.
func slow(p *peerProc, f peerFrame) {
	switch f.Say {
	case "hello":
		p.say(peerLine{Type: "ready", Attach: f.Data["attach"] == true})
	case "send":
		p.say(peerLine{Type: "turn", Messages: []vyre.MessageID{vyre.MessageID(f.Data["id"].(string))}})
	}
}
