// Package slots is the ledger of places for parallel work: how many subagents and
// teammates may run at once, on this node and in each project, and who waits for a
// place in which order.
//
// It owns the rule and nothing else: no goroutine, no clock, no store, no agent. It
// must not know threads beyond their ids. Whoever holds a Ledger (the engine)
// guards it, keeps its slots on disk, and tells the changes that each call returns.
//
// # The line
//
// Who asked first in a project goes first in it; projects take turns, so that a
// project with many waiting does not keep another from its turn. A project at its
// own bound is passed over and keeps its turn's place. The two kinds have lines of
// their own.
//
// # Guarantees
//
// No kind is ever above its bound on the node or in a project, except by slots that
// were loaded (the bounds were lowered, or a daemon went): then nothing more is
// given until there is room. What is released is given on in the same call. Nobody
// who stays in the line is passed by twice by one project.
//
// # Testing against it
//
// Everything is pure; see slots_test.go for the properties.
package slots
