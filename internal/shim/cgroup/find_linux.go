package cgroup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Parent returns the folder in which groups can be made: this process's own
// group of the v2 hierarchy, else the hierarchy's root. ErrNone if there is no
// such hierarchy or neither may be written.
func Parent() (string, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", ErrNone
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", ErrNone
	}
	for _, dir := range candidates(mounts, own) {
		if writable(dir) {
			return dir, nil
		}
	}
	return "", ErrNone
}

// candidates lists where a group could be made, best first. It reads the two
// files of /proc/self: mountinfo and cgroup.
func candidates(mounts, own []byte) []string {
	mine := ownPath(own)
	var dirs []string
	for line := range bytes.Lines(mounts) {
		root, point, ok := unifiedMount(string(bytes.TrimSpace(line)))
		if !ok {
			continue
		}
		if rel, ok := below(root, mine); ok && mine != "" && rel != "." {
			dirs = append(dirs, filepath.Join(point, rel))
		}
		dirs = append(dirs, point)
	}
	return dirs
}

func ownPath(own []byte) string {
	for line := range bytes.Lines(own) {
		if path, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("0::")); ok {
			return string(path)
		}
	}
	return ""
}

// unifiedMount reads one line of mountinfo (proc_pid_mountinfo(5)).
func unifiedMount(line string) (root, point string, ok bool) {
	before, after, ok := strings.Cut(line, " - ")
	if !ok || !strings.HasPrefix(after, "cgroup2 ") {
		return "", "", false
	}
	f := strings.Fields(before)
	if len(f) < 5 {
		return "", "", false
	}
	return unescape(f[3]), unescape(f[4]), true
}

func below(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// unescape undoes mountinfo's octal escapes.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// writable reports whether groups can be made in dir and processes be put into
// them: clone3 asks for the right to write the parent's cgroup.procs too.
func writable(dir string) bool {
	return unix.Access(dir, unix.W_OK) == nil &&
		unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil
}
