// Package install finds an agent's program on this machine and installs the
// one version that this build was measured with.
//
// # Owns
//
// versions.go, the one table of pinned versions with the size and SHA-256 of
// each platform's program; where programs are looked for; the folder
// agents/<provider>/<version>/ of a home.
//
// # Must not know
//
// The agent's protocol, the store, doors. It knows no registry either: the
// package is named to the person's own npm, whose configuration (mirror, proxy,
// certificates) decides where it comes from, and the checksum decides whether
// it is taken. Package scripts never run.
//
// # Goroutines and guarantees
//
// Find does a few stats. Install runs npm in the caller's goroutine, with one
// more for progress that ends before it returns; it may be called from any
// goroutine and by several processes: a lock in the folder lets one work, and
// the others find its result. A program is in place only whole, checked and
// synced (a rename is the last step), so a Find never sees half of one.
//
// # Failure points
//
// A kill at any moment leaves at most the staging folder, which the next
// Install empties first, and a download in npm's own cache, which makes it
// short. After an error nothing else is left.
//
// # Testing against it
//
// Installer.NPM may be a script that puts a file where npm would. With
// VYRE_TEST_INSTALL=1 the tests install the real package (400 MB).
package install
