// Package audit declares audit.list: who called what, by what that is known, and what
// came of it.
//
// It owns the input and how a range of time is written. Rows are written by the
// registry's calls (internal/audit, and each call's own commit) and never changed; the
// store checks their chain in daemon.verify and on every backup. It must not know doors,
// engines or what a call was about. It starts no goroutine. Test it through a registry
// with the store.
package audit
