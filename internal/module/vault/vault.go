package vault

import (
	"context"
	"strings"
	"time"

	"vyre"
	"vyre/internal/registry"
	"vyre/internal/store/sqlite"
)

// Sealer encrypts a value under a name. internal/vault implements it.
type Sealer interface {
	Seal(name string, value []byte) ([]byte, error)
}

// Store keeps sealed items. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
	VaultList(ctx context.Context) ([]sqlite.VaultItem, error)
	VaultGet(ctx context.Context, name string) ([]byte, error)
}

// Module holds what the tools need.
type Module struct {
	Sealer Sealer
	Store  Store
	// Known is told of each value before it is stored, so that it is kept out of
	// records from then on.
	Known func(name string, value []byte)
	Now   func() time.Time
}

// Register declares the tools and the event of the vault.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "vault.put", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Put a secret into the vault. No tool gives it out again.",
	}, m.put)
	registry.Define(r, vyre.Tool{
		Name: "vault.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the names in the vault, never a value.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "vault.delete", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Delete a secret from the vault.",
	}, m.remove)
	registry.DefineEvent[vyre.VaultChanged](r, "An item of the vault was put or deleted. Never its value.")
}

// PutIn is the input of vault.put.
type PutIn struct {
	Name  string `json:"name" jsonschema:"1 to 64 of a-z, 0-9, _ and -"`
	Value string `json:"value" jsonschema:"the secret, at most 64 KiB"`
}

// Name is the input of vault.delete, and what put and delete return.
type Name struct {
	Name string `json:"name" jsonschema:"the item's name"`
}

func (m *Module) put(ctx context.Context, c vyre.Caller, in PutIn) (Name, error) {
	sealed, err := m.Sealer.Seal(in.Name, []byte(in.Value))
	if err != nil {
		return Name{}, err
	}
	m.Known(in.Name, []byte(in.Value))
	return Name{in.Name}, m.write(ctx, in.Name, sealed, "put", c)
}

func (m *Module) remove(ctx context.Context, c vyre.Caller, in Name) (Name, error) {
	if !vyre.ValidID(in.Name) {
		return Name{}, vyre.Invalid("name", "1 to 64 of a-z, 0-9, _ and -")
	}
	if _, err := m.Store.VaultGet(ctx, in.Name); err != nil {
		return Name{}, err
	}
	return in, m.write(ctx, in.Name, nil, "delete", c)
}

func (m *Module) write(ctx context.Context, name string, sealed []byte, act string, c vyre.Caller) error {
	return m.Store.Commit(ctx, &vyre.Commit{
		Durable: true,
		Vault:   &vyre.VaultWrite{Name: strings.Clone(name), Sealed: sealed, At: vyre.At(m.Now())},
		Events:  []vyre.Event{vyre.NewEvent("", "", vyre.VaultChanged{Name: name, Act: act, By: c.String()})},
	})
}

// ListIn is the empty input of vault.list.
type ListIn struct{}

// Item is one name in the vault.
type Item struct {
	Name    string    `json:"name"`
	Updated vyre.Time `json:"updated"`
}

// ListOut is the output of vault.list.
type ListOut struct {
	Items []Item `json:"items"`
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, _ ListIn) (ListOut, error) {
	items, err := m.Store.VaultList(ctx)
	out := ListOut{Items: []Item{}}
	for _, i := range items {
		out.Items = append(out.Items, Item{i.Name, i.Updated})
	}
	return out, err
}
