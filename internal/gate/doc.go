// Package gate holds the acts that leave the machine until a person lets them, and
// does each at most once.
//
// # Owns
//
// The life of an act (the table is vyre.GateTable): who may move it, when its time is
// over, when it is attempted, and what is said of an attempt without an answer.
// It must not know doors, engines or SQL, nor how an act of a kind is done: a Sender
// does that.
//
// # Guarantees
//
// What goes out is what a person approved, to the byte: the approval names the hash of
// the kind, the target, the options and the payload, and the hash is made again from
// the row before an attempt.
//
// An attempt is on disk before anything goes out. Without an idempotency key there is
// one attempt, ever. With one there are up to MaxAttempts, all with the same key, none
// later than KeyLife after the first. An attempt whose outcome nobody knows makes the
// act unknown, and only a person's word changes that.
//
// Of any number of calls that decide about an act at once, one decides; the same
// decision again gives the first outcome, another one is a conflict.
//
// An act's time runs by the machine's own count since its start, not by its clock;
// after the machine started anew, what had not begun is expired.
//
// # Goroutines
//
// Run is the only one that attempts, with at most Parallel senders at once; it returns
// after they have. Every other method may be called from any goroutine and holds no
// lock while it waits. Without Run acts wait and nothing goes out.
//
// # What is on disk when
//
//   - asked for: the row and gate.requested, in one durable commit
//   - approved: the row with who, how proven and the hash, and gate.approved, in one
//   - gate.claim.before: approved; the next daemon attempts it, if its time is not over
//   - gate.claim.after: sending, with the attempt's number; nothing has gone out. The
//     next daemon can't know that: it retries with the same key, or says unknown
//   - gate.send.after: the same, and it did go out
//   - gate.result.after: how it ended
//
// # Testing against it
//
// New with the real store, a sender of the test's own that counts what it is given, and
// a count of the machine that the test moves. The points above are of package fail.
package gate
