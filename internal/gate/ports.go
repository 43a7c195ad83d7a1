package gate

import (
	"context"

	"vyre"
	"vyre/internal/store/sqlite"
)

// Store keeps acts. internal/store/sqlite implements it.
type Store interface {
	Commit(ctx context.Context, c *vyre.Commit) error
	GateAct(ctx context.Context, id vyre.GateID) (vyre.GateAct, error)
	GateByKey(ctx context.Context, caller, key string) (vyre.GateAct, bool, error)
	GateLive(ctx context.Context) ([]vyre.GateAct, error)
	GateActs(ctx context.Context, q sqlite.GateQuery) ([]vyre.GateAct, error)
	Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error)
}

// Sender does the acts of one kind.
type Sender interface {
	// Prepare says what is wrong with an act that somebody asks for, and fills in what
	// must be known when it is approved. It sends nothing. Errors: invalid, naming the
	// field; not_found; unavailable.
	Prepare(ctx context.Context, a *vyre.GateAct) error
	// Send makes one attempt, under the key where the act is idempotent. It returns when
	// the attempt is over or ctx is; it retries nothing.
	Send(ctx context.Context, a vyre.GateAct, key string) Result
	// Label is the target as an event may hold it, without what may be a secret.
	Label(a vyre.GateAct) string
	// Warn says what a person should know before he approves, in words.
	Warn(a vyre.GateAct) []string
}

// End is how an attempt ended.
type End int

// The ends of an attempt.
const (
	Lost    End = iota // it may have been done; the zero value, so that nothing is taken for more
	Done               // the other side said that it did it
	Refused            // the other side said that it did not, and will not
	Unsent             // nothing went out
)

// Result is how an attempt ended, with what can be told of it.
type Result struct {
	End    End
	Status int    // the HTTP status, or git's exit code; 0: none
	Why    string // words for people
	Answer []byte // what the other side said, cut
}

// Secrets finds values of the vault in what would go out. internal/redact implements it.
type Secrets interface{ Has(b []byte) bool }
