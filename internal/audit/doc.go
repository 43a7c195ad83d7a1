// Package audit writes down who called what: calls that changed something and made no
// commit of their own, and calls that were refused to their caller.
//
// It owns how refusals are counted: the first of its kind (tool, caller, code) is
// written at once, with an event call.refused; those that follow within a minute are
// counted and written as one, when the minute is over or the daemon ends. So an agent
// that calls in a loop costs one row a minute. At most maxKinds kinds are counted at a
// time; further ones share a row that names no tool. What was counted and not written
// is lost when the daemon is killed: the first of them is on disk.
//
// It must not know tools, doors or SQL. The registry calls it from any goroutine; Run
// owns the clock and returns after the last count was written. A call that changes rows
// is not written here: its note goes along with its own commit (vyre.WithAudit).
//
// To test it, run it in a synctest bubble on a store of your own.
package audit
