// Package procs looks at processes and signals exactly the one that was meant.
//
// It owns the rule that a pid alone means nothing: a process is a pid with its
// start time within one boot. Signal re-checks that at the last moment, on
// Linux through a pidfd, so that a recycled pid is never hit. KillTree ends all
// descendants of a process, detached ones included where that process is (or
// was kept alive by) a subreaper.
//
// Both ends link it, so it imports the standard library and x/sys only, and
// none of their heavy parts. It must not know about sessions or protocols. It
// starts no goroutine and keeps no state.
//
// To test against it, start real processes.
package procs
