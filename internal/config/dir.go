package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"vyre"
)

// makeDir makes one folder of ours with mode 0700, or checks the one there is.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return cannotMake("the folder "+filepath.Base(dir), err)
	}
	return ownDir(dir, false)
}

// ownDir refuses a folder that is not a folder, is a link (unless follow) or
// belongs to somebody else, and takes group and others off its mode.
func ownDir(dir string, follow bool) error {
	name := filepath.Base(dir)
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	fi, err := stat(dir)
	if err != nil {
		return cannotMake("the folder "+name, err)
	}
	if !fi.IsDir() {
		return vyre.Errorf(vyre.CodeUnavailable, "%s is in the way: it is not a folder", name).
			WithHint("Move it away, or set VYRE_HOME to another folder.").Because(errors.New(dir))
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return vyre.Errorf(vyre.CodeUnavailable, "the folder %s belongs to another user", name).
			WithHint("Run as the user who owns it, or set VYRE_HOME (for sockets: XDG_RUNTIME_DIR) to a folder of your own.").
			Because(errors.New(dir))
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return cannotMake("the folder "+name, err)
		}
	}
	return nil
}

func cannotMake(what string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return vyre.Errorf(vyre.CodeNoSpace, "the disk is full: %s can't be made", what).Because(err)
	}
	return vyre.Errorf(vyre.CodeUnavailable, "%s can't be made or read", what).
		WithHint("Check that the folder above it exists and is yours, or set VYRE_HOME to another.").Because(err)
}
