// Package fail marks the places where a test may let the program die.
//
// It owns one thing: named points between two steps that touch the disk, a
// process or a peer. In a normal build Point does nothing and costs nothing.
// In a build with the tag failpoints it kills its own process with SIGKILL
// when the environment variable VYRE_FAIL names the point, so that a test sees
// what a power cut of the program leaves at exactly that place.
//
// VYRE_FAIL is a comma-separated list of name or name:n; with n the n-th time
// the point is passed is the one. Points are written package.step.place, and a
// package's doc.go lists its own.
//
// It imports the standard library only (the session's parent links it too),
// starts no goroutine and keeps nothing but the counters of the test build.
package fail
