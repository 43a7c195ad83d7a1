// Vyre-shim is the parent of one agent session. The daemon starts it and may
// die, be upgraded and come back; the agent works on under its shim.
//
// It owns the agent's stdin, stdout and stderr (socketpairs), the spool of what
// the agent wrote, the numbering of input frames, the reaping of everything the
// agent leaves behind, and the record of how the agent exited. It must not know
// about threads, providers, stores or any agent's protocol, and links the
// standard library's light parts and x/sys only: its memory is counted (6 MB).
//
// # Shape
//
// One goroutine, one poll loop (loop.go), no locks: control socket, agent's
// stdio, timers and the reaper take turns in it, and nothing in it waits for a
// peer. A second goroutine turns signals into bytes in a pipe that the loop
// polls. Only disk writes may hold the loop.
//
// # What is on disk when
//
//	spec read                nothing
//	record written           shim.json: boot id, pid, start time
//	listening                the control socket
//	agent started            shim.json again, with the agent's pid and start time
//	agent wrote              spool/<offset>.log, before the daemon is told
//	agent exited             exit.json (fsync), before the daemon is told
//	nobody left              exit.json says empty, the socket is gone; then exit
//
// # Guarantees
//
// A frame number is written to the agent at most once, and acknowledged only
// after its last byte was. The highest number is kept in memory, and in
// exit.json once the agent exited: a file besides would tell nobody anything, as
// the shim's death ends the agent's input, so no later frame can follow. Output
// is never dropped or doubled: when as much as the bound waits for the daemon to
// commit it, or the disk takes no more, the shim stops reading, and the agent
// waits.
//
// TERM ends the session: the end of the agent's input, a grace, TERM to the tree, a
// grace, KILL; then the program ends as always. INT, HUP and the like do nothing.
//
// # Failure points
//
// vyre-shim.spec, .record, .listen, .start, .started, .spool, .frame, .exit,
// .exited, .empty (package internal/fail).
//
// # Testing
//
// internal/shim's tests run it with real agents; shimtest builds it.
package main
