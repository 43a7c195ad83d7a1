package vault

import (
	"context"
	"sync"
	"time"

	"vyre"
	"vyre/internal/registry"
)

// Sealer encrypts a value under a name and a version, and decrypts it. internal/vault
// implements it.
type Sealer interface {
	Seal(name string, version int, value []byte) ([]byte, error)
	Open(name string, version int, sealed []byte) ([]byte, error)
}

// Store keeps sealed items and who may have them. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
	VaultList(ctx context.Context) ([]vyre.VaultItem, error)
	VaultItem(ctx context.Context, name string) (vyre.VaultItem, error)
	VaultGet(ctx context.Context, name string) (sealed []byte, version int, err error)
	VaultGrants(ctx context.Context, name string) ([]vyre.VaultGrant, error)
	VaultRequests(ctx context.Context, thread vyre.ThreadID, name string, all bool) ([]vyre.VaultRequest, error)
	VaultRequest(ctx context.Context, id string) (vyre.VaultRequest, error)
	Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error)
}

// Module holds what the tools need.
type Module struct {
	Sealer Sealer
	Store  Store
	// Known is told of each value before it is stored, so that it is kept out of
	// records from then on.
	Known func(name string, value []byte)
	// Covers says whether a value can be kept out of records.
	Covers func(value []byte) bool
	Now    func() time.Time

	shared *shared
}

// shared is what a module has one of, however often its value is copied.
type shared struct {
	changing sync.Mutex // held over a change of items, which goes by what was read before
	waiting  waiting
}

// Register declares the tools and the events of the vault.
func (m *Module) Register(r *registry.Registry) {
	m.shared = &shared{}
	registry.Define(r, vyre.Tool{
		Name: "vault.put", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Put a secret into the vault. No tool gives it out to a person again.",
	}, m.put)
	registry.Define(r, vyre.Tool{
		Name: "vault.rotate", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Give an item a new value. Sessions have it from their next start on; what it had stays sealed.",
	}, m.rotate)
	registry.Define(r, vyre.Tool{
		Name: "vault.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the items of the vault, who may have each, and what agents ask for. Never a value.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "vault.delete", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Delete an item with its versions and grants.",
	}, m.remove)
	registry.Define(r, vyre.Tool{
		Name: "vault.grant", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true, Decides: true,
		Summary: "Let a thread, a project, an agent or a module have an item. Requests for it that this answers are granted.",
	}, m.grant)
	registry.Define(r, vyre.Tool{
		Name: "vault.revoke", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Take a grant of an item back. What was read, was read: rotate it where that matters.",
	}, m.revoke)
	registry.Define(r, vyre.Tool{
		Name: "vault.decline", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Decline an agent's request for an item.",
	}, m.decline)
	registry.Define(r, vyre.Tool{
		Name: "vault.request", Effect: vyre.EffectWrite, Reach: vyre.ReachSelf,
		Summary: "Ask your person for an item of the vault. You learn whether you may have it, never its value: use it by `vyre vault exec NAME -- COMMAND`.",
	}, m.request)
	registry.Define(r, vyre.Tool{
		Name: "vault.take", Effect: vyre.EffectAdmin, Reach: vyre.ReachSelf,
		Summary: "Give a granted item to a command of the session that it was granted to. `vyre vault exec` calls it.",
	}, m.take)
	m.events(r)
}

func (m *Module) events(r *registry.Registry) {
	registry.DefineEvent[vyre.VaultChanged](r, "An item of the vault was put, rotated or deleted. Never its value.")
	registry.DefineEvent[vyre.VaultGrantedData](r, "A person lets somebody have an item of the vault.")
	registry.DefineEvent[vyre.VaultRevokedData](r, "Somebody may not have an item any more.")
	registry.DefineEvent[vyre.VaultUsedData](r, "An item's value was handed to a command of a session.")
	registry.DefineEvent[vyre.VaultRequested](r, "An agent asks for an item of the vault.")
	registry.DefineEvent[vyre.VaultDecided](r, "A person granted or declined an agent's request.")
}
