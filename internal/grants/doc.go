// Package grants keeps the standing allows of a home in memory, as every call of
// every agent asks for them.
//
// # Owns
//
// Which grants hold now, and how one is given and taken back. It must not know
// agents, doors or SQL: what a grant covers is policy's, rows are the store's.
//
// # Guarantees
//
// Every method may be called from any goroutine and holds no lock while it waits.
// A grant holds once it is on disk; when Revoke returns, it covers nothing any more,
// also for calls that are judged at that moment by others. One that expires does so
// by the clock at each question. It starts no goroutine.
//
// # What is on disk when
//
// A grant with its event in one durable commit, before anything is covered by it.
// One that is taken back stays as a row, so that what went ahead by it can be told.
// A daemon loads what holds at its start.
//
// # Testing against it
//
// New with the real store and a clock.
package grants
