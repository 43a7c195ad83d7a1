// Package client speaks to a daemon over its unix socket: calls of tools, and
// the events with a cursor that it carries over lost connections by itself.
//
// It must not know any tool; names and types are the caller's. It starts no
// goroutine that outlives a call (net/http keeps idle connections until Close).
//
// Guarantees: a call is sent once. When the daemon went away after it may have
// been sent, the error says so, and it is the caller's to repeat it (with its
// key). Events come in the order of their seq, each once, whatever happened to
// the connection; what can't be served is one error of code gap.
//
// Every error is a *vyre.Error: the daemon's own, or unavailable for a daemon
// that isn't there, or timeout when the context's deadline passed.
//
// To test against it, serve door/api over a socket.
package client
