package config

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"vyre"
)

// Home returns the absolute path of the home: $VYRE_HOME, else
// $XDG_STATE_HOME/vyre, else ~/.local/state/vyre (macOS: ~/Library/Application
// Support/Vyre). It looks at nothing on disk but, where $HOME is unset, the
// password file. A relative VYRE_HOME is invalid; a relative XDG_STATE_HOME is
// ignored, as its own specification wants.
func Home(getenv func(string) string) (string, error) {
	if h := getenv("VYRE_HOME"); h != "" {
		if !filepath.IsAbs(h) {
			return "", vyre.Invalid("VYRE_HOME", "must be an absolute path").
				WithHint("Set VYRE_HOME to a full path, or unset it for the default.")
		}
		return filepath.Clean(h), nil
	}
	if runtime.GOOS != "darwin" {
		if s := getenv("XDG_STATE_HOME"); filepath.IsAbs(s) {
			return filepath.Join(s, "vyre"), nil
		}
	}
	p, err := personHome(getenv)
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(p, "Library", "Application Support", "Vyre"), nil
	}
	return filepath.Join(p, ".local", "state", "vyre"), nil
}

func personHome(getenv func(string) string) (string, error) {
	if h := getenv("HOME"); filepath.IsAbs(h) {
		return h, nil
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir, nil
	}
	return "", vyre.Invalid("VYRE_HOME", "no home folder is known for this user").
		WithHint("Set VYRE_HOME to a full path.")
}

// Layout names the files of a home. The zero value is not usable.
type Layout struct{ Home string }

// Private is the folder that no session sees.
func (l Layout) Private() string { return filepath.Join(l.Home, "private") }

// DB is the database.
func (l Layout) DB() string { return filepath.Join(l.Private(), "vyre.db") }

// Sessions holds one folder a session: spool, stderr, exit status.
func (l Layout) Sessions() string { return filepath.Join(l.Private(), "sessions") }

// LockFile is what Lock locks.
func (l Layout) LockFile() string { return filepath.Join(l.Private(), "lock") }

// Reserve is room on the disk that is given up when a daemon starts on a full one.
func (l Layout) Reserve() string { return filepath.Join(l.Private(), "reserve") }

// VaultKey is the key that opens the vault's items.
func (l Layout) VaultKey() string { return filepath.Join(l.Private(), "vault.key") }

// Log is where a daemon in the background writes what it has to say.
func (l Layout) Log() string { return filepath.Join(l.Private(), "daemon.log") }

// ConfigFile is the settings file; it need not exist.
func (l Layout) ConfigFile() string { return filepath.Join(l.Home, "config.toml") }

// Bin holds programs of ours that were installed or unpacked (the shim).
func (l Layout) Bin() string { return filepath.Join(l.Home, "bin") }

// Agents holds installed agents: <provider>/<version>/<program>.
func (l Layout) Agents() string { return filepath.Join(l.Home, "agents") }

// Worktrees holds the work trees that threads were given.
func (l Layout) Worktrees() string { return filepath.Join(l.Home, "worktrees") }

// Attach holds attachments of messages.
func (l Layout) Attach() string { return filepath.Join(l.Home, "attach") }

// Prepare makes the folders of a home that are missing, each with mode 0700,
// and returns its layout. The home itself may be reached through a symbolic
// link of the person's; the folders in it may not be links. Errors: unavailable
// for what can't be made or is somebody else's, no_space on a full disk.
func Prepare(home string) (Layout, error) {
	l := Layout{Home: home}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return l, cannotMake("the home folder", err)
	}
	if err := ownDir(home, true); err != nil {
		return l, err
	}
	for _, d := range []string{l.Private(), l.Sessions(), l.Bin(), l.Agents(), l.Worktrees(), l.Attach()} {
		if err := makeDir(d); err != nil {
			return l, err
		}
	}
	return l, nil
}
