package apply

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vyre"
)

// Write makes a file what a plan shows. Errors: conflict when it is another file than
// the plan was made for; unavailable when it can't be written.
func (h Hand) Write(p vyre.FilePlan) error {
	if p.Digest != digest(p) {
		return vyre.Errorf(vyre.CodeInternal, "a plan that is not whole")
	}
	root, err := folder(filepath.Dir(p.Path))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(p.Path)
	mode := fs.FileMode(0o644)
	st, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !p.Exists:
	case err != nil || !st.Mode().IsRegular():
		return moved()
	default:
		mode = st.Mode().Perm()
		now, err := root.ReadFile(name)
		if err == nil && string(now) == p.After {
			return nil // it is done already
		}
		if err != nil || !p.Exists || string(now) != p.Before {
			return moved()
		}
	}
	if err := replace(root, name, p.After, mode, st); err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the file could not be written").Because(err)
	}
	return nil
}

func moved() error {
	return vyre.Errorf(vyre.CodeConflict, "the file is not the one that was shown any more").
		WithHint("Look at the edit again.")
}

// folder opens a folder without following a link on its way, making what is missing.
func folder(path string) (*os.Root, error) {
	root, err := os.OpenRoot("/")
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the folder can't be opened").Because(err)
	}
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name == "" {
			continue
		}
		next, err := step(root, name)
		_ = root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// step goes down one folder. That it was no link is looked at before and after: what
// was opened is what was looked at.
func step(root *os.Root, name string) (*os.Root, error) {
	st, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := root.Mkdir(name, 0o755); err != nil {
			return nil, vyre.Errorf(vyre.CodeUnavailable, "a folder could not be made").Because(err)
		}
		st, err = root.Lstat(name)
	}
	if err != nil || !st.IsDir() {
		return nil, moved()
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, moved()
	}
	opened, err := next.Stat(".")
	if err != nil || !os.SameFile(st, opened) {
		_ = next.Close()
		return nil, moved()
	}
	return next, nil
}

// replace puts content in a file's place at once. was is the file that was there, whose
// owner it keeps where that can be done, or nil.
func replace(root *os.Root, name, content string, mode fs.FileMode, was fs.FileInfo) (err error) {
	temp := ".vyre-" + vyre.NewID()
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	if was != nil {
		if s, ok := was.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(s.Uid), int(s.Gid)) // only root may, and else it is ours already
		}
	}
	_, err = f.WriteString(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err = root.Rename(temp, name); err != nil {
		return err
	}
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
