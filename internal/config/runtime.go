package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxRuntimeDir bounds the path of the runtime folder. A socket's whole path
// must stay below 104 bytes (the size of sun_path on macOS; Linux has 108), and
// names in the folder have up to 40.
const maxRuntimeDir = 60

// RuntimeDir makes and returns the folder of a home's sockets: vyre-<hash> in
// $XDG_RUNTIME_DIR where that is a folder of ours and short enough, else
// /tmp/vyre-<uid>-<hash>. The hash is of the home's real path, so two spellings
// of one home meet and a home of any length fits. The folder has mode 0700;
// one that is a link or another user's is refused (unavailable).
func RuntimeDir(home string) (string, error) {
	dir := runtimeDirs(home)[0]
	if err := makeDir(dir); err != nil {
		return "", err
	}
	return dir, nil
}

// RuntimeDirs lists every folder in which sockets of a home may lie, whether it is
// there or not.
func RuntimeDirs(home string) []string { return runtimeDirs(home) }

// SocketPath is the daemon's socket in a runtime folder.
func SocketPath(runtimeDir string) string { return filepath.Join(runtimeDir, "daemon.sock") }

// SessionSocketsDir holds the sockets of sessions in a runtime folder: one folder
// for each session that is not ended.
func SessionSocketsDir(runtimeDir string) string { return filepath.Join(runtimeDir, "s") }

// SessionSocketDir is the folder of one session's own socket, which holds nothing
// else. A session that is shut in is to see this folder, not the socket in it: a
// daemon that starts again makes the socket anew, in the same folder.
func SessionSocketDir(runtimeDir, session string) string {
	return filepath.Join(SessionSocketsDir(runtimeDir), session)
}

// SessionSocket is a session's own socket, VYRE_SOCKET in its environment.
func SessionSocket(runtimeDir, session string) string {
	return filepath.Join(SessionSocketDir(runtimeDir, session), "vyre.sock")
}

// FindSocket returns the path of the daemon's socket for a client, without
// making anything. A client may run where XDG_RUNTIME_DIR is not set (cron,
// sudo) although the daemon's had it, so every place is looked at; where none
// has a socket, the path is the one that RuntimeDir would give.
func FindSocket(home string) string {
	dirs := runtimeDirs(home)
	for _, d := range dirs {
		if ownDirQuiet(d) {
			if s := SocketPath(d); exists(s) {
				return s
			}
		}
	}
	return SocketPath(dirs[0])
}

// runtimeDirs lists where a home's sockets may be, the first choice first.
func runtimeDirs(home string) []string {
	h := homeHash(home)
	uid := strconv.Itoa(os.Getuid())
	shared := filepath.Join("/tmp", "vyre-"+uid+"-"+h)
	var dirs []string
	if x := os.Getenv("XDG_RUNTIME_DIR"); usable(x) {
		dirs = append(dirs, filepath.Join(x, "vyre-"+h))
	}
	dirs = append(dirs, shared)
	if x := "/run/user/" + uid; usable(x) {
		dirs = append(dirs, filepath.Join(x, "vyre-"+h)) // for clients only: it is never first
	}
	return dirs
}

// usable reports whether x can hold the runtime folder.
func usable(x string) bool {
	return filepath.IsAbs(x) && len(x)+len("/vyre-00000000") <= maxRuntimeDir && ownDirQuiet(x)
}

// ownDirQuiet reports whether dir is a folder of ours and no link.
func ownDirQuiet(dir string) bool {
	fi, err := os.Lstat(dir)
	if err != nil || !fi.IsDir() {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// homeHash is short on purpose: it tells a person's few homes apart, and the
// folder's owner check keeps others out.
func homeHash(home string) string {
	sum := sha256.Sum256([]byte(realPath(home)))
	return hex.EncodeToString(sum[:4])
}

// realPath resolves the links of the part of path that exists.
func realPath(path string) string {
	path = filepath.Clean(path)
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(realPath(up), filepath.Base(path))
}
