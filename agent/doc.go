// Package agent is the one door over every coding agent that Vyre can run: the
// contract a provider keeps, the typed events that come out of a session, and
// Query for one-shot use from any Go program, without the daemon.
//
// # Shape
//
// A Provider finds its agent's binary, says what can be done with it, builds the
// command line, and makes a Protocol for each session. A Protocol is the agent's
// wire protocol without any IO: Decode turns one whole line of the agent's output
// into events, Encode turns one command into one line of input. Whoever holds the
// process (Query here, the daemon's engine through a shim) moves the bytes.
//
// That cut is what lets an agent outlive the daemon. A Protocol's memory is a
// fold over the lines it decoded, so a later daemon rebuilds it by decoding the
// spool again from the last checkpoint and dropping the events it has committed.
// Hence two rules for every Protocol: decoding the same lines gives the same
// events, and what a reply needs to be understood is in its id (Encode gets a
// number that is unique in the session), never only in memory.
//
// # Must not know
//
// Threads, asks, policy, the store, doors. A provider package imports this one
// and internal/wire, never the engine.
//
// # Goroutines
//
// Query and Open start what they need and return after it ended. A Protocol
// starts none and is not safe for concurrent use: one goroutine owns it.
//
// # Testing against it
//
// Package agent/agenttest has hermetic homes and a loopback model API; the real
// agent runs against it.
package agent
