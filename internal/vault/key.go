package vault

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"filippo.io/age"

	"vyre"
)

// key returns the home's identity, reading the key file at the first call and,
// where create is set, making it.
func (v *Vault) key(create bool) (*age.X25519Identity, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.id != nil {
		return v.id, nil
	}
	id, err := readKey(v.keyFile)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := makeKey(v.keyFile); err != nil {
			return nil, keyError("the vault's key can't be made", err)
		}
		id, err = readKey(v.keyFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the vault's key is missing").
			WithHint("Restore vault.key from a backup of the home, or put the vault's items again.").Because(err)
	}
	if err != nil {
		return nil, keyError("the vault's key can't be read", err)
	}
	v.id = id
	return id, nil
}

func keyError(what string, err error) error {
	if e, ok := errors.AsType[*vyre.Error](err); ok {
		return e
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return vyre.Errorf(vyre.CodeNoSpace, "the disk is full: %s", what).Because(err)
	}
	return vyre.Errorf(vyre.CodeUnavailable, "%s", what).
		WithHint("vault.key in the home's private folder must be a file of yours with mode 0600.").Because(err)
}

// maxKey is far above the size of a key file.
const maxKey = 4096

func readKey(path string) (*age.X25519Identity, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !fi.Mode().IsRegular() || fi.Mode().Perm()&0o077 != 0 || !ok || int(st.Uid) != os.Geteuid() {
		return nil, errors.New("not a private file of this user")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKey))
	defer Wipe(b)
	if err != nil {
		return nil, err
	}
	id, err := age.ParseX25519Identity(string(bytes.TrimSpace(b)))
	if err != nil {
		return nil, errors.New("not an age key") // the library's message could quote it
	}
	return id, nil
}

// makeKey writes a new key whole under another name and links it into place; a
// key that is already there stays.
func makeKey(path string) error {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	tmp := path + ".new-" + rand.Text()
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	_, err = f.WriteString(id.String() + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(tmp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
