// Package threads declares the threads.* tools: what a caller may do with
// conversations. It checks inputs, asks the engine to act and the store to read.
//
// It must not know how a thread lives (the engine's), what a door is, or any
// other module. It starts no goroutine and keeps no state. Reads come from the
// store, so they never wait for a thread's owner; acts go through the owner.
//
// Test it through a registry with the real engine and store, or with values for
// its two small ports.
package threads
