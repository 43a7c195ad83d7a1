package daemon

import (
	"context"
	"os"
	"path/filepath"

	"vyre"
)

// tidy removes the folders of sessions that have no row, or an ended one: a
// daemon that died between the last commit of a session and the removal of its
// folder left it. Folders of sessions that may still run are not touched.
func (h *house) tidy(ctx context.Context) error {
	open, err := h.db.OpenSessions(ctx)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, s := range open {
		keep[string(s.ID)] = true
	}
	entries, err := os.ReadDir(h.layout.Sessions())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if keep[e.Name()] || !e.IsDir() || !vyre.ValidID(e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(h.layout.Sessions(), e.Name())); err != nil {
			h.opt.Log.Warn("an old session's folder could not be removed", "error", err)
		}
	}
	return nil
}
