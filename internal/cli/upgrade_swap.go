package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"vyre"
)

// swap replaces one binary by another, so that the place always holds a whole one:
// a copy beside it, then a rename. What ran from it goes on.
type swap struct {
	place  string // resolved: a link to it stays a link
	copied string // the new one beside the place, until commit; empty: it is there already
	old    string // the one before, beside it, since commit; empty: there is none
}

// prepare copies the new binary beside the place. With the two the same file there
// is nothing to do: somebody replaced it already.
func (s *swap) prepare(from, place string) error {
	s.place = place
	if p, err := filepath.EvalSymlinks(place); err == nil {
		s.place = p
	}
	src, err := os.Stat(from)
	if err != nil || !src.Mode().IsRegular() {
		return vyre.Invalid("to", "there is no such program").Because(err)
	}
	mode := os.FileMode(0o755)
	if dst, err := os.Stat(s.place); err == nil {
		if os.SameFile(src, dst) {
			return nil
		}
		mode = dst.Mode().Perm()
	}
	s.copied, err = copyBeside(from, s.place, mode)
	return s.fail(err)
}

func (s *swap) fail(err error) error {
	if err == nil {
		return nil
	}
	code, hint := vyre.CodeUnavailable, "Nothing was changed. Run it as the user who may write there."
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		code, hint = vyre.CodeNoSpace, "Nothing was changed. Free some space."
	}
	return vyre.Errorf(code, "the binary in %s can't be replaced: %v", filepath.Dir(s.place), err).WithHint(hint).Because(err)
}

// copyBeside writes a whole copy of a program into a place's folder.
func copyBeside(from, place string, mode os.FileMode) (path string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	// A process that is forked meanwhile would hold the file open for writing, and
	// running it would fail with ETXTBSY.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.CreateTemp(filepath.Dir(place), "."+filepath.Base(place)+"-new-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(mode), out.Sync(), out.Close())
	if err != nil {
		_ = os.Remove(out.Name())
		return "", err
	}
	return out.Name(), nil
}

// commit keeps the binary before and puts the new one in its place.
func (s *swap) commit() error {
	if s.copied == "" {
		return nil
	}
	if err := keep(s.place, s.place+".old"); err == nil {
		s.old = s.place + ".old"
	} else if !errors.Is(err, os.ErrNotExist) {
		return s.fail(err)
	}
	if err := os.Rename(s.copied, s.place); err != nil {
		return s.fail(err)
	}
	s.copied = ""
	return syncDir(filepath.Dir(s.place))
}

// keep gives a file a second name, taking the place of what had that name.
func keep(path, as string) error {
	tmp := as + "-new"
	_ = os.Remove(tmp)
	if err := os.Link(path, tmp); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return err
		}
		if tmp, err = copyBeside(path, as, fi.Mode().Perm()); err != nil { // no links there
			return err
		}
	}
	return os.Rename(tmp, as)
}

// back puts the binary before into its place again. It stays beside it as well.
func (s *swap) back() error {
	fi, err := os.Stat(s.old)
	if err != nil {
		return err
	}
	tmp, err := copyBeside(s.old, s.place, fi.Mode().Perm())
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, s.place); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return syncDir(filepath.Dir(s.place))
}

// forget removes a copy that did not get into the place.
func (s *swap) forget() {
	if s.copied != "" {
		_ = os.Remove(s.copied)
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
