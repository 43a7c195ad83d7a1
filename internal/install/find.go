package install

import (
	"os"
	"path/filepath"

	"vyre"
)

// Runtimes that are words; anything else is an absolute path. "" takes the
// pinned program where it is installed, else an installed one.
const (
	Pinned    = "pinned"
	Installed = "installed"
)

// Place says where to look.
type Place struct {
	Agents string // the home's agents folder
	Path   string // PATH of the login environment
	Home   string // the person's home folder, or empty
}

// Find returns the absolute path of the agent's program under a runtime of the
// settings. It runs nothing. Errors: unavailable, with what to do (detail
// "install" is true where Install would help).
func Find(p Pin, runtime string, at Place) (string, error) {
	switch runtime {
	case Pinned:
		if path, ok := at.pinned(p); ok {
			return path, nil
		}
		return "", vyre.Errorf(vyre.CodeUnavailable, "%s %s is not installed", p.Provider, p.Version).
			WithHint("Install it (402 MB on disk): vyre try").WithDetail("install", true)
	case Installed:
		if path, ok := at.installed(p); ok {
			return path, nil
		}
		return "", vyre.Errorf(vyre.CodeUnavailable, "no %s was found in the login shell's PATH", p.Program).
			WithHint("Install it, or set providers." + p.Provider + ".runtime to pinned or to the program's path.")
	case "":
		if path, ok := at.pinned(p); ok {
			return path, nil
		}
		if path, ok := at.installed(p); ok {
			return path, nil
		}
		return "", vyre.Errorf(vyre.CodeUnavailable, "no %s was found on this machine", p.Program).
			WithHint("Install the version this build was measured with (402 MB on disk): vyre try").WithDetail("install", true)
	}
	if !runs(runtime) {
		return "", vyre.Errorf(vyre.CodeUnavailable, "providers.%s.runtime names no program that can be run", p.Provider).
			WithHint("Correct the path in config.toml, or use pinned or installed.")
	}
	return runtime, nil
}

// pinned is where Install puts the program. The size is compared, the sum was
// when it was installed.
func (at Place) pinned(p Pin) (string, bool) {
	b, ok := p.Builds[thisPlatform()]
	path := pinnedPath(at.Agents, p)
	fi, err := os.Stat(path)
	return path, ok && err == nil && fi.Size() == b.Size && runs(path)
}

func pinnedPath(agents string, p Pin) string {
	return filepath.Join(agents, p.Provider, p.Version, p.Program)
}

// installed looks along PATH and then where the vendor's own installers put the
// program. Relative parts of PATH are skipped: they would mean another program
// in each folder.
func (at Place) installed(p Pin) (string, bool) {
	dirs := filepath.SplitList(at.Path)
	if filepath.IsAbs(at.Home) {
		dirs = append(dirs, filepath.Join(at.Home, ".local", "bin"), filepath.Join(at.Home, "."+p.Provider, "local"))
	}
	for _, d := range dirs {
		if path := filepath.Join(d, p.Program); filepath.IsAbs(d) && runs(path) {
			return path, true
		}
	}
	return "", false
}

// runs reports whether path is a file that somebody may execute.
func runs(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode().Perm()&0o111 != 0
}

// thisPlatform names this machine, telling a musl system by its loader.
func thisPlatform() string {
	musl, _ := filepath.Glob("/lib/ld-musl-*.so.1")
	glibc, _ := filepath.Glob("/lib*/ld-linux-*.so.*")
	return platform(len(musl) > 0 && len(glibc) == 0)
}
