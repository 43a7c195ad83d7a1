package shim

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"vyre/internal/shim/cgroup"
	"vyre/internal/shim/proto"
)

// groupFile names the session's control group for a daemon that knows only the
// folder: its own group may be another one by then. It holds inode and path.
const groupFile = "cgroup"

func writeGroup(dir string, g cgroup.Group) error {
	return os.WriteFile(filepath.Join(dir, groupFile), []byte(strconv.FormatUint(g.ID, 10)+" "+g.Path+"\n"), 0o600)
}

func readGroup(dir string) (g cgroup.Group, ok bool) {
	raw, err := os.ReadFile(filepath.Join(dir, groupFile))
	if err != nil {
		return g, false
	}
	id, path, ok := strings.Cut(strings.TrimSuffix(string(raw), "\n"), " ")
	if !ok || !filepath.IsAbs(path) {
		return g, false
	}
	g.Path = path
	g.ID, err = strconv.ParseUint(id, 10, 64)
	return g, err == nil && g.ID != 0
}

// neverRan reports whether a session's folder holds nothing of an agent.
func neverRan(dir string) bool {
	if _, ok := readExit(dir); ok {
		return false
	}
	if r, ok := readRecord(dir); ok && r.Agent != 0 {
		return false
	}
	starts, err := segments(filepath.Join(dir, proto.SpoolDir))
	if err != nil || len(starts) > 1 {
		return false
	}
	for _, start := range starts {
		fi, err := os.Lstat(filepath.Join(dir, proto.SpoolDir, proto.SegmentName(start)))
		if err != nil || fi.Size() > 0 {
			return false
		}
	}
	return true
}

// clearFolder removes what Prepare and a shim that ran no agent leave in a session's
// folder, and the folder if that was all.
func clearFolder(dir string) {
	for _, name := range []string{
		filepath.Join(proto.SpoolDir, proto.SegmentName(0)), proto.SpoolDir, proto.RecordFile, groupFile, proto.LockFile,
	} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	_ = os.Remove(dir)
}
