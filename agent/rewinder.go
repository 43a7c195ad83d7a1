package agent

import (
	"context"

	"vyre"
)

// Rewinder is a Provider whose conversations can go back before a message, by a
// new process that resumes or forks them up to a row (Options.ResumeAt).
type Rewinder interface {
	// Before returns the row of o.NativeID's history that a conversation which never
	// got the message ends with; "" if the message was its first. Errors are
	// *vyre.Error: not_found for a message that the history does not have, conflict
	// for one before which it can't go back (it was compacted away).
	Before(ctx context.Context, o Options, id vyre.MessageID) (row string, err error)
}
