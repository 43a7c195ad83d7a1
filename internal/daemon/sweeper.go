package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/policy"
	"vyre/internal/sweep"
)

// sweeper watches sessions' folders, and keeps what appeared in them in a folder of the
// home that no session sees.
type sweeper struct{ quarantine string }

// Watch implements engine.Sweeper.
func (sweeper) Watch(root string, tell func([]engine.FileChange)) (func(), error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	return sweep.Watch(real, sweep.Names{Folders: policy.SweptFolders, Protected: policy.Swept}, func(changes []sweep.Change) {
		out := make([]engine.FileChange, len(changes))
		for i, c := range changes {
			out[i] = engine.FileChange(c)
		}
		tell(out)
	})
}

// Quarantine implements engine.Sweeper. A file on another disk can't be moved by renaming
// it: it stays, under a name that no agent reads.
func (s sweeper) Quarantine(thread vyre.ThreadID, paths []string) (string, error) {
	dir := filepath.Join(s.quarantine, string(thread)+"-"+strconv.FormatInt(time.Now().UnixMilli(), 10))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	var errs error
	for _, p := range paths {
		to := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", "%"))
		err := os.Rename(p, to)
		if err != nil {
			err = os.Rename(p, p+".quarantined-by-vyre")
		}
		errs = errors.Join(errs, err)
	}
	return dir, errs
}
