package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"vyre/internal/policy"
)

// disk answers the rules' questions about files. It changes nothing.
type disk struct{}

// maxLinks is how many symbolic links a path may lead through, as the kernel has it.
const maxLinks = 40

// Real implements policy.Files. What lies in /proc can't be known: it is another thing
// to each process.
func (disk) Real(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	at, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if next == "/proc" || next == "/dev/fd" {
			return "", false
		}
		st, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return filepath.Join(append([]string{next}, rest...)...), true
		}
		if err != nil {
			return "", false
		}
		if st.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", false
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, true
}

// ID implements policy.Files.
func (disk) ID(path string) (policy.FileID, uint64) {
	st, err := os.Stat(path)
	if err != nil {
		return policy.FileID{}, 0
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return policy.FileID{}, 0
	}
	return policy.FileID{Device: uint64(sys.Dev), Inode: sys.Ino}, uint64(sys.Nlink)
}

// followed is where a folder really is, as far as that can be known.
func followed(path string) string {
	if real, ok := (disk{}).Real(path); ok {
		return real
	}
	return path
}
