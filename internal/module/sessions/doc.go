// Package sessions declares the sessions.* tools: which model threads of a purpose
// or of a project get, and what is added to the agent's own system prompt.
//
// It owns the inputs and the order of versions: a prompt is never changed, setting
// or reverting one adds a version. It must not know how a thread lives; the daemon
// reads the same rows when a process is started, so a change counts from a
// thread's next start or resume. Events tell names, numbers and sizes, never a
// prompt's text. It starts no goroutine. Test it through a registry with the store.
package sessions
