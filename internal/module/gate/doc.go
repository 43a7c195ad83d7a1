// Package gate declares the gate.* tools: an agent or a program asks for an act that
// leaves the machine, and a person lets it happen or not.
//
// It owns the shapes of the tools and what is shown of an act before a yes: every
// control character visible, a large payload cut and said to be. Whose act it is, what
// may move it and when it is sent are internal/gate's. It must not know doors, threads
// or how an act is done. It starts no goroutine and keeps no state.
//
// Anybody whom a door let in may ask, see what is theirs and take it back. Yes, no and
// the word on an unknown outcome are a person's; a yes needs a fresh touch of a passkey
// once one is enrolled, bound to the hash of what goes out. Test it through a registry.
package gate
