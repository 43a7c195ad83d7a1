package shim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

// takeLock locks a session's folder. The shim inherits the descriptor and with
// it the lock, so there is no moment between its birth and its record in which
// a later daemon could take it for not there.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, proto.LockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// shimLives reports whether a shim holds the lock of a session's folder.
func shimLives(dir string) (bool, error) {
	f, err := os.OpenFile(filepath.Join(dir, proto.LockFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it is made before the shim is
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			return err
		}
	}
}
