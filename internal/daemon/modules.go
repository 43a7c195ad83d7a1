package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vyre"
	"vyre/internal/module/asks"
	"vyre/internal/module/providers"
	"vyre/internal/module/signin"
	"vyre/internal/module/system"
	"vyre/internal/module/threads"
	vaultmodule "vyre/internal/module/vault"
	"vyre/internal/registry"
)

// modules is every module, one line each.
type modules struct {
	threads   threads.Module
	asks      asks.Module
	providers providers.Module
	vault     vaultmodule.Module
	signin    signin.Module
	system    system.Module
}

// register declares every tool and event.
func register(r *registry.Registry, m *modules) {
	m.threads.Register(r)
	m.asks.Register(r)
	m.providers.Register(r)
	m.vault.Register(r)
	m.signin.Register(r)
	m.system.Register(r)
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
		threads:   threads.Module{Engine: h.engine, Store: h.db},
		asks:      asks.Module{Engine: h.engine, Store: h.db},
		providers: providers.Module{Source: h.engine, Machine: h.runtime},
		vault:     vaultmodule.Module{Sealer: h.vault, Store: h.db, Now: time.Now},
		signin:    signin.Module{Codes: h.web, Origin: h.http.URL()},
		system: system.Module{
			Store: h.db, Leave: h.asked,
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
