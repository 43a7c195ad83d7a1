// Package loginenv asks the person's login shell for the environment that a
// terminal of theirs would have: PATH with version managers, SSH_AUTH_SOCK,
// proxies, CA bundles. A daemon that was started by a service manager or a
// desktop has none of that.
//
// # Owns
//
// Finding the shell, running it once with a bound on time and output, and
// reading what it prints between two markers, so that greetings and warnings of
// start-up files do no harm.
//
// # Must not know
//
// Which variables may reach an agent: that is policy's. Give Options.Base
// filtered, and filter the result.
//
// # Goroutines and guarantees
//
// Capture runs in the caller's goroutine (os/exec copies the output in one of
// its own, which has ended when Capture returns). The shell gets no terminal
// and no input, runs in a session of its own, and its process group is killed
// at the end, so nothing that a start-up file left in the foreground stays.
// Capture never fails: where the shell gives nothing in time, the result is
// Base, and says why.
//
// The shell is first run interactive (-i -l), as a terminal does it, because
// version managers write their lines into files that only interactive shells
// read; where that gives nothing (a file that waits for a person, or replaces
// the shell), as a login shell alone (-l). It finds VYRE_RESOLVING_ENVIRONMENT=1
// and can skip what is slow.
//
// # Failure points
//
// Nothing is on disk. A daemon that dies meanwhile leaves a shell without
// input, which ends by itself.
//
// # Testing against it
//
// Options.Shell may be any program that takes -c; the tests use /bin/sh with
// start-up files in a temporary HOME. Parse is pure.
package loginenv
