package agent

import "context"

// Forgetter is a Provider that can remove its own history of a conversation.
type Forgetter interface {
	// Forget removes the history of o.NativeID and returns the files and folders that
	// it was, absolute. With dry it removes nothing. None is no error.
	Forget(ctx context.Context, o Options, dry bool) (paths []string, err error)
}
