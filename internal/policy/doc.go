// Package policy decides what may pass, as pure functions over data: which
// variables reach an agent's environment, and which permission rules may hold
// for a session.
//
// # Owns
//
// The environment allowlist and the refused classes, each name with the reason
// that the person reads in `vyre doctor`, and the filter for the rules that an
// agent suggests with its asks. (The floor, grants and reach join it here.)
//
// # Must not know
//
// Where the data comes from or goes to: no files, processes, clock, store or
// agent's protocol. It imports the standard library only.
//
// # Goroutines and guarantees
//
// It starts no goroutine and keeps no state; everything may be called from any
// goroutine. The same input gives the same output, sorted. What nobody reviewed
// does not pass: an unknown name of the login shell's environment is refused,
// not let through. There is nothing on disk and no failure point.
//
// # Testing against it
//
// Call it; there is nothing to fake. Reviewed and refused names are data in
// allow.go and refuse.go: a new one comes with its reason.
package policy
