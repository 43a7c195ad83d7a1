//go:build shimnext

package proto

// The numbers of a later build, for tests; see version.go.
const (
	Version    = 3
	MinVersion = 2
)

// Speaks reports whether a daemon of this build speaks a version.
func Speaks(version uint16) bool { return MinVersion <= version && version <= Version }
