// Package confine shuts a session in: what its agent, and everything the agent
// starts, can see of this machine and do to it.
//
// It owns the stage between a session's parent and its agent: the parent's own
// program, started again under another name (Start), which takes a mount
// namespace, capabilities, Landlock and seccomp upon itself and then becomes the
// agent (Stage). It owns the facts of what this machine can (Examine) and, as
// data with a reason each, the places and system calls that are closed. It must
// not know about threads, providers' protocols or the daemon: a plan comes in as
// paths. Both ends link it, so it imports the standard library's light parts and
// x/sys only.
//
// # What a plan closes, part by part
//
//	mount   a user namespace (an ordinary user) and a mount namespace: an empty
//	        read-only folder over private/ and over vendors' side sockets, our own
//	        sockets covered but the session's, settings that allow things
//	        read-only, /proc and /sys read-only
//	caps    no capability, none to be had again; nothing gains rights by exec
//	files   Landlock: nothing under /proc and /sys is opened for writing
//	scope   Landlock: no signal and no abstract socket leaves the session; no
//	        process outside can be traced or read through /proc
//	calls   seccomp: no tracing, no taking of descriptors, no mounts, no new user
//	        namespace
//
// A user namespace alone hides nothing: as long as CAP_SYS_ADMIN is held inside,
// an umount shows what was covered (measured). So mount never goes without caps.
//
// # Order, and what a failure leaves
//
// Everything is done by one locked thread of the stage, which then calls execve:
// the kernel gives the new program that thread's namespaces, filters and rights.
// The stage reports over a pipe that closes on exec. Whatever of a plan can't be
// done ends it before the agent's first instruction, so there is no half confined
// agent; only side folders that can't be covered are told and passed over, as
// anybody could make such a one. Plan.Fallback lets Start go on without a mount
// namespace where the kernel grants none at the moment.
//
// It starts no goroutine and keeps no state. There is nothing on disk, but that
// missing side folders are made (0700).
//
// To test against it, run a real process: a test's own binary can be the stage
// (IsStage in TestMain).
package confine
