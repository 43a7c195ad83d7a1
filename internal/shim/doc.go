// Package shim is the daemon's side of the parents of sessions: it starts them,
// finds those that an earlier daemon started, talks to them, reads what their
// agents wrote, and ends them and proves it. The parent's own program is
// cmd/vyre-shim; what the two say to each other is package proto and the page
// docs/shim-protocol.md.
//
// It owns the shim's program in <home>/bin, the control sockets in the runtime
// folder, the control groups of sessions and the content of their folders. It
// must not know about threads, turns, providers or the store: a session comes in
// as a record and goes out as one. It implements engine.Launcher and
// engine.Process and takes nothing else from the engine than their types.
//
// # A start, and what is left when the daemon dies in it
//
//  1. The daemon commits the session, state starting: id, folder, token.
//  2. Prepare makes the folder (0700), takes its lock, makes the control group
//     vyre-<short>. short is made from home and id, so 3–5 can be found again by
//     whoever knows only the row. Left: an empty folder and group.
//  3. The shim is born, inside the group (CLONE_INTO_CGROUP), in a new session,
//     with the folder's lock and one end of a socketpair. If the daemon dies now
//     it reads the end of the file and exits.
//  4. It is told what to do over the socketpair (never by a file, an argument or
//     a variable: it holds secrets), leaves shim.json, listens, says who it is.
//     If the daemon dies now, it exits by itself after 10 s, leaving nothing.
//  5. Prepare returns the identity; the daemon commits it, state prepared.
//  6. Go: the shim starts the agent and adds it to shim.json. The daemon commits
//     state live.
//
// Whatever a daemon finds in state starting or prepared it stops: Stop works on
// all of these, as the lock tells whether a shim lives that left no record yet.
//
// # Guarantees
//
// Output: every byte the agent wrote before its end is read once and in order,
// by offset, across daemons; a line is what lies between two 0x0A. Input: a frame
// number is written once; its acknowledgement means that the agent's socket has
// all of it, and after a passing error the same number may be sent again. Bound:
// when as much output as that waits to be committed, the agent waits too; what was
// committed stays on disk until it is released, and holds nobody up. Exit: on disk
// before Done is closed; unknown only when the shim was killed. Nothing is synced
// but exit.json and the shim's program: what a power cut takes of the spool it
// takes of the agent too.
//
// Stop returns nil when the session is proven empty: the shim, a subreaper, saw
// that it has no child left, or the kernel says that the control group is. With
// the shim killed and no control group (level L1) only the agent, its session
// and all below them can be proven ours and are ended; others that look like it
// are left alone and told to the log. A process is signalled only if boot id and
// start time are the record's, through a pidfd where there is one; a group is
// ended only if its inode is the recorded one.
//
// Versions: a parent is spoken to in its own version, this build's or the one before.
// One of any other is never touched but by Stop; its requests fail with a conflict that
// engine.DetailForeign marks. The build tags shimnext and shimfar make this build a later
// one for tests.
//
// # Goroutines
//
// Two for each Process whose shim lives: one reads its connection, one waits for
// its death (in the runtime's poller, without a thread); and for moments a third,
// which tells what was committed and released. They end with the shim, or at
// Detach, which waits for them. New, Prepare and Adopt leave no others.
//
// # Failure points
//
// shim.prepare.dir .group .spawned .told .ready, shim.go, shim.go.done,
// shim.send, shim.adopt.connected .welcomed, shim.stop.end .term .kill .sweep
// .proven (package internal/fail).
//
// # Testing against it
//
// Use the real thing: shimtest builds the program once, New takes it in
// Config.Program, and /bin/sh makes a good agent.
package shim
