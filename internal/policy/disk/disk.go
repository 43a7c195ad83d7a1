package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"vyre/internal/policy"
)

// Files implements policy.Files.
type Files struct{}

var _ policy.Files = Files{}

// maxLinks is how many links one path may go through; Linux takes 40.
const maxLinks = 40

// Real implements policy.Files. A link under /proc is a process's own and leads
// another one elsewhere, so where it leads is not known.
func (Files) Real(p string) (string, bool) {
	if !path.IsAbs(p) || strings.Contains(p, "\x00") {
		return "", false
	}
	done, rest := "/", strings.Split(p, "/")
	missing := false
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, name)
		if missing {
			done = next
			continue
		}
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			missing = true // the rest is as it is written
		case err != nil:
			return "", false
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks || strings.HasPrefix(next, "/proc/") {
				return "", false
			}
			if path.IsAbs(target) {
				done = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
			continue
		}
		done = next
	}
	return done, true
}

// ID implements policy.Files.
func (Files) ID(p string) (policy.FileID, uint64) {
	info, err := os.Stat(p)
	if err != nil {
		return policy.FileID{}, 0
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return policy.FileID{}, 0
	}
	return policy.FileID{Device: uint64(s.Dev), Inode: s.Ino}, uint64(s.Nlink) //nolint:unconvert // their types differ from system to system
}
