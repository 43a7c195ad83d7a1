package daemon

import (
	"slices"
	"strings"
	"time"

	"vyre"
	"vyre/internal/gate"
	"vyre/internal/gate/gitout"
	"vyre/internal/gate/httpout"
	"vyre/internal/git"
)

// loginNames are what git takes of the person's login beside what it always has.
var loginNames = []string{"SSH_AUTH_SOCK", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}

// gateBackoff is before the second attempt of an act with a key.
const gateBackoff = 5 * time.Second

func (h *house) newGate() *gate.Gate {
	return gate.New(gate.Config{
		Store: h.db, Log: h.opt.Log, Now: time.Now, Machine: gate.Machine,
		Secrets: func() gate.Secrets { return h.redact.Now() },
		Undo:    time.Duration(h.cfg.Gate.UndoSeconds) * time.Second, Backoff: gateBackoff,
		Senders: map[vyre.GateKind]gate.Sender{
			vyre.GateHTTP: &httpout.Sender{Open: h.vault.Read},
			vyre.GatePush: &gitout.Sender{Git: git.New(h.opt.Getenv), Dir: h.layout.Private(), Env: h.runtime.loginFew},
		},
	})
}

// loginFew is the few variables of the login that a push needs; none before the login
// shell was asked.
func (r *runtime) loginFew() []string {
	select {
	case <-r.captured:
	default:
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.login.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(loginNames, name)
	})
}
