// Package git runs the machine's git for Vyre: in a clean environment, without
// the programs that a repository's own settings could name.
//
// # Why it is careful
//
// An agent may write a repository's .git/config and hooks. What the daemon runs is
// outside every session, so a hook, a file-system monitor, a filter, an external
// diff or a pager that an agent put there would run as somebody that can't be told
// from the person. So every call switches those off: hooks have no folder, monitors
// and external programs are set to nothing, and a filter that the repository itself
// names is replaced by the person's own of that name, or by none.
//
// # Must not know
//
// Threads, worktrees of ours, the store. It imports the domain alone.
//
// # What it runs
//
// One process a call, in a process group of its own, ended (with its group) when the
// context or the bound is over. Output is bounded in memory; what is over is cut and
// said. It starts no goroutine that outlives a call.
//
// # Testing against it
//
// The tests run the real git in folders of their own.
package git
