// Package daemon is the only wiring: it makes every room, hands each what it
// needs, runs them, and ends them in order.
//
// It owns no behaviour of its own beyond what a machine needs of a provider
// (runtime.go: program, environment, credential). It must not know how any room
// does its work. Nobody imports it but cmd/vyre
// and its own tests.
//
// # Start
//
// Settings, the home's lock, the store, the log's feed, the engine. Doors open
// once the engine knows which sessions an earlier daemon left, because until
// then a caller inside one would look like anybody; adoption itself goes on in
// the owners of the threads, so a start takes as long with forty sessions as
// with none. The login shell's environment is captured beside all this; only
// the start of a session waits for it.
//
// # End
//
// Doors stop accepting and finish what they serve; then the engine lets go of
// its sessions, whose agents work on under their shims; then the store writes
// its checkpoint and closes; then the lock goes. A room that fails ends the
// daemon with its error: a supervisor starts it again.
//
// # Goroutines
//
// Run starts one for each room and returns after all of them did.
//
// # Testing against it
//
// Start the built binary on a home of your own (VYRE_HOME, VYRE_LISTEN), or
// call Run with Options; testdata/script does the former.
package daemon
