// Package grants declares grants.add, grants.list, grants.test and grants.revoke: the
// standing allows that a person gives to agents.
//
// It owns the inputs of the tools and how a person writes a grant. What a grant covers
// is policy's, and what holds now is kept by internal/grants. It must not know engines,
// doors or other modules. It starts no goroutine and keeps no state.
//
// Every tool is PERSON_ONLY: an agent can't give itself a grant, and can't look for
// what it may do unasked. Test it through a registry.
package grants
