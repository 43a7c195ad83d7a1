// Package config says where a home's files and sockets are, who may run a
// daemon on it, and what its one settings file holds.
//
// # Owns
//
// The layout under VYRE_HOME, the runtime folder of the sockets, the home's
// lock, config.toml and VYRE_LISTEN. Nobody else joins a file name onto the
// home, so a move of a file is one change here.
//
// # Must not know
//
// What the settings do. It imports the domain package for its errors, a TOML
// reader and the system's calls, nothing else of this program.
//
// # Goroutines and guarantees
//
// It starts no goroutine and keeps no state. Every function may be called from
// any goroutine. Load reads the file once and refuses it whole: after an error
// no part of it holds. Prepare and RuntimeDir make folders (mode 0700) and
// refuse what somebody else owns and what is a symbolic link; they are safe to
// repeat and safe for two processes at once. The lock is the kernel's (flock):
// it ends with its process, however that dies, and leaves a file behind that
// means nothing by itself.
//
// # Failure points
//
// A kill between two folders leaves the earlier ones, empty; the next Prepare
// goes on. The lock file's pid is written after the lock is held: in the moment
// between, a second daemon is refused without a pid to name.
//
// # Testing against it
//
// Give Home and LoadFrom a getenv of your own and a t.TempDir. Set
// XDG_RUNTIME_DIR to a short folder where sockets shall not go to /tmp.
package config
