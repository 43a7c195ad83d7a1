package sqlite

import (
	"context"

	"vyre"
)

// setModel keeps or takes away a person's choice of a model.
func (w *writer) setModel(ctx context.Context, m *vyre.ModelSetting) error {
	if m == nil {
		return nil
	}
	if m.Model == "" {
		return w.exec(ctx, "DELETE FROM models WHERE scope = ? AND name = ?", string(m.Scope), m.Name)
	}
	return w.exec(ctx, "INSERT INTO models (scope, name, model, set_by, set_at) VALUES (?, ?, ?, ?, ?)"+
		" ON CONFLICT (scope, name) DO UPDATE SET model = excluded.model, set_by = excluded.set_by, set_at = excluded.set_at",
		string(m.Scope), m.Name, m.Model, m.By, int64(m.At))
}

// addPrompt keeps a new version; one that is there already is never replaced.
func (w *writer) addPrompt(ctx context.Context, p *vyre.PromptVersion) error {
	if p == nil {
		return nil
	}
	n, err := w.changed(ctx, "INSERT INTO prompts (purpose, version, text, reverts, set_by, set_at) VALUES (?, ?, ?, ?, ?, ?)"+
		" ON CONFLICT (purpose, version) DO NOTHING",
		string(p.Purpose), int64(p.Version), p.Text, int64(p.Reverts), p.By, int64(p.At))
	if err == nil && n == 0 {
		err = vyre.Errorf(vyre.CodeConflict, "version %d of the prompt is there already", p.Version)
	}
	return err
}

// Models returns every model that was set, purposes after projects, by name.
func (db *DB) Models(ctx context.Context) ([]vyre.ModelSetting, error) {
	return list(ctx, db, func(r scanner) (m vyre.ModelSetting, err error) {
		return m, r.Scan((*string)(&m.Scope), &m.Name, &m.Model, &m.By, (*int64)(&m.At))
	}, "SELECT scope, name, model, set_by, set_at FROM models ORDER BY scope, name")
}

// ModelSet returns what was set for one purpose or project, or "".
func (db *DB) ModelSet(ctx context.Context, scope vyre.ModelScope, name string) (string, error) {
	model, _, err := one(ctx, db, func(r scanner) (s string, err error) { return s, r.Scan(&s) },
		"SELECT model FROM models WHERE scope = ? AND name = ?", string(scope), name)
	return model, err
}

const promptColumns = "purpose, version, text, length(CAST(text AS BLOB)), reverts, set_by, set_at"

func scanPrompt(r scanner) (p vyre.PromptVersion, err error) {
	return p, r.Scan((*string)(&p.Purpose), &p.Version, &p.Text, &p.Bytes, &p.Reverts, &p.By, (*int64)(&p.At))
}

// Prompt returns a version of a purpose's prompt, the newest for 0. Without one it
// is the zero value and false.
func (db *DB) Prompt(ctx context.Context, purpose vyre.Purpose, version int) (vyre.PromptVersion, bool, error) {
	if version == 0 {
		return one(ctx, db, scanPrompt, "SELECT "+promptColumns+" FROM prompts WHERE purpose = ? ORDER BY version DESC LIMIT 1", string(purpose))
	}
	return one(ctx, db, scanPrompt, "SELECT "+promptColumns+" FROM prompts WHERE purpose = ? AND version = ?", string(purpose), int64(version))
}

// PromptHistory returns the newest versions of a purpose's prompt without their
// texts, the newest first.
func (db *DB) PromptHistory(ctx context.Context, purpose vyre.Purpose, limit int) ([]vyre.PromptVersion, error) {
	return list(ctx, db, scanPrompt, "SELECT purpose, version, '', length(CAST(text AS BLOB)), reverts, set_by, set_at"+
		" FROM prompts WHERE purpose = ? ORDER BY version DESC LIMIT ?", string(purpose), int64(pageLimit(limit)))
}
