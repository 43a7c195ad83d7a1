//go:build !shimnext && !shimfar

package proto

// Version is the protocol's number. A controller offers the range it speaks,
// the parent of a session has exactly one.
//
// The build tags shimnext and shimfar give these numbers as a build one and two
// versions later would have them, so that tests can meet what only time brings
// otherwise. What such a build says is still this version's messages.
const (
	Version    = 2
	MinVersion = 1 // the oldest a daemon of this build speaks (N-1, and at least 1)
)

// Speaks reports whether a daemon of this build speaks a version.
func Speaks(version uint16) bool { return MinVersion <= version && version <= Version }
