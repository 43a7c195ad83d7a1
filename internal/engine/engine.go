package engine

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine/slots"
	"vyre/internal/redact"
)

// Config is what an Engine is made of. Idle, MaxLive, Ready, Interrupt and Revive may
// be zero.
type Config struct {
	Store     Store
	Launcher  Launcher
	Runtime   Runtime
	Providers []agent.Provider
	Log       *slog.Logger
	Now       func() time.Time

	SessionDir func(vyre.SessionID) string // private folder of a session
	// Credentials may be nil: then sessions use their agent's own sign-in.
	Credentials Credentials
	Node        string

	Idle    time.Duration // a session that rests so long is closed; 0: never
	MaxLive int           // so many sessions run at once; 0: no bound

	Slots map[vyre.SlotKind]slots.Bound // places for parallel work
	Tools Tools                         // what sessions are offered of ours; nil: nothing
	// Rules judge every call of an agent. nil: nothing is refused, and each question is a
	// person's.
	Rules Rules
	// Hand makes an edit that a person applies; nil: none can be.
	Hand Hand
	// Space refuses a new process while the disk is too full for one; nil never does.
	Space func() error

	// Folder says whether a thread's folder is there to work in; nil takes any. Errors:
	// unavailable.
	Folder func(path string) error

	// Doors makes each session's own socket; nil: sessions have none.
	Doors Doors

	// Sweeper watches protected files; nil: nobody does.
	Sweeper Sweeper
	// Folders reads what folders bring; nil: no session takes anything from one.
	Folders Folders

	// Ours reports whether a recorded session belongs to this home. A copied store
	// names sessions of the home it was copied from; those are never touched.
	Ours func(vyre.Session) bool

	// Broker keeps credentials from agents; nil hands them over.
	Broker Broker

	// Attached finds the files of messages. nil: there are none.
	Attached Attached

	// Redact takes the vault's values out of what is said before it is written down or
	// handed to an agent; nil knows none.
	Redact *redact.Live

	Ready     time.Duration // bound of a handshake; 0 means 15 s
	Interrupt time.Duration // bound of each step of the interrupt ladder; 0 means 5 s
	Revive    time.Duration // pause before an agent that died twice is started again; 0 means 2 s
}

// Engine owns the live threads of one home.
type Engine struct {
	cfg       Config
	providers map[string]agent.Provider
	names     []string

	slots *shelf

	// ctx ends every owner; it is Run's. Set once, before started is closed.
	ctx     context.Context //nolint:containedctx // owners are started by requests and must outlive them
	started chan struct{}
	owners  sync.WaitGroup

	mu       sync.Mutex // guards what follows; never held while anything else is called
	threads  map[vyre.ThreadID]*owner
	live     map[vyre.SessionID]vyre.Session
	reserved int                         // places for sessions that are about to start
	resting  map[vyre.ThreadID]time.Time // sessions that could be closed, since when
	seen     map[string]agent.Ready      // what each provider's newest session said of itself
	keys     map[string]chan struct{}
	watchers map[vyre.ThreadID]int  // people who follow a thread
	line     []vyre.ThreadID        // threads that wait for a place, in order
	full     map[vyre.ThreadID]bool // threads that wait for room on the disk
	starved  map[vyre.ThreadID]bool // threads whose session's parent does
	handmade map[FileChange]bool    // what persons had us write, by path and content
	closing  bool
}

// New makes an engine that does nothing until Run.
func New(cfg Config) *Engine {
	if cfg.Ready == 0 {
		cfg.Ready = 15 * time.Second
	}
	if cfg.Interrupt == 0 {
		cfg.Interrupt = 5 * time.Second
	}
	if cfg.Redact == nil {
		cfg.Redact = redact.NewLive()
	}
	if cfg.Revive == 0 {
		cfg.Revive = 2 * time.Second
	}
	e := &Engine{
		cfg: cfg, slots: newShelf(cfg.Slots), providers: map[string]agent.Provider{}, started: make(chan struct{}),
		threads: map[vyre.ThreadID]*owner{}, live: map[vyre.SessionID]vyre.Session{}, resting: map[vyre.ThreadID]time.Time{},
		seen: map[string]agent.Ready{}, keys: map[string]chan struct{}{}, full: map[vyre.ThreadID]bool{}, starved: map[vyre.ThreadID]bool{},
		watchers: map[vyre.ThreadID]int{},
	}
	for _, p := range cfg.Providers {
		e.providers[p.Info().Name] = p
		e.names = append(e.names, p.Info().Name)
	}
	return e
}

// Run adopts what an earlier daemon left, then serves until ctx ends. It lets go
// of every process, so that agents work on, and returns after all its goroutines
// did.
func (e *Engine) Run(ctx context.Context) error {
	e.ctx = ctx
	open, err := e.cfg.Store.OpenSessions(ctx)
	if err != nil {
		return err
	}
	unsettled, err := e.cfg.Store.Unsettled(ctx)
	if err != nil {
		return err
	}
	if err := e.restoreSlots(ctx, open); err != nil {
		return err
	}
	for _, s := range open {
		e.track(s)
		e.openAgain(s)
	}
	close(e.started)
	for _, s := range open {
		e.rouse(s.Thread, &s)
	}
	for _, id := range unsettled {
		e.rouse(id, nil)
	}
	e.spawn(e.settleTrust)
	for _, s := range open {
		e.spawn(func() { e.LookAgain(s.Thread) })
	}
	<-ctx.Done()
	e.mu.Lock()
	e.closing = true
	e.mu.Unlock()
	e.owners.Wait()
	return nil
}

// Started is closed once the sessions that an earlier daemon left are known.
// Doors open after it: before, a caller inside such a session would look like
// anybody.
func (e *Engine) Started() <-chan struct{} { return e.started }

// Sessions returns every session that is not proven ended: what identity tells
// callers apart by. Order is not defined.
func (e *Engine) Sessions() []vyre.Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]vyre.Session, 0, len(e.live))
	for _, s := range e.live {
		out = append(out, s)
	}
	return out
}

// track notes a session for Sessions, before its process exists.
func (e *Engine) track(s vyre.Session) {
	e.mu.Lock()
	e.live[s.ID] = s
	e.mu.Unlock()
}

func (e *Engine) untrack(id vyre.SessionID) {
	e.mu.Lock()
	addr := e.live[id].Broker
	delete(e.starved, e.live[id].Thread)
	delete(e.live, id)
	e.mu.Unlock()
	e.unbroker(addr)
	if e.cfg.Doors != nil {
		e.cfg.Doors.Close(id)
	}
	e.callNext()
}

// openSession finds the session of a thread that is not proven ended.
func (e *Engine) openSession(id vyre.ThreadID) *vyre.Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.live {
		if s.Thread == id {
			return &s
		}
	}
	return nil
}

// Seen returns what the newest session of a provider said of itself: its models
// and commands.
func (e *Engine) Seen(provider string) (agent.Ready, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, ok := e.seen[provider]
	return r, ok
}

// Providers returns the providers of this machine, in the order of their wiring.
func (e *Engine) Providers() []agent.Provider { return e.cfg.Providers }

// provider finds a provider or refuses, naming those there are.
func (e *Engine) provider(name string) (agent.Provider, error) {
	p, ok := e.providers[name]
	if !ok {
		return nil, vyre.Invalid("provider", "no provider %q on this machine", name).
			WithHint("This machine has: "+join(e.names)+".").WithDetail("providers", e.names)
	}
	return p, nil
}

// named is a provider's own word for a model.
func (e *Engine) named(provider, model string) string {
	if p, ok := e.providers[provider]; ok {
		return p.Info().Named(model)
	}
	return model
}

func (e *Engine) now() vyre.Time { return vyre.At(e.cfg.Now()) }

func join(names []string) string {
	return strings.Join(names, ", ")
}
