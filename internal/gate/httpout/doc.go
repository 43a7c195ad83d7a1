// Package httpout does the gate's acts of the kind http: one request, once.
//
// It owns what such an act may be, which addresses it may reach, and what an answer
// says about whether it was done. It must not know who asked, approvals or the store;
// a value of the vault it is handed at the moment of sending.
//
// # Guarantees
//
// Redirects are not followed, no proxy and no cookie of anybody is used, and nothing is
// retried. The address is looked at when it is dialled, after the name was resolved: an
// act that did not say private reaches no private, loopback or link-local address,
// whatever its name leads to by then. Link-local addresses (where clouds keep their
// metadata) are never reached. Plain http goes to this machine alone.
//
// It starts no goroutine that outlives a call, and keeps nothing.
//
// # Testing against it
//
// New, and a server on loopback.
package httpout
