// Package policy declares policy.try: what the rules would make of a call, and why.
//
// It owns the tool's input and its checks. What a call does is its driver's word,
// what the rules say is package internal/policy's, with the facts that the daemon
// hands in; so the answer is the one that a session would get now. It must not know
// engines, doors or other modules. It starts no goroutine and keeps no state, and
// nothing is run or written.
//
// The tool is PERSON_ONLY: an agent can't look for what it may do unasked. Test it
// through a registry.
package policy
