//go:build shimfar

package proto

// The numbers of a later build, for tests; see version.go.
const (
	Version    = 4
	MinVersion = 3
)

// Speaks reports whether a daemon of this build speaks a version.
func Speaks(version uint16) bool { return MinVersion <= version && version <= Version }
