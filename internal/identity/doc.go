// Package identity says who calls. For the unix socket it looks at the process
// at the other end; for the page it keeps one-time codes and signed-in sessions.
//
// # The socket
//
// A peer is a thread when it is inside any session that is not ended: by the
// cgroup id of its pidfd, by the path of its cgroup, by an ancestor that is the
// session's shim or agent, or by its process group or session (its own, or their
// leaders'). It is an agent when an ancestor is one that was bound as such (Bound),
// is a vyre-shim that is not in our books, or runs a known agent's program, by
// itself or through an interpreter (Programs). It is nobody (unauthenticated) when
// it belongs to another user, is dead, can't be followed to the top of the process
// tree, was started by the daemon itself, or is in another pid, user, mount or
// network namespace than the daemon, so that a container is nobody: what can't be
// shown to be a person's is not. Else it is the person.
//
// On a session's own socket only that session's thread is anybody (Peer.Inside).
//
// /proc is read only while a handle on the peer (a pidfd) says that it lives,
// before and after, so a recycled pid is never taken for the peer; a parent is
// believed only if the child still names it after it was looked at. Where /proc
// hides processes or is missing, nobody is the person.
//
// Each request is judged anew. On one connection a verdict is kept for a quarter
// of a second as long as the peer lives, stays in its cgroup, and the same
// sessions are open; those three are looked at every time. For a call that decides
// (Peer.Deciding) nothing is kept.
//
// # The ladder
//
// Level is a pure function of facts, which says why a level is no higher and which
// command would raise it (SO_PEERPIDFD is Linux 6.5, PIDFD_GET_INFO 6.13; measured
// on 6.18). Facts of confinement are those of the weakest open session. At L1 a
// person at a terminal carries a doubt (vyre.Caller.Doubt): ancestry alone tells it
// from an agent, or an agent under no shim runs for this user, or a session's parent
// died and its tree is not proven empty.
//
//	L5  sessions are another user's, with a network of their own
//	L4  they see no socket and no state of ours but their own socket
//	L3  they can't signal, trace, or leave their cgroup (Landlock, seccomp)
//	L2  every session that isn't ended has a cgroup, and the kernel tells a
//	    peer's cgroup by handle, even of one that is dead; root stays here
//	L1  ancestry under a subreaper alone, with start times
//	L0  this system has no handle on a peer and no subreaper (macOS): who is
//	    called a person here is only not known to be anything else
//
// A peer that passed its connection on, tmux, cron, ssh and what else isn't
// descended from a session is not caught at any of these levels.
//
// # The page
//
// Codes and session secrets are 32 random bytes; only their SHA-256 reaches the
// store. A code works once, within ten minutes. After ten wrong codes within a
// minute further wrong ones are answered as busy until the minute is over; a good
// one still works.
//
// A session has two secrets, and both are needed: what is in the cookie, which
// browsers send to every port of a host, and a proof that the page keeps for its
// own origin. It ends after 90 days.
//
// The package starts no goroutine and must not know doors or tools. Its methods
// may be called from any goroutine. To test against it, start real processes:
// the tests re-execute themselves.
package identity
