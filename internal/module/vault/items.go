package vault

import (
	"context"

	"vyre"
)

// PutIn is the input of vault.put and vault.rotate.
type PutIn struct {
	Name  string `json:"name" jsonschema:"1 to 64 of a-z, 0-9, _ and -"`
	Value string `json:"value" jsonschema:"the secret, at most 64 KiB"`
}

// Stored says what was put.
type Stored struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	// Redacted is false for a value that is too short to be kept out of records.
	Redacted bool `json:"redacted"`
}

// Name is the input and output of vault.delete.
type Name struct {
	Name string `json:"name" jsonschema:"the item's name"`
}

func (m *Module) put(ctx context.Context, c vyre.Caller, in PutIn) (Stored, error) {
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	old, err := m.Store.VaultItem(ctx, in.Name)
	if err != nil && vyre.CodeOf(err) != vyre.CodeNotFound {
		return Stored{}, err
	}
	return m.store(ctx, c, in, old.Version, "put")
}

func (m *Module) rotate(ctx context.Context, c vyre.Caller, in PutIn) (Stored, error) {
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	old, err := m.Store.VaultItem(ctx, in.Name)
	if err != nil {
		return Stored{}, err
	}
	return m.store(ctx, c, in, old.Version, "rotate")
}

// store seals a value as the version after old and writes it. The value is kept out of
// records before it is stored: nothing may say it in between.
func (m *Module) store(ctx context.Context, c vyre.Caller, in PutIn, old int, act string) (Stored, error) {
	value := []byte(in.Value)
	defer clear(value)
	sealed, err := m.Sealer.Seal(in.Name, old+1, value)
	if err != nil {
		return Stored{}, err
	}
	m.Known(in.Name, value)
	return Stored{in.Name, old + 1, m.Covers(value)}, m.Store.Commit(ctx, &vyre.Commit{
		Durable: true,
		Vault:   &vyre.VaultWrite{Name: in.Name, Version: old + 1, Sealed: sealed, At: vyre.At(m.Now())},
		Events:  []vyre.Event{vyre.NewEvent("", "", vyre.VaultChanged{Name: in.Name, Act: act, Version: old + 1, By: c.String()})},
	})
}

func (m *Module) remove(ctx context.Context, c vyre.Caller, in Name) (Name, error) {
	m.shared.changing.Lock()
	defer m.shared.changing.Unlock()
	if _, err := m.item(ctx, in.Name); err != nil {
		return Name{}, err
	}
	return in, m.Store.Commit(ctx, &vyre.Commit{
		Durable: true,
		Vault:   &vyre.VaultWrite{Name: in.Name, At: vyre.At(m.Now())},
		Events:  []vyre.Event{vyre.NewEvent("", "", vyre.VaultChanged{Name: in.Name, Act: "delete", By: c.String()})},
	})
}

// item finds an item by a name that a caller gave.
func (m *Module) item(ctx context.Context, name string) (vyre.VaultItem, error) {
	if !vyre.ValidID(name) {
		return vyre.VaultItem{}, vyre.Invalid("name", "must be 1 to 64 of a-z, 0-9, _ and -")
	}
	return m.Store.VaultItem(ctx, name)
}

// ListIn is the empty input of vault.list.
type ListIn struct{}

// Item is what may be known of an item: never its value.
type Item struct {
	Name    string            `json:"name"`
	Version int               `json:"version"`
	Created vyre.Time         `json:"created"`
	Updated vyre.Time         `json:"updated"`
	Used    vyre.Time         `json:"used"` // when its value was last handed out
	Grants  []vyre.VaultGrant `json:"grants"`
}

// ListOut is the output of vault.list.
type ListOut struct {
	Items    []Item              `json:"items"`
	Requests []vyre.VaultRequest `json:"requests"` // that wait for a decision, the newest first
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, _ ListIn) (out ListOut, err error) {
	items, err := m.Store.VaultList(ctx)
	if err != nil {
		return out, err
	}
	grants, err := m.Store.VaultGrants(ctx, "")
	if err != nil {
		return out, err
	}
	for _, i := range items {
		it := Item{i.Name, i.Version, i.Created, i.Updated, i.Used, []vyre.VaultGrant{}}
		for _, g := range grants {
			if g.Name == i.Name {
				it.Grants = append(it.Grants, g)
			}
		}
		out.Items = append(out.Items, it)
	}
	out.Requests, err = m.Store.VaultRequests(ctx, "", "", false)
	return out, err
}
