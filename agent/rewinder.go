package agent

import (
	"context"

	"vyre"
)

// Rewinder is a Provider whose conversations can go back before a message, by a
// new process that resumes or forks them up to a row (Options.ResumeAt).
//
// Where the agent writes nothing until the first new message, a cut is forgotten by
// a process that ends before it. So whoever goes back keeps the row and gives it at
// every start, until the history holds the first new message. The clean way is a
// fork under an id of its own: Historian.History of that id says it all (none: fork
// again at the row; resumable: resume without it), and the old conversation stays.
// Files are put back (RewindFiles) in the old conversation, before it is left.
type Rewinder interface {
	// Before returns the row of o.NativeID's history that a conversation which never
	// got the message ends with; "" if the message was its first. With no message it
	// is the row that the conversation ends with now. Errors are
	// *vyre.Error: not_found for a message that the history does not have, conflict
	// for one before which it can't go back (it was compacted away).
	Before(ctx context.Context, o Options, id vyre.MessageID) (row string, err error)
}
