// Package system declares the daemon.* tools: how the daemon is, a backup, its
// end.
//
// It owns the shape of a status and reports what it was handed; it must not know
// how any of it is done. Paths in a status are the person's to see, so the tool
// is for a person. It starts no goroutine. Test it through a registry.
package system
