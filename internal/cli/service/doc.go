// Package service writes the units with which a service manager runs the daemon:
// systemd's, for a user or for the machine, and launchd's.
//
// It owns their text and where they lie. It must not know whether a service manager
// runs, and starts nothing: no goroutine, no process; the verbs are in the package
// above. Every value that comes from outside is quoted for the format it goes into.
//
// What every unit holds: the daemon alone is ended at a stop (the parents of
// sessions and their agents go on), it comes back after a crash within bounds, it
// may make control groups for its sessions, and there is no secret in it and nothing
// of the terminal's environment but where the home is.
//
// To test against it, compare texts: the goldens are in testdata, and where the
// machine has systemd-analyze it reads them too.
package service
