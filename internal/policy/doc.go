// Package policy decides what may pass, as pure functions over data: what an
// agent's call may do (Judge), which variables reach an agent's environment, and
// which permission rules may hold for a session.
//
// # Owns
//
// The environment allowlist and the refused classes, each name with the reason
// that the person reads in `vyre doctor`, and the filter for the rules that an
// agent suggests with its asks.
//
// Judge's rules, in their order. The floor: what nobody may write or read and what
// is always asked, as a map of places (places.go) and of commands (commands.go).
// Grants: what a person's standing allow covers (grant.go). The read-only class
// (readers.go, git.go): commands and flags that were looked at one by one; it alone
// lets a call pass that nobody granted. All else is a person's.
//
// What the text of a command says is the best that can be known before it runs, not
// what holds it: two programs of one name, a script that was changed, a link that is
// turned in between are the confinement's to hold.
//
// # Must not know
//
// Where the data comes from or goes to: no files, processes, clock, store or
// agent's protocol; what Judge must know of the disk it asks through the port Files.
// Beside the standard library it imports the tables of Unicode's normal forms, and
// its own room shell, which has the parser (ADR 0005).
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
// Call it; there is nothing to fake but Files. Reviewed and refused names are data
// in allow.go and refuse.go: a new one comes with its reason. A new command of the
// read-only class comes with lines in testdata, of what it may and what it may not.
package policy
