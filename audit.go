package vyre

import (
	"context"
	"sync/atomic"
)

// AuditDone is the result of a call that was made; any other is the code it was
// refused with.
const AuditDone = "done"

// AuditEntry tells of one call: who made it, by what that is known, and what came of
// it. It holds names and ids, never an input.
type AuditEntry struct {
	N      int64    `json:"n"` // counts up from 1, without gaps
	At     Time     `json:"at"`
	Tool   string   `json:"tool"`
	Effect Effect   `json:"effect"`
	Caller string   `json:"caller"` // person:owner:cli, thread:<id>, …
	Proof  string   `json:"proof"`  // what the caller's claim rests on
	Level  string   `json:"level"`  // how well a person could be told from an agent
	Thread ThreadID `json:"thread"` // that it was about, or empty
	About  string   `json:"about"`  // the other things it named: ask 5c18722d
	Result string   `json:"result"` // done, or a code of the catalogue
	Count  int64    `json:"count"`  // of refusals alike within a minute; else 1
}

// Event tells of a refusal.
func (e AuditEntry) Event() CallRefused {
	return CallRefused{Tool: e.Tool, Caller: e.Caller, Level: e.Level, Code: e.Result, About: e.About, Count: e.Count}
}

// auditKey finds the note of a call in its context.
type auditKey struct{}

// AuditNote is an entry that waits to be written. The first commit that the call makes
// takes it along, so that what was done and who did it are on disk at one moment.
type AuditNote struct {
	Entry AuditEntry
	taken atomic.Bool
}

// WithAudit returns a context that carries the note.
func WithAudit(ctx context.Context, n *AuditNote) context.Context {
	return context.WithValue(ctx, auditKey{}, n)
}

// AuditOf returns the note of a call, or nil.
func AuditOf(ctx context.Context) *AuditNote {
	n, _ := ctx.Value(auditKey{}).(*AuditNote)
	return n
}

// Take claims the note for a commit; false when it is nil or somebody has it.
func (n *AuditNote) Take() bool { return n != nil && n.taken.CompareAndSwap(false, true) }

// Leave gives a note back whose commit failed.
func (n *AuditNote) Leave() { n.taken.Store(false) }
