package shim

import (
	"errors"
	"os"
	"path/filepath"

	"vyre"
)

// Discard removes the folder of a session that was proven empty and whose output
// was read to its end; see engine.Launcher.
func (l *Launcher) Discard(s vyre.Session) error {
	if s.ID == "" || filepath.Base(s.Dir) != string(s.ID) {
		return fault("a folder that is no session's is not removed", errors.New(s.Dir))
	}
	if err := os.RemoveAll(s.Dir); err != nil {
		return fault("a session's folder can't be removed", err)
	}
	return nil
}
