package shim

import (
	"errors"
	"os"
	"path/filepath"

	"vyre"
)

// Discard removes the folder of a session that was proven empty and whose output
// was read to its end; see engine.Launcher. Errors: conflict while its shim
// lives, internal.
func (l *Launcher) Discard(s vyre.Session) error {
	if s.ID == "" || filepath.Base(s.Dir) != string(s.ID) {
		return fault("a folder that is no session's is not removed", errors.New(s.Dir))
	}
	lives, err := shimLives(s.Dir)
	if err != nil {
		return fault("a session's folder can't be looked at", err)
	}
	if lives {
		return vyre.Errorf(vyre.CodeConflict, "the session still runs")
	}
	if err := os.RemoveAll(s.Dir); err != nil {
		return fault("a session's folder can't be removed", err)
	}
	_ = os.Remove(l.sessionSockets(s.ID)) // its own socket's maker may have done so
	l.mu.Lock()
	delete(l.said, s.ID)
	l.mu.Unlock()
	return nil
}
