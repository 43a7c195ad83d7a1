// Package room looks after the disk that a home lies on: what uses how much of
// it, what may go to make room, and whether there is enough to start more.
//
// # What it owns
//
// The figures of a home by class, the disk budget, the floor of free space, and
// the decision what goes first. It must not know SQL (the store drops and
// shrinks by itself), threads, or agents' protocols. It removes only what this
// package's own rules name: folders of sessions that ended, agents of other
// versions on a person's word, and what the store's retention classes hold.
// Attachments, worktrees and the rows of conversations are counted and never
// touched.
//
// # Goroutines
//
// None of its own; Run works until its context ends and returns after that.
//
// # Guarantees
//
// Space and State answer from memory and never wait for the disk but for one
// statfs. A budget is enforced in small steps, so that no commit waits long.
//
// # What is on disk when
//
// The reserve (1 MB), and nothing else but by its Store. A daemon that dies while it makes room has
// removed less; the next goes on.
//
// # Testing against it
//
// A folder in t.TempDir for the home, Config.Disk for the disk's figures, and a
// Store of the test's or the real one.
package room
