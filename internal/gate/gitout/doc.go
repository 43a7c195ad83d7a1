// Package gitout does the gate's acts of the kind git.push: one commit to one ref of a
// remote repository, over https or ssh.
//
// It owns what such an act may be and what it says was done. It must not know who
// asked, approvals or the store.
//
// # Why it pushes from a repository of its own
//
// An agent may write the settings and hooks of the repository that it works in: they
// could name another address for a remote, a program for ssh or for credentials. So
// the commit is sent from an empty repository made for the attempt, which reads the
// other's objects and none of its settings. The person's own settings hold: credential
// helpers, ssh. A remote that is a folder of this machine is refused: its hooks would
// run here, outside every session.
//
// # Guarantees
//
// The commit is named by its id from the moment it is asked for. Without Expected the
// ref only moves forward; with it, only from exactly that. To push it again is no
// change, so such an act is always idempotent. After a push that failed the remote is
// asked what the ref is: that decides.
//
// It starts no goroutine. Folders it makes are removed when a call ends.
//
// # Testing against it
//
// New with the real git, and git's own http-backend on loopback.
package gitout
