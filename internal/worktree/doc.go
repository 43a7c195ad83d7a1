// Package worktree makes, shows and removes the git work trees that threads are
// given: folders of their own under the home, on a branch of their own.
//
// # What it owns
//
// <home>/worktrees/<name>/ (a work tree), <home>/private/worktrees/<name>.json (what
// it was made from, where no session can write) and <home>/worktrees/.kept/<name>/
// (ignored files that a forced removal moved aside). It must not know threads, the
// store or doors: which tree is whose is its caller's to say.
//
// # What is on disk when
//
// The record is written and synced before git makes the tree, so a daemon that is
// killed in between leaves nothing unaccounted: Sweep finds a record whose tree no
// thread has, and removes it if there is no work in it. A removal keeps its order the
// other way round: commits get a reference and files their new place before the tree
// goes, the record goes last, and every step may be done again.
//
// # Guarantees
//
// Nothing that can't be made again is removed without force, and with force commits,
// changes and untracked files stay reachable as refs/vyre/kept/<name>, and ignored
// files that are no product of a build under .kept/. Only trees with a record of ours
// are touched, never through a symbolic link. Creating and removing run one at a
// time. It starts no goroutine.
//
// # Testing against it
//
// The tests use the real git.
package worktree
