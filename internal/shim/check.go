package shim

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/agent"
	"vyre/internal/shim/proto"
)

// check refuses what could not run before anything is started.
func check(s vyre.Session, cmd agent.Command) error {
	if s.ID == "" || !filepath.IsAbs(s.Dir) {
		return vyre.Errorf(vyre.CodeInternal, "a session needs an id and a folder")
	}
	if err := checkProgram(cmd.Path); err != nil {
		return err
	}
	if err := checkFolder(cmd.Dir); err != nil {
		return err
	}
	for _, list := range [][]string{cmd.Args, cmd.Env, {cmd.Path, cmd.Dir}} {
		for _, v := range list {
			if strings.IndexByte(v, 0) >= 0 {
				return vyre.Errorf(vyre.CodeInvalid, "an argument or variable of the agent holds a NUL byte")
			}
		}
	}
	if len(cmd.OneShot) > proto.MaxOneShots {
		return vyre.Errorf(vyre.CodeInternal, "too many secrets for one session")
	}
	for _, secret := range cmd.OneShot {
		if len(secret) > proto.MaxOneShot {
			return vyre.Errorf(vyre.CodeTooLarge, "a secret is larger than a pipe holds (%d bytes)", proto.MaxOneShot)
		}
	}
	return nil
}

func checkProgram(path string) error {
	name := filepath.Base(path)
	bad := func(what string) error {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent's program %q %s", name, what).
			WithHint("Install the agent, or name its program under [providers] in config.toml; `vyre doctor` lists what it finds.")
	}
	if !filepath.IsAbs(path) {
		return bad("was not found")
	}
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return bad("is missing")
	case !fi.Mode().IsRegular():
		return bad("is not a file")
	case unix.Access(path, unix.X_OK) != nil:
		return bad("may not be executed")
	}
	return nil
}

func checkFolder(dir string) error {
	if !filepath.IsAbs(dir) {
		return vyre.Invalid("cwd", "must be an absolute path")
	}
	fi, err := os.Stat(dir)
	switch {
	case os.IsNotExist(err):
		return vyre.Invalid("cwd", "there is no such folder")
	case err != nil && (os.IsPermission(err) || err == fs.ErrPermission):
		return vyre.Invalid("cwd", "may not be entered")
	case err != nil:
		return vyre.Invalid("cwd", "can't be looked at")
	case !fi.IsDir():
		return vyre.Invalid("cwd", "is not a folder")
	case unix.Access(dir, unix.X_OK) != nil:
		return vyre.Invalid("cwd", "may not be entered")
	}
	return nil
}
