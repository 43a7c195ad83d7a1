// Package trust holds the tools trust.list and trust.revoke: what persons decided on what
// folders bring to their agents, and taking that back.
//
// It owns the tools' inputs. It must not know how a folder is read or how an agent is
// started: a decision itself is made by answering an ask of kind trust (module asks). It
// starts no goroutine and keeps no state. Test it through a registry.
package trust
