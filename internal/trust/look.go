package trust

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vyre/agent"
)

// The bounds of a look. What is over them is not shown and can't be allowed.
const (
	maxFiles = 4000
	maxFile  = 1 << 20
	maxTotal = 16 << 20
	maxAbove = 64 // folders above
	maxDepth = 12 // folders below a place
	maxSeen  = 20_000
)

// errTooMuch ends a look that would be too large; its text is for people.
type errTooMuch string

func (e errTooMuch) Error() string { return string(e) }

// found collects files.
type found struct {
	files []agent.FolderFile
	total int // bytes
	seen  int // entries of folders
}

// find reads every file at the places, from the real path of a folder.
func find(root string, c agent.Carries) ([]agent.FolderFile, error) {
	own := c.Own
	if real, err := filepath.EvalSymlinks(own); own != "" && err == nil {
		own = real
	}
	var f found
	dir, prefix := root, ""
	for range maxAbove {
		for _, p := range c.Places {
			if prefix != "" && !p.Up {
				continue
			}
			if err := f.at(dir, prefix, p, own); err != nil {
				return nil, err
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir, prefix = up, prefix+"../"
	}
	slices.SortFunc(f.files, func(a, b agent.FolderFile) int { return strings.Compare(a.Name, b.Name) })
	return f.files, nil
}

// at reads what lies at one place of one folder.
func (f *found) at(dir, prefix string, p agent.FolderPlace, own string) error {
	below, every := strings.CutSuffix(p.Path, "/**")
	full := filepath.Join(dir, filepath.FromSlash(below))
	if !p.Everywhere && within(full, own) {
		return nil
	}
	if !every {
		return f.read(full, prefix+below)
	}
	return f.walk(full, prefix+below, 0)
}

// within reports whether a path lies in a folder, or is it.
func within(p, dir string) bool {
	if dir == "" {
		return false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
		p = filepath.Join(real, filepath.Base(p))
	}
	return p == dir || strings.HasPrefix(p, dir+string(filepath.Separator))
}

// walk reads every file below a folder, through links as the agent would.
func (f *found) walk(dir, name string, depth int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return absent(err, name)
	}
	if depth > maxDepth {
		return errTooMuch(name + " goes deeper than can be shown")
	}
	for _, e := range entries {
		if f.seen++; f.seen > maxSeen {
			return errTooMuch("there are more files than can be shown")
		}
		full, n := filepath.Join(dir, e.Name()), path.Join(name, e.Name())
		st, err := os.Stat(full)
		switch {
		case err != nil:
			if err := absent(err, n); err != nil {
				return err
			}
		case st.IsDir():
			if err := f.walk(full, n, depth+1); err != nil {
				return err
			}
		default:
			if err := f.read(full, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// read takes one file. One that is not there is no error.
func (f *found) read(full, name string) error {
	file, err := os.OpenFile(full, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0) // a FIFO must not hold us
	if err != nil {
		return absent(err, name)
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return err
	}
	if st.IsDir() {
		return nil // the agent can't read settings from it either
	}
	if !st.Mode().IsRegular() {
		return errTooMuch(name + " is no ordinary file")
	}
	b := make([]byte, min(st.Size(), maxFile)+1)
	n, err := readFull(file, b)
	if err != nil {
		return err
	}
	if n > maxFile {
		return errTooMuch(name + " is larger than can be shown")
	}
	f.total += n
	if len(f.files) >= maxFiles || f.total > maxTotal {
		return errTooMuch("there are more files than can be shown")
	}
	f.files = append(f.files, agent.FolderFile{Name: name, Bytes: b[:n]})
	return nil
}

// absent turns "not there" into nothing. A file that may not be read by us may be read by
// nobody we start.
func absent(err error, name string) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	return errTooMuch(name + " can't be read")
}
