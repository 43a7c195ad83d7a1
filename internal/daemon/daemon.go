package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
	"vyre/internal/apply"
	"vyre/internal/audit"
	"vyre/internal/broker"
	"vyre/internal/config"
	"vyre/internal/door/api"
	httpdoor "vyre/internal/door/http"
	"vyre/internal/door/session"
	"vyre/internal/door/sock"
	"vyre/internal/engine"
	"vyre/internal/feed"
	"vyre/internal/gate"
	"vyre/internal/grants"
	"vyre/internal/identity"
	"vyre/internal/identity/passkey"
	"vyre/internal/module/devices"
	"vyre/internal/policy/disk"
	"vyre/internal/redact"
	"vyre/internal/registry"
	"vyre/internal/room"
	"vyre/internal/shim"
	"vyre/internal/store/sqlite"
	"vyre/internal/tailnet"
	"vyre/internal/vault"
	"vyre/web"
)

// Options says where and how a daemon runs.
type Options struct {
	Home    string // absolute
	Version string
	Log     *slog.Logger
	Getenv  func(string) string
	Environ []string
	Ready   func(url string) // called once when the doors are open, or nil
}

// feedRing is how many of the newest events are kept in memory for readers at
// the head; about 400 bytes each.
const feedRing = 4096

// house is every room of a running daemon.
type house struct {
	opt     Options
	cfg     config.Config
	layout  config.Layout
	runtime *runtime
	db      *sqlite.DB
	feed    *feed.Feed
	engine  *engine.Engine
	shims   *shim.Launcher
	peers   *identity.Peers
	web     *identity.Web
	keys    *passkey.Keys
	vault   *vault.Vault
	brokers brokers
	redact  *redact.Live // the vault's values, for what is written
	room    *room.Keeper
	reg     *registry.Registry
	audit   *audit.Audit
	http    *httpdoor.Door
	remote  *httpdoor.Door  // for other machines, or nil
	tailnet *tailnet.Client // or nil
	sock    *sock.Door
	doors   *sock.Sessions
	files   *files
	rules   *rules
	gate    *gate.Gate
	leave   context.CancelCauseFunc
	started time.Time
	program string // the daemon's binary, or empty
}

// errLeave is the cause of an end that daemon.stop asked for.
var errLeave = errors.New("asked to stop")

// ErrAgain is what Run returns when daemon.stop wanted the daemon started again by
// whoever started it.
var ErrAgain = errors.New("asked to stop and be started again")

// again ends the daemon so that it is started again. Without a service manager nobody
// would do that, and it is an ordinary end.
func (h *house) again() {
	if h.opt.Getenv(config.ServiceEnv) == "" {
		h.leave(errLeave)
		return
	}
	h.leave(ErrAgain)
}

// Run runs a daemon on a home until ctx ends or daemon.stop is called, and
// returns after everything it started has. Errors: conflict when another daemon
// has the home, invalid for the settings, unavailable for a busy port; ErrAgain.
func Run(ctx context.Context, o Options) (err error) {
	h := &house{opt: o, started: time.Now(), redact: redact.NewLive()}
	o.Log = slog.New(h.redact.Handler(o.Log.Handler()))
	h.opt.Log = o.Log
	h.program, _ = os.Executable()
	if err := private(); err != nil {
		o.Log.Warn("the daemon's memory could not be made private", "error", err)
	}
	if h.cfg, err = config.LoadFrom(o.Home, o.Getenv); err != nil {
		return err
	}
	if h.layout, err = config.Prepare(o.Home); err != nil {
		return err
	}
	lock, err := config.Lock(o.Home)
	if h.madeRoom(err) {
		lock, err = config.Lock(o.Home)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	ctx, h.leave = context.WithCancelCause(ctx)
	defer h.leave(nil)
	if err := h.build(ctx); err != nil {
		return err
	}
	if err := h.tidy(ctx); err != nil {
		h.opt.Log.Warn("old session folders could not be looked at", "error", err)
	}
	err = h.run(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, errLeave) || errors.Is(err, ErrAgain) {
		err = nil
	}
	if errors.Is(context.Cause(ctx), ErrAgain) {
		err = errors.Join(err, ErrAgain)
	}
	return errors.Join(err, h.db.Close())
}

// build makes the rooms, from the lowest up. Nothing runs yet but the store's
// file is open.
func (h *house) build(ctx context.Context) error {
	rt, err := config.RuntimeDir(h.opt.Home)
	if err != nil {
		return err
	}
	if h.db, err = h.openStore(ctx); err != nil {
		return err
	}
	h.feed = feed.New(h.db, feedRing)
	if h.shims, err = shim.New(shim.Config{
		Home: h.opt.Home, RuntimeDir: rt, Log: h.opt.Log, Confine: confinement(h.cfg.Sessions, h.opt.Home),
		OnFull: func(t vyre.ThreadID, full bool) { h.engine.SessionFull(t, full) },
	}); err != nil {
		return errors.Join(err, h.db.Close())
	}
	h.reg = registry.New(registry.WithLog(h.opt.Log), registry.WithClean(func(err error) error { return h.redact.Now().Error(err) }))
	h.audit = audit.New(h.db, h.opt.Log)
	h.reg.Record(h.audit)
	h.vault = vault.New(h.layout.VaultKey(), h.db)
	h.knowSecrets(ctx)
	h.brokers = brokers{broker.New(h.opt.Log, nil), h.cfg, h.vault}
	drivers := []agent.Provider{claude.New()}
	h.room = h.newKeeper()
	h.runtime = newRuntime(h.cfg, h.layout, &credentials{h.cfg.Sessions, h.db, h.vault, h.itemUsed}, h.db, h.opt, drivers)
	h.files = h.makeFiles()
	h.rules = h.newRules(grants.New(h.db, time.Now, followed))
	if err := h.rules.Load(ctx); err != nil {
		return errors.Join(err, h.db.Close())
	}
	h.peers = h.newPeers(drivers)
	h.doors = h.newDoors(rt)
	h.gate = h.newGate()
	h.engine = engine.New(engine.Config{
		Doors: h.doors, Attached: h.files.attach, Redact: h.redact, Broker: h.brokers,
		Store: h.db, Launcher: h.shims, Runtime: h.runtime, Log: h.opt.Log, Now: time.Now,
		Providers: drivers,
		Idle:      time.Duration(h.cfg.Sessions.IdleMinutes) * time.Minute, MaxLive: h.cfg.Sessions.MaxLive,
		Slots: slotBounds(h.cfg.Sessions), Tools: offer{session.New(h.reg)}, Space: h.room.Space, Folder: folderThere,
		Rules: h.rules, Folders: folders{h.runtime, h.files.trees},
		Sweeper: sweeper{filepath.Join(h.layout.Private(), "quarantine")}, Hand: apply.Hand{Real: disk.Files{}.Real, Never: []string{h.layout.Home}},
		Ours: h.ours, SessionDir: h.sessionDir, Credentials: h.runtime.credentials, Node: nodeName(),
	})
	h.web = identity.NewWeb(h.db, time.Now, h.peers.Level)
	h.keys = passkey.New(passkey.Config{
		Store: h.db, Sessions: h.web, Now: time.Now, Sites: h.sites,
		Always: h.cfg.Asks.Proof == "always", Enrols: devices.EnrolTool,
	})
	h.reg.Prove(h.keys)
	if err := h.openDoors(ctx, config.SocketPath(rt)); err != nil {
		return errors.Join(err, h.db.Close())
	}
	return nil
}

// openDoors takes the port and the socket; they serve once run calls them.
func (h *house) openDoors(ctx context.Context, socket string) (err error) {
	parts := h.parts()
	files, built := web.Files()
	if !built {
		h.opt.Log.Warn("this binary was built without the page; use make build")
	}
	page := httpdoor.Options{Parts: parts, Web: h.web, Keys: h.keys, Files: files, Policy: web.Policy}
	if h.http, err = httpdoor.Listen(ctx, h.cfg.Listen, page); err != nil {
		return err
	}
	if err := h.openRemote(ctx, page); err != nil {
		return errors.Join(err, h.closeDoors())
	}
	h.sock, err = sock.Listen(socket, sock.Options{Parts: parts, Peers: h.peers, Locked: true})
	if err != nil {
		return errors.Join(err, h.closeDoors())
	}
	m := h.modules(socket)
	m.system.Again, m.system.Build = h.again, h.describe
	register(h.reg, m)
	if err := h.reg.Check(); err != nil {
		return errors.Join(err, h.closeDoors(), h.sock.Close())
	}
	return nil
}

// parts is what every door serves.
func (h *house) parts() api.Parts {
	return api.Parts{
		Tools: h.reg, Feed: h.feed, Bounds: h.db.Bounds, Log: h.opt.Log, Version: h.opt.Version,
		Kinds:   h.kinds,
		Watch:   func(t vyre.ThreadID) func() { return h.engine.Watch(t) },
		OpenAPI: func(kind vyre.CallerKind) ([]byte, error) { return registry.OpenAPIFor(h.reg, h.opt.Version, kind) },
	}
}

// newDoors makes the sockets of sessions, which the engine opens and closes.
func (h *house) newDoors(rt string) *sock.Sessions {
	return sock.NewSessions(sock.Place{
		All:    config.SessionSocketsDir(rt),
		Folder: func(id vyre.SessionID) string { return config.SessionSocketDir(rt, string(id)) },
		Socket: func(id vyre.SessionID) string { return config.SessionSocket(rt, string(id)) },
	}, sock.Options{Parts: h.parts(), Peers: h.peers})
}

// kinds lists every kind of event that is declared.
func (h *house) kinds() []vyre.Kind {
	var out []vyre.Kind
	for _, e := range h.reg.Events() {
		out = append(out, e.Kind)
	}
	return out
}

// run runs the rooms and ends them in order: doors, engine, store.
func (h *house) run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	storeCtx, endStore := context.WithCancel(context.WithoutCancel(ctx))
	auditCtx, endAudit := context.WithCancel(context.WithoutCancel(ctx))
	auditDone := make(chan struct{})
	engineCtx, endEngine := context.WithCancel(context.WithoutCancel(ctx))
	storeDone, engineDone, gateDone := make(chan struct{}), make(chan struct{}), make(chan struct{})
	g.Go(func() error {
		defer close(storeDone)
		return h.db.Run(storeCtx)
	})
	g.Go(func() error {
		defer close(auditDone)
		return h.audit.Run(auditCtx)
	})
	g.Go(func() error { return h.runtime.Run(gctx) })
	g.Go(func() error { return h.room.Run(gctx) })
	g.Go(func() error { quiet(gctx, h.feed); return nil })
	g.Go(func() error { h.sweepFiles(gctx); return nil })
	brokersCtx, endBrokers := context.WithCancel(context.WithoutCancel(ctx))
	g.Go(func() error { return h.brokers.Run(brokersCtx) })
	g.Go(func() error {
		defer close(gateDone)
		return h.gate.Run(gctx)
	})
	g.Go(func() error {
		defer endBrokers()
		defer close(engineDone)
		return h.engine.Run(engineCtx)
	})
	g.Go(func() error {
		defer endStore()
		defer func() { endAudit(); <-auditDone }() // what was refused up to the end is written
		defer func() { <-gateDone }()
		defer func() { <-engineDone }()
		defer endEngine()
		return h.serve(gctx)
	})
	err := g.Wait()
	<-storeDone
	return err
}

// serve opens the doors once the engine knows what an earlier daemon left.
func (h *house) serve(ctx context.Context) error {
	select {
	case <-h.engine.Started():
	case <-ctx.Done():
		return errors.Join(h.closeDoors(), h.sock.Close())
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return h.http.Run(ctx) })
	if h.remote != nil {
		g.Go(func() error { return h.remote.Run(ctx) })
		h.opt.Log.Info("the page is open to other machines", "url", h.remote.URL(), "tailnet", h.tailnet != nil)
	}
	if h.tailnet != nil {
		defer h.tailnet.Close()
	}
	g.Go(func() error { return h.sock.Run(ctx) })
	g.Go(func() error { return h.doors.Run(ctx) })
	h.opt.Log.Info("the daemon is ready", "url", h.http.URL(), "after_ms", time.Since(h.started).Milliseconds())
	if h.opt.Ready != nil {
		h.opt.Ready(h.http.URL())
	}
	return g.Wait()
}

func nodeName() string {
	name, err := os.Hostname()
	if err != nil {
		return "local"
	}
	return name
}
