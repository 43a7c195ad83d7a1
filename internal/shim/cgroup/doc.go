// Package cgroup gives a session a control group of its own, where this machine
// allows it.
//
// It owns: finding the v2 hierarchy (also on hybrid machines, where it lies
// beside the old ones), making a group, ending all that is in one, and proving
// it empty. A group is named by its path and its inode: a group of the same
// path with another inode is somebody else's and is not touched.
//
// It must not know about sessions. It starts no goroutine and keeps no state.
// On systems without control groups every call says so with ErrNone.
//
// To test against it, use real groups (as root, or in a delegated tree).
package cgroup
