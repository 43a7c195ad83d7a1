// Package cli is the command line: one file a verb, each a thin client of the
// daemon's socket.
//
// It owns how a person at a terminal starts a thread, watches it, answers what
// it asks, and how errors become exit codes. It must not know the engine, the
// store, a driver or a door: what it needs of the daemon it calls as a tool, and
// the declarations of the tools and the daemon itself are handed in by main.
//
// # Streams
//
// Standard output is data, standard error is everything about it. With --json
// the output is the tool's output document. Colours and signs appear only where
// they work (package term). No escape sequence of an agent reaches a terminal.
//
// # Exit codes
//
// Those of the catalogue; 1 for a turn that failed, 128 plus the signal's
// number for what a signal ended.
//
// # Who starts a daemon
//
// `up` does, and `run`, `attach`, `open` and `try` do it like `up` and say so.
// No other command does; `call` and `events` never. Where a service of this home is
// installed, its manager starts the daemon instead. `service install` starts it too, and
// `upgrade` starts it again.
//
// # Upgrades
//
// What could not go on afterwards is refused before anything stops; from then on each
// failure puts the binary before back. A death in between leaves a whole binary in the
// place (the copy is renamed there) and sessions that run: `up` goes on from either.
//
// # Goroutines
//
// Main starts one that listens for signals; a followed thread has one that reads
// events, at most one that reads the keyboard, and one for each call that has not
// been answered (an interrupt is answered when the turn has ended, so nothing
// waits for it but that). All end before Main returns,
// except that `try` and `up` leave a daemon process behind where they say so.
//
// # Asks
//
// A key counts only after the whole of an ask was printed and what was typed
// before was dropped. Without a terminal, lines of standard input are answers;
// at its end a question stays open. Nothing here answers for a person.
//
// On disk it makes the daemon's log (private/daemon.log), a short-lived page
// for the browser (private/open-*.html, see open.go), what `try` says, the service
// manager's unit (package service), and on an upgrade the binary and the one before
// (.old) and a copy of a store that changes form (private/vyre-store-*.db).
//
// To test against it, serve tools over a unix socket and call Main with pipes.
package cli
