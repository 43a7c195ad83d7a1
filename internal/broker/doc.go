// Package broker stands between a session's agent and its vendor, so that the agent
// never holds the credential: at a loopback address of the session's own it takes
// requests that show the session's key, and passes them on with the real one.
//
// # Owns
//
// The addresses, the check of a caller's key, what may be asked, and the count of what
// was used. A session's key is 32 random bytes; only its hash is kept.
//
// # Must not know
//
// Vendors: what may be asked, under which header a credential goes and how usage is
// told is data (agent.Brokering). The vault: the credential is asked for at each
// request, so one that was rotated counts at once, and is held no longer.
//
// # Goroutines and guarantees
//
// Each address has a server; Run waits for all of them. Answers are passed on as they
// come, a stream byte by byte. A request without the session's key, for something else
// or under another host's name is answered by us and never passed on. No redirect is
// followed, and the credential goes to the vendor's address alone.
//
// # What is on disk when, and failure points
//
// The address and the key's hash are in the session's row before the agent runs. A
// daemon that dies takes its addresses along: the agent finds nobody there and tries
// again, and the next daemon listens at the same address when it adopts the session. If
// something else took it meanwhile, Adopt says so, and the thread is told. That process
// sees what the agent says to its vendor, and never a credential.
//
// # Testing against it
//
// New with a function for the secret, and an httptest server as the vendor.
package broker
