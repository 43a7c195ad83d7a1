package sqlite

import (
	"context"

	"vyre"
)

// VaultItem is what may be known of an item of the vault.
type VaultItem struct {
	Name    string
	Updated vyre.Time
}

func (w *writer) writeVault(ctx context.Context, v *vyre.VaultWrite) error {
	if v == nil {
		return nil
	}
	if v.Sealed != nil {
		return w.exec(ctx, "INSERT INTO vault (name, sealed, updated) VALUES (?, ?, ?)"+
			" ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated = excluded.updated", v.Name, v.Sealed, int64(v.At))
	}
	n, err := w.changed(ctx, "DELETE FROM vault WHERE name = ?", v.Name)
	if err == nil && n == 0 {
		err = vyre.NotFound("vault item", v.Name)
	}
	return err
}

// VaultList returns the items of the vault by name.
func (db *DB) VaultList(ctx context.Context) ([]VaultItem, error) {
	return list(ctx, db, func(r scanner) (v VaultItem, err error) { return v, r.Scan(&v.Name, (*int64)(&v.Updated)) },
		"SELECT name, updated FROM vault ORDER BY name")
}

// VaultGet returns the ciphertext of an item. Errors: not_found.
func (db *DB) VaultGet(ctx context.Context, name string) ([]byte, error) {
	b, ok, err := one(ctx, db, func(r scanner) (b []byte, err error) { return b, r.Scan(&b) },
		"SELECT sealed FROM vault WHERE name = ?", name)
	if err == nil && !ok {
		err = vyre.NotFound("vault item", name)
	}
	return b, err
}
