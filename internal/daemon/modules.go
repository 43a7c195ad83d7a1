package daemon

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vyre"
	"vyre/internal/module/acts"
	"vyre/internal/module/asks"
	auditmodule "vyre/internal/module/audit"
	"vyre/internal/module/devices"
	gatemodule "vyre/internal/module/gate"
	grantsmodule "vyre/internal/module/grants"
	policymodule "vyre/internal/module/policy"
	"vyre/internal/module/providers"
	"vyre/internal/module/sessions"
	"vyre/internal/module/signin"
	"vyre/internal/module/slots"
	"vyre/internal/module/system"
	"vyre/internal/module/threads"
	trustmodule "vyre/internal/module/trust"
	"vyre/internal/module/usage"
	vaultmodule "vyre/internal/module/vault"
	"vyre/internal/module/worktrees"
	"vyre/internal/redact"
	"vyre/internal/registry"
)

// modules is every module, one line each.
type modules struct {
	threads   threads.Module
	asks      asks.Module
	audit     auditmodule.Module
	grants    grantsmodule.Module
	gate      gatemodule.Module
	policy    policymodule.Module
	providers providers.Module
	vault     vaultmodule.Module
	sessions  sessions.Module
	usage     usage.Module
	signin    signin.Module
	devices   devices.Module
	acts      acts.Module
	system    system.Module
	slots     slots.Module
	worktrees worktrees.Module
	trust     trustmodule.Module
}

// register declares every tool and event.
func register(r *registry.Registry, m *modules) {
	m.threads.Register(r)
	m.asks.Register(r)
	m.audit.Register(r)
	m.grants.Register(r)
	m.gate.Register(r)
	m.policy.Register(r)
	m.providers.Register(r)
	m.vault.Register(r)
	m.sessions.Register(r)
	m.usage.Register(r)
	m.signin.Register(r)
	m.devices.Register(r)
	m.acts.Register(r)
	m.system.Register(r)
	m.slots.Register(r)
	m.worktrees.Register(r)
	m.trust.Register(r)
}

// Registry returns the declarations of every tool and event without a running
// daemon: for help, references and tests. Its tools can't be called.
func Registry() *registry.Registry {
	r := registry.New()
	register(r, &modules{})
	return r
}

func (h *house) modules(socket string) *modules {
	return &modules{
		threads:   threads.Module{Engine: h.engine, Store: h.db, Attachments: h.files.attach, Files: h.files.suggest, Worktrees: startTrees{h}},
		worktrees: worktrees.Module{Trees: h.files.trees, Store: h.db, Sessions: h.engine.Sessions},
		asks:      asks.Module{Engine: h.engine, Store: h.db},
		audit:     auditmodule.Module{Store: h.db},
		grants:    grantsmodule.Module{Book: h.rules.Book, Store: h.db, Judge: h.rules.Judge, Now: time.Now},
		policy:    policymodule.Module{Providers: slices.Collect(maps.Values(h.runtime.drivers)), Judge: h.rules.Judge},
		gate:      gatemodule.Module{Gate: h.gate, Store: h.db},
		providers: providers.Module{Source: h.engine, Machine: h.runtime},
		vault:     vaultmodule.Module{Sealer: h.vault, Store: h.db, Known: h.known, Covers: redact.Covers, Now: time.Now},
		trust:     trustmodule.Module{Store: h.db, Engine: h.engine},
		slots:     slots.Module{Engine: h.engine},
		sessions:  sessions.Module{Store: h.db, Source: h.engine, Config: h.cfg.Sessions.Models.Of, Now: time.Now},
		usage:     usage.Module{Store: h.db},
		signin:    signin.Module{Codes: h.web, Origin: h.http.URL()},
		devices:   devices.Module{Keys: h.keys, Sessions: h.web, Sites: h.sites, Always: h.cfg.Asks.Proof == "always"},
		acts:      acts.Module{Keys: h.keys, Call: h.reg.Call},
		system: system.Module{
			Store: h.db, Leave: func() { h.leave(errLeave) },
			Room:   roomTools{h},
			Status: func(ctx context.Context, wait bool) system.Status { return h.status(ctx, wait, socket) },
		},
	}
}

func (h *house) sessionDir(id vyre.SessionID) string {
	return filepath.Join(h.layout.Sessions(), string(id))
}

// ours reports whether a session's folder is in this home, however the home is
// spelled. A folder that is gone may have moved with its home.
func (h *house) ours(s vyre.Session) bool {
	own := h.sessionDir(s.ID)
	if s.Dir == own {
		return true
	}
	theirs, err := os.Stat(s.Dir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	mine, err := os.Stat(own)
	return err == nil && os.SameFile(theirs, mine)
}

// status is what the daemon knows of itself.
func (h *house) status(ctx context.Context, wait bool, socket string) system.Status {
	now := h.peers.Standing()
	return system.Status{
		Version: h.opt.Version, PID: os.Getpid(), Home: h.opt.Home, Listen: h.cfg.Listen, URL: h.http.URL(),
		Socket: socket, Started: vyre.At(h.started), Sessions: len(h.engine.Sessions()), RSSBytes: rss(),
		Level: now.Level, LevelMeans: levelMeans[now.Level], LevelWhy: now.Why, LevelRaise: now.Raise, Doubt: now.Doubt, Cgroup: h.shims.CgroupParent(), Confinement: h.confinementReport(),
		Room: h.roomState(), Credentials: h.runtime.credentials.report(ctx, h.engine.Providers()), Brokers: h.brokers.uses(), Environment: h.runtime.Environment(ctx, wait),
	}
}

// levelMeans says for each level what tells a person from an agent, and what it
// does not stop (docs/guide/security.md).
var levelMeans = map[string]string{
	"L0": "Nothing is known of callers: only the page answers.",
	"L1": "Callers are told apart by their ancestry alone, or an agent runs that Vyre did not start, or a session's parent died. A command that an agent starts through tmux, ssh or cron is not recognised, nor one that ends its session's parent first.",
	"L2": "Callers are told apart by control group, pidfd and ancestry. A command that an agent starts through tmux, ssh or cron is not recognised.",
	"L3": "Sessions can't leave their control group, signal or trace what is outside. They see Vyre's sockets, and what tmux, ssh or cron starts for them is not recognised.",
	"L4": "Sessions see neither Vyre's state nor any socket of it but their own. What they reach over the network, ssh to this machine among it, is not recognised.",
	"L5": "Sessions run as another user with a network of their own.",
}

// rss is the daemon's resident memory in bytes, 0 where the system does not say.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
