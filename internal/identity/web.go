package identity

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"vyre"
)

// CodeLife is how long a one-time code works, SessionLife how long a session does.
const (
	CodeLife    = 10 * time.Minute
	SessionLife = 90 * 24 * time.Hour
)

// Bounds on guessing.
const (
	maxWrong    = 10
	wrongWindow = time.Minute
)

// WebStore keeps hashes of codes and sessions. internal/store/sqlite implements
// it; errors are *vyre.Error.
type WebStore interface {
	PutCode(ctx context.Context, hash []byte, expires vyre.Time) error
	// TakeCode removes a code and reports whether it was there and expires after now
	// and no later than latest: of two that try at once, one gets it.
	TakeCode(ctx context.Context, hash []byte, now, latest vyre.Time) (bool, error)
	// Commit keeps and removes sessions, with the events that tell of it.
	Commit(ctx context.Context, c *vyre.Commit) error
	// SignIn finds a session that was made after old by the hash of its cookie.
	SignIn(ctx context.Context, hash []byte, old vyre.Time) (vyre.SignIn, bool, error)
	SignIns(ctx context.Context, old vyre.Time) ([]vyre.SignIn, error)
	RestSignIn(ctx context.Context, id vyre.SignInID, key vyre.PasskeyID) error
	SeeSignIn(ctx context.Context, id vyre.SignInID, at vyre.Time) error
	DropSignIns(ctx context.Context, old vyre.Time) error
}

// Web signs people in to the page.
type Web struct {
	store WebStore
	now   func() time.Time
	level func() string
	held  requests

	mu    sync.Mutex
	wrong []time.Time // when wrong codes were tried, oldest first; guarded by mu
}

// NewWeb returns a Web. Now is the clock; level is what its callers' Level says
// (Peers.Level), nil for none.
func NewWeb(store WebStore, now func() time.Time, level func() string) *Web {
	if level == nil {
		level = func() string { return "" }
	}
	return &Web{store: store, now: now, level: level}
}

// NewCode makes a one-time code. Whoever holds it can sign in as the person: it
// is given to a person only, and never to a log.
func (w *Web) NewCode(ctx context.Context) (code string, expires vyre.Time, err error) {
	code, expires = vyre.NewSecret(), vyre.At(w.now().Add(CodeLife))
	return code, expires, w.store.PutCode(ctx, hash(code), expires)
}

// SignIn trades a code for the secrets of a new session. Errors: unauthenticated
// for a code that is wrong, used or too old; busy for such a one after ten of them
// within a minute. A good code works also then: who guesses must not lock the
// person out.
func (w *Web) SignIn(ctx context.Context, code string, at Place) (Secrets, error) {
	now := w.now()
	// One that would live much longer than any code does was made before the clock
	// was put back: how old it is nobody knows.
	ok, err := w.store.TakeCode(ctx, hash(code), vyre.At(now), vyre.At(now.Add(2*CodeLife)))
	if err != nil {
		return Secrets{}, err
	}
	if !ok {
		return Secrets{}, w.Wrong(vyre.Errorf(vyre.CodeUnauthenticated, "this code is wrong, was used, or is older than ten minutes").
			WithHint("Run `vyre open` again: each address works once."))
	}
	return w.Begin(ctx, "code", "", at)
}

// Wrong counts a try to get in that was no good and returns what is answered to
// it: err, or busy after ten of them within a minute.
func (w *Web) Wrong(err error) error {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.wrong) > 0 && now.Sub(w.wrong[0]) >= wrongWindow {
		w.wrong = w.wrong[1:]
	}
	if len(w.wrong) >= maxWrong {
		wait := wrongWindow - now.Sub(w.wrong[0])
		return vyre.Errorf(vyre.CodeBusy, "too many wrong codes were tried").
			WithHint("Use a fresh address from `vyre open`.").
			WithDetail("retry_after_seconds", int(wait/time.Second)+1)
	}
	w.wrong = append(w.wrong, now)
	return err
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
