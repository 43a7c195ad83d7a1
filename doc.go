// Package vyre is the domain of the Vyre daemon: threads, turns, items, asks,
// events, callers, tools and errors, and the one table that says how a thread
// may move.
//
// It owns the words and the rules between them. It must not know about disks,
// sockets, processes, clocks or any agent's protocol: it imports the standard
// library only, and nothing of it that does IO (a test in internal/arch holds
// that wall). It starts no goroutine and keeps no state; every function is
// pure except the id generators, which read crypto/rand.
//
// Everything that crosses a process boundary (rows, events, tool inputs and
// outputs, errors) is declared here or beside the tool that uses it, so that a
// person reading one package sees the whole vocabulary.
//
// To test against it, build the values; there is nothing to fake.
package vyre
