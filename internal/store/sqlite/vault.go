package sqlite

import (
	"context"

	"vyre"
)

// keptVersions is how many earlier versions of an item stay sealed beside it.
const keptVersions = 3

func (w *writer) writeVault(ctx context.Context, v *vyre.VaultWrite) error {
	switch {
	case v == nil:
		return nil
	case v.Sealed == nil:
		return w.deleteItem(ctx, v.Name)
	case v.Version <= 1:
		n, err := w.changed(ctx, "INSERT INTO vault (name, version, sealed, created, updated) VALUES (?, 1, ?, ?, ?) ON CONFLICT DO NOTHING",
			v.Name, v.Sealed, int64(v.At), int64(v.At))
		return changedBefore(v.Name, n, err)
	}
	if err := w.exec(ctx, "INSERT INTO vault_old (name, version, sealed) SELECT name, version, sealed FROM vault WHERE name = ? AND version = ?",
		v.Name, v.Version-1); err != nil {
		return err
	}
	n, err := w.changed(ctx, "UPDATE vault SET version = ?, sealed = ?, updated = ? WHERE name = ? AND version = ?",
		v.Version, v.Sealed, int64(v.At), v.Name, v.Version-1)
	if err := changedBefore(v.Name, n, err); err != nil {
		return err
	}
	return w.exec(ctx, "DELETE FROM vault_old WHERE name = ? AND version < ?", v.Name, v.Version-keptVersions)
}

// changedBefore refuses a write that goes by what the item was before.
func changedBefore(name string, n int64, err error) error {
	if err == nil && n == 0 {
		return vyre.Errorf(vyre.CodeConflict, "the vault's item %q was changed by somebody else", name).WithHint("Look at it and try again.")
	}
	return err
}

func (w *writer) deleteItem(ctx context.Context, name string) error {
	for _, text := range []string{"DELETE FROM vault_old WHERE name = ?", "DELETE FROM vault_grants WHERE name = ?"} {
		if err := w.exec(ctx, text, name); err != nil {
			return err
		}
	}
	n, err := w.changed(ctx, "DELETE FROM vault WHERE name = ?", name)
	if err == nil && n == 0 {
		err = vyre.NotFound("vault item", name)
	}
	return err
}

var vaultGrants = newTable("vault_grants", "name, kind, holder", "name", "kind", "holder", "given_by", "proof", "level", "created")

func vaultGrantArgs(g *vyre.VaultGrant) ([]any, error) {
	return []any{g.Name, string(g.Kind), g.Holder, g.By, g.Proof, g.Level, int64(g.Created)}, nil
}

const deleteVaultGrant = "DELETE FROM vault_grants WHERE name = ? AND kind = ? AND holder = ?"

func vaultGrantKey(g *vyre.VaultGrant) ([]any, error) {
	return []any{g.Name, string(g.Kind), g.Holder}, nil
}

var vaultRequests = newTable("vault_requests", "id", "id", "thread", "name", "why", "state", "created", "decided_by", "decided_at")

func vaultRequestArgs(q *vyre.VaultRequest) ([]any, error) {
	return []any{q.ID, string(q.Thread), q.Name, q.Why, string(q.State), int64(q.Created), q.By, int64(q.At)}, nil
}

func scanVaultRequest(r scanner) (q vyre.VaultRequest, err error) {
	return q, r.Scan(&q.ID, (*string)(&q.Thread), &q.Name, &q.Why, (*string)(&q.State), (*int64)(&q.Created), &q.By, (*int64)(&q.At))
}

func (w *writer) takeItem(ctx context.Context, u *vyre.VaultUse) error {
	if u == nil {
		return nil
	}
	return w.exec(ctx, "UPDATE vault SET used = max(used, ?) WHERE name = ?", int64(u.At), u.Name)
}

// VaultList returns the items of the vault by name.
func (db *DB) VaultList(ctx context.Context) ([]vyre.VaultItem, error) {
	return list(ctx, db, scanVaultItem, "SELECT name, version, created, updated, used FROM vault ORDER BY name")
}

func scanVaultItem(r scanner) (v vyre.VaultItem, err error) {
	return v, r.Scan(&v.Name, &v.Version, (*int64)(&v.Created), (*int64)(&v.Updated), (*int64)(&v.Used))
}

// VaultItem returns what may be known of one item. Errors: not_found.
func (db *DB) VaultItem(ctx context.Context, name string) (vyre.VaultItem, error) {
	v, ok, err := one(ctx, db, scanVaultItem, "SELECT name, version, created, updated, used FROM vault WHERE name = ?", name)
	if err == nil && !ok {
		err = vyre.NotFound("vault item", name)
	}
	return v, err
}

// VaultGet returns the ciphertext of an item and its version. Errors: not_found.
func (db *DB) VaultGet(ctx context.Context, name string) (sealed []byte, version int, err error) {
	v, ok, err := one(ctx, db, scanSealed, "SELECT version, sealed FROM vault WHERE name = ?", name)
	if err == nil && !ok {
		err = vyre.NotFound("vault item", name)
	}
	return v.sealed, v.version, err
}

type sealedVersion struct {
	version int
	sealed  []byte
}

func scanSealed(r scanner) (v sealedVersion, err error) { return v, r.Scan(&v.version, &v.sealed) }

// VaultVersions calls f with each version of an item that is kept, the newest first.
func (db *DB) VaultVersions(ctx context.Context, name string, f func(version int, sealed []byte)) error {
	all, err := list(ctx, db, scanSealed, "SELECT version, sealed FROM vault WHERE name = ?"+
		" UNION ALL SELECT version, sealed FROM vault_old WHERE name = ? ORDER BY version DESC", name, name)
	for _, v := range all {
		f(v.version, v.sealed)
	}
	return err
}

// VaultGrants returns who may have an item, or with "" who may have any, by name.
func (db *DB) VaultGrants(ctx context.Context, name string) ([]vyre.VaultGrant, error) {
	var f filter
	f.addText("name", name)
	return list(ctx, db, func(r scanner) (g vyre.VaultGrant, err error) {
		return g, r.Scan(&g.Name, (*string)(&g.Kind), &g.Holder, &g.By, &g.Proof, &g.Level, (*int64)(&g.Created))
	}, "SELECT "+vaultGrants.columns+" FROM vault_grants"+f.String()+" ORDER BY name, created, kind, holder", f.args...)
}

// VaultRequests returns the requests of a thread (or of all, for "") for an item (or
// for any), the newest first; without all those alone that are open.
func (db *DB) VaultRequests(ctx context.Context, thread vyre.ThreadID, name string, all bool) ([]vyre.VaultRequest, error) {
	var f filter
	if !all {
		f.add("state = 'open'")
	}
	f.addText("thread", string(thread))
	f.addText("name", name)
	return list(ctx, db, scanVaultRequest, "SELECT "+vaultRequests.columns+" FROM vault_requests"+f.String()+" ORDER BY created DESC, id LIMIT 500", f.args...)
}

// VaultRequest returns one request. Errors: not_found.
func (db *DB) VaultRequest(ctx context.Context, id string) (vyre.VaultRequest, error) {
	q, ok, err := one(ctx, db, scanVaultRequest, "SELECT "+vaultRequests.columns+" FROM vault_requests WHERE id = ?", id)
	if err == nil && !ok {
		err = vyre.NotFound("request", id)
	}
	return q, err
}
