package sqlite

import (
	"context"

	"vyre"
)

var grants = newTable("grants", "id", "id", "project", "kind", "args", "path", "source", "tool", "from_ask", "given_by",
	"proof", "level", "created", "expires", "revoked", "revoked_by")

func grantArgs(g *vyre.Grant) ([]any, error) {
	args, err := jsonOrNil(g.Args, g.Args == nil)
	return []any{
		string(g.ID), g.Project, string(g.Kind), args, g.Path, g.Source, g.Tool, string(g.From), g.By,
		g.Proof, g.Level, int64(g.Created), int64(g.Expires), int64(g.Revoked), g.RevokedBy,
	}, err
}

func scanGrant(r scanner) (vyre.Grant, error) {
	var g vyre.Grant
	var args []byte
	err := r.Scan((*string)(&g.ID), &g.Project, (*string)(&g.Kind), &args, &g.Path, &g.Source, &g.Tool, (*string)(&g.From), &g.By,
		&g.Proof, &g.Level, (*int64)(&g.Created), (*int64)(&g.Expires), (*int64)(&g.Revoked), &g.RevokedBy, &g.Uses, (*int64)(&g.LastUsed))
	if err != nil {
		return g, err
	}
	return g, fromJSON(args, &g.Args)
}

// countGrants notes what went ahead by grants. The counts are the store's alone: a
// grant that is put again keeps them.
func (w *writer) countGrants(ctx context.Context, list []vyre.GrantUse) error {
	for _, u := range list {
		if err := w.exec(ctx, "UPDATE grants SET uses = uses + 1, last_used = max(last_used, ?) WHERE id = ?",
			int64(u.At), string(u.Grant)); err != nil {
			return err
		}
	}
	return nil
}

// Grants returns the standing allows of a project, or of all for "", the oldest
// first; without all those alone that nobody took back.
func (db *DB) Grants(ctx context.Context, project string, all bool) ([]vyre.Grant, error) {
	var f filter
	if !all {
		f.add("revoked = 0")
	}
	f.addText("project", project)
	return list(ctx, db, scanGrant, "SELECT "+grants.columns+", uses, last_used FROM grants"+f.String()+" ORDER BY created, id", f.args...)
}

// Grant returns one standing allow. Errors: not_found.
func (db *DB) Grant(ctx context.Context, id vyre.GrantID) (vyre.Grant, error) {
	g, ok, err := one(ctx, db, scanGrant, "SELECT "+grants.columns+", uses, last_used FROM grants WHERE id = ?", string(id))
	if err == nil && !ok {
		err = vyre.NotFound("grant", string(id))
	}
	return g, err
}
