package agent

import "context"

// Historian is a Provider that can say what its own history holds of a
// conversation, without starting the agent. It matters after an agent was
// killed early: what can't be resumed must be begun, and under which id.
type Historian interface {
	// History looks for o.NativeID. Errors are *vyre.Error: unavailable where the
	// history can't be read.
	History(ctx context.Context, o Options) (History, error)
}

// History is how a conversation's id stands at its provider.
type History string

// The states of a conversation's history.
const (
	HistoryNone      History = "none"      // the id is free: start with it, Resume false
	HistoryResumable History = "resumable" // start with Resume true
	HistoryBroken    History = "broken"    // the id is taken, and nothing to resume: start with a new one
)
