package daemon

import (
	"context"
	"os"
	"path/filepath"

	"vyre"
)

// tidy removes the folders of sessions that have no row, or an ended one: a
// daemon that died between the last commit of a session and the removal of its
// folder left it. So are the folders of such sessions' sockets. Folders of sessions that may still run are not touched.
func (h *house) tidy(ctx context.Context) error {
	folders, err := h.leftover(ctx)
	if err != nil {
		return err
	}
	open, err := h.db.OpenSessions(ctx)
	if err != nil {
		return err
	}
	h.doors.Sweep(open)
	for _, f := range folders {
		if err := os.RemoveAll(f); err != nil {
			h.opt.Log.Warn("an old session's folder could not be removed", "error", err)
		}
	}
	return nil
}

// leftover lists those folders. It looks at the folders first: a session's row is
// there before its folder, so one that begins meanwhile is not taken for an old one.
func (h *house) leftover(ctx context.Context) (folders []string, err error) {
	entries, err := os.ReadDir(h.layout.Sessions())
	if err != nil {
		return nil, err
	}
	open, err := h.db.OpenSessions(ctx)
	if err != nil {
		return nil, err
	}
	keep := map[string]bool{}
	for _, s := range open {
		keep[string(s.ID)] = true
	}
	for _, e := range entries {
		if !keep[e.Name()] && e.IsDir() && vyre.ValidID(e.Name()) {
			folders = append(folders, filepath.Join(h.layout.Sessions(), e.Name()))
		}
	}
	return folders, nil
}
