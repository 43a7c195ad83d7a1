package shim

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
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
	content := l.cfg.Program
	if content == nil {
		var err error
		if content, err = programOf(embedded); err != nil {
			return "", err
		}
	}
	if l.installed != "" && sameContent(l.installed, content) {
		return l.installed, nil
	}
	path, err := install(filepath.Join(l.cfg.Home, "bin"), content)
	if err != nil {
		return "", fault("the session's parent can't be installed", err)
	}
	l.installed = path
	return path, nil
}

func programOf(build fs.FS) ([]byte, error) {
	content, err := fs.ReadFile(build, "embed/"+programName)
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "this build of vyre has no session parent in it").
			WithHint("Run `make build`, which builds vyre-shim and embeds it.")
	}
	return content, nil
}

// install puts the program in place under its hash, whole or not at all.
func install(dir string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	path := filepath.Join(dir, programName+"-"+hex.EncodeToString(sum[:])[:programHash])
	if sameContent(path, content) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	tmp, err := writeProgram(dir, content)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return "", err
	}
	return path, nil
}

// writeProgram writes an executable. No process is started meanwhile: it would
// inherit the open file for a moment, and running it would fail with ETXTBSY.
func writeProgram(dir string, content []byte) (string, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.CreateTemp(dir, ".vyre-shim-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o700), f.Sync(), f.Close())
	return f.Name(), err
}

// sameContent reports whether the file is a regular one that only its owner
// may write, with exactly this content.
func sameContent(path string, content []byte) bool {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm() != 0o700 || fi.Size() != int64(len(content)) {
		return false
	}
	have, err := os.ReadFile(path)
	return err == nil && bytes.Equal(have, content)
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
