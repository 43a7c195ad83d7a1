// Package passkey lets a person show that it is them, by a touch of a device of
// theirs (WebAuthn), and holds each such touch against the one act it was given for.
//
// # Owns
//
// The ceremonies: enrolling a passkey, signing in with one, and touching one for an
// act; the acts that wait for a touch; pairing a phone. It knows which host name a
// passkey works on: one of localhost works there alone, one of an https name there
// alone, and addresses have none. The user is always verified (a fingerprint, a
// face, a PIN), never just present.
//
// # Must not know
//
// What any tool does, and doors. It implements registry.Prover; how an act is shown
// it asks the registry.
//
// # Guarantees
//
// A challenge is made here, works once, for two minutes, and for what it was made
// for. One for an act is H(nonce, tool, digest of what was shown, input): a touch
// for another verdict, another text or an edited input does not verify. An act that
// was touched runs once. A passkey that is revoked verifies nothing any more, also a
// touch that began before. Nothing here is on disk but the passkeys' rows: after a
// restart, acts and ceremonies that were under way are begun again.
//
// # Goroutines, failure points, tests
//
// It starts no goroutine, and its methods may be called from any. Between a touch
// that was good and the act's own commit the daemon may die: then the act did not
// happen, and nothing says that it did. To test against it, sign with a key of your
// own: the package passkeytest is an authenticator.
package passkey
