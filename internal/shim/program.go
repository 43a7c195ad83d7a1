package shim

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"vyre"
)

//go:embed embed
var embedded embed.FS

const programName = "vyre-shim"

// programHash is how many characters of its hash are in the program's name.
const programHash = 12

// program returns the path of the installed shim, which it installs when that
// is not there or not what it should be. Unavailable when this build has none.
func (l *Launcher) program() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sum == "" {
		src, err := l.source()
		if err != nil {
			return "", err
		}
		if l.sum, err = sumOf(src); err != nil {
			return "", fault("the session's parent can't be read", err)
		}
	}
	path := filepath.Join(l.cfg.Home, "bin", programName+"-"+l.sum[:programHash])
	if installed(path, l.sum) {
		return path, nil
	}
	src, err := l.source()
	if err != nil {
		return "", err
	}
	if err := install(path, src); err != nil {
		return "", fault("the session's parent can't be installed", err)
	}
	return path, nil
}

func (l *Launcher) source() (io.Reader, error) {
	if l.cfg.Program != nil {
		return bytes.NewReader(l.cfg.Program), nil
	}
	return programOf(embedded)
}

// programOf opens the shim inside a build, without a copy of it in memory.
func programOf(build fs.FS) (io.Reader, error) {
	f, err := build.Open("embed/" + programName)
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "this build of vyre has no session parent in it").
			WithHint("Run `make build`, which builds vyre-shim and embeds it.")
	}
	return f, nil
}

// installed reports whether path is a regular file that only its owner may
// change, with the content of that sum.
func installed(path, sum string) bool {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm() != 0o700 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	have, err := sumOf(f)
	return err == nil && have == sum
}

func sumOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// install puts the program in place, whole or not at all.
func install(path string, src io.Reader) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := writeProgram(dir, src)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// writeProgram writes an executable. No process is started meanwhile: it would
// inherit the open file for a moment, and running it would fail with ETXTBSY.
func writeProgram(dir string, src io.Reader) (string, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.CreateTemp(dir, ".vyre-shim-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, src)
	err = errors.Join(err, f.Chmod(0o700), f.Sync(), f.Close())
	return f.Name(), err
}

// fault wraps an error of the machine for a caller: no_space where that is the
// reason, else internal.
func fault(message string, err error) *vyre.Error {
	code := vyre.CodeInternal
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code = vyre.CodeNoSpace
	case errors.Is(err, fs.ErrPermission):
		code = vyre.CodeUnavailable
	}
	e := vyre.Errorf(code, "%s", message)
	e.Err = err
	return e
}
