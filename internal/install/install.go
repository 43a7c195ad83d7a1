package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vyre"
)

// Installer installs one pinned program into a home. Its fields are set before
// the first use and not changed.
type Installer struct {
	Pin    Pin
	Agents string   // the home's agents folder; must exist
	Env    []string // the environment for npm: the person's, with PATH and proxies
	NPM    string   // npm's program; "" looks along the PATH of Env
}

// Progress is how far an install is.
type Progress struct {
	Stage string // wait | fetch | check
	Done  int64  // bytes on disk
	Total int64  // bytes of the program
}

// Install returns the path of the pinned program, installing it where it is
// not. progress may be nil; it is called from one goroutine at a time, a few
// times a second. It waits for another install of the same home. Errors:
// unavailable (no npm, npm failed, wrong checksum, no build for this platform),
// no_space, timeout where ctx ended.
func (i *Installer) Install(ctx context.Context, progress func(Progress)) (string, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	name := thisPlatform()
	build, ok := i.Pin.Builds[name]
	if !ok {
		return "", vyre.Errorf(vyre.CodeUnavailable, "there is no %s for %s", i.Pin.Provider, name).
			WithHint("Set providers." + i.Pin.Provider + ".runtime to the path of a program that runs here.")
	}
	at := Place{Agents: i.Agents}
	if path, ok := at.pinned(i.Pin); ok {
		return path, nil
	}
	dir := filepath.Join(i.Agents, i.Pin.Provider)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", diskError(err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, ".lock"), func() { progress(Progress{Stage: "wait", Total: build.Size}) })
	if err != nil {
		return "", err
	}
	defer unlock()
	if path, ok := at.pinned(i.Pin); ok { // whoever held the lock has installed it
		return path, nil
	}
	stage, err := newStage(dir)
	if err != nil {
		return "", diskError(err)
	}
	defer os.RemoveAll(stage)
	pkg := i.Pin.Package + name
	if err := i.fetch(ctx, stage, pkg+"@"+i.Pin.Release, build, progress); err != nil {
		return "", err
	}
	fetched := filepath.Join(stage, "node_modules", filepath.FromSlash(pkg), i.Pin.Program)
	if err := verify(ctx, fetched, build, progress); err != nil {
		return "", err
	}
	return i.place(fetched)
}

// newStage makes an empty folder to fetch into, and removes what killed installs
// left. Each has a name of its own: an npm that outlived its install still
// writes into the old one.
func newStage(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".stage-") {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return "", err
			}
		}
	}
	return os.MkdirTemp(dir, ".stage-")
}

// place makes the checked program durable and moves it to where Find looks.
func (i *Installer) place(fetched string) (string, error) {
	path := pinnedPath(i.Agents, i.Pin)
	dir := filepath.Dir(path)
	err := errors.Join(os.Chmod(fetched, 0o755), syncPath(fetched))
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = os.Rename(fetched, path)
	}
	if err == nil {
		err = errors.Join(syncPath(dir), syncPath(filepath.Dir(dir)))
	}
	if err != nil {
		return "", diskError(err)
	}
	return path, nil
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func diskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return noSpace(err)
	}
	if errors.Is(err, fs.ErrPermission) {
		return vyre.Errorf(vyre.CodeUnavailable, "the home's agents folder can't be written").Because(err)
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the agent can't be put into the home").Because(err)
}

func noSpace(err error) error {
	return vyre.Errorf(vyre.CodeNoSpace, "the disk is too full for the agent").
		WithHint("Free about 1 GB and try again.").Because(err)
}
