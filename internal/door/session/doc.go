// Package session is the door for an owned session's own tools: what Vyre offers
// inside a session through its driver, without a socket or a process between.
//
// It owns the list of what is offered, each with its reason. It must not know any
// tool beyond its name, nor threads, asks or policy: it binds the caller, which is
// always the thread whose session speaks, and forwards to the registry. The session
// can't say who it is, and names no thread: the door fills in its own.
//
// It starts no goroutine and keeps nothing. Calls come from the engine, on
// goroutines of the sessions.
//
// To test against it, New with a registry; see session_test.go.
package session
