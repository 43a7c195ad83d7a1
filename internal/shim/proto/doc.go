// Package proto is the frozen protocol between the daemon and the parent of a
// session (vyre-shim). It owns the messages on its control socket, and the names
// and forms of the files that it leaves for the daemon.
//
// The page docs/shim-protocol.md says the same in words; a test compares the
// two. A parent outlives the daemon that started it, so a message never changes
// its meaning: a new need is a new message and a new Version, and the daemon
// speaks Version and the one before.
//
// It must not know about processes, sockets or stores, and imports the standard
// library only, none of its heavy parts (no fmt, no reflection): the parent's
// memory is mostly what its libraries do there. It starts no goroutine and
// keeps no state. Everything that parses is safe on any bytes.
//
// To test against it, encode and decode; there is nothing to fake.
package proto
