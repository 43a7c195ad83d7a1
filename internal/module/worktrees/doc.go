// Package worktrees declares the worktree.* tools: the git work trees that threads
// were given.
//
// It owns these tools and the event worktree.removed; what is on disk is
// internal/worktree's.
//
// It must not know how git is run (internal/worktree) or how threads live. It starts
// no goroutine and keeps no state. A tree's removal is refused while a session works
// in it, and, without force, while there is work in it that nothing else has.
//
// Test it through a registry with the real manager and store.
package worktrees
