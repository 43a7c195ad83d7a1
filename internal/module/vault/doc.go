// Package vault declares the vault.* tools: a person puts secrets in, rotates and
// deletes them, and grants them to threads, projects, agents and modules; an agent asks
// for one and, where it was granted, has it for one command.
//
// It owns the tools' inputs, the versions of items and the agents' requests: it seals
// through internal/vault and writes ciphertext through the store; a value exists here
// only while a call runs. It must not know who runs commands, engines or doors.
//
// No tool gives a value to a person or a page. vault.take gives one to the session that
// it was granted to, for `vyre vault exec`; it is not among the tools that sessions are
// offered through their driver, so that a value does not come into a conversation by
// itself. An agent that was granted an item can still read it: that is what a grant is.
//
// It starts no goroutine. Two changes of items never overlap; a request that waits for
// its decision holds no lock. What a kill leaves: each change is one commit.
//
// Test it through a registry.
package vault
