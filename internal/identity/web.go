package identity

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"vyre"
)

// CodeLife is how long a one-time code works.
const CodeLife = 10 * time.Minute

// Bounds on guessing.
const (
	maxWrong    = 10
	wrongWindow = time.Minute
)

// WebStore keeps hashes of codes and sessions. internal/store/sqlite implements
// it; errors are *vyre.Error.
type WebStore interface {
	PutCode(ctx context.Context, hash []byte, expires vyre.Time) error
	// TakeCode removes a code and reports whether it was there and good at now:
	// of two that try at once, one gets it.
	TakeCode(ctx context.Context, hash []byte, now vyre.Time) (bool, error)
	PutWebSession(ctx context.Context, hash []byte, person, name string, created vyre.Time) error
	WebSession(ctx context.Context, hash []byte) (person string, ok bool, err error)
	DeleteWebSession(ctx context.Context, hash []byte) error
}

// Web signs people in to the page.
type Web struct {
	store WebStore
	now   func() time.Time
	level func() string

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

// SignIn trades a code for the secret of a new session. Name says where it was
// made, for the person who lists them. Errors: unauthenticated for a code that
// is wrong, used or too old; busy after ten wrong ones within a minute.
func (w *Web) SignIn(ctx context.Context, code, name string) (secret string, err error) {
	if wait := w.blocked(); wait > 0 {
		return "", vyre.Errorf(vyre.CodeBusy, "too many wrong codes were tried").
			WithHint("Wait a minute, then use a fresh address from `vyre open`.").
			WithDetail("retry_after_seconds", int(wait/time.Second)+1)
	}
	ok, err := w.store.TakeCode(ctx, hash(code), vyre.At(w.now()))
	if err != nil {
		return "", err
	}
	if !ok {
		w.countWrong()
		return "", vyre.Errorf(vyre.CodeUnauthenticated, "this code is wrong, was used, or is older than ten minutes").
			WithHint("Run `vyre open` again: each address works once.")
	}
	secret = vyre.NewSecret()
	return secret, w.store.PutWebSession(ctx, hash(secret), vyre.Owner, name, vyre.At(w.now()))
}

// Caller returns the person whose session a secret is. Unauthenticated if it is
// of none (any more).
func (w *Web) Caller(ctx context.Context, secret string) (vyre.Caller, error) {
	person, ok, err := w.store.WebSession(ctx, hash(secret))
	if err != nil {
		return vyre.Caller{}, err
	}
	if !ok {
		return vyre.Caller{}, vyre.Errorf(vyre.CodeUnauthenticated, "this page is not signed in")
	}
	c := vyre.Person(person, "web")
	c.Proof, c.Level = "session", w.level()
	return c, nil
}

// SignOut ends a session. One that isn't there is fine.
func (w *Web) SignOut(ctx context.Context, secret string) error {
	return w.store.DeleteWebSession(ctx, hash(secret))
}

// blocked says how long no code is looked at.
func (w *Web) blocked() time.Duration {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.wrong) > 0 && now.Sub(w.wrong[0]) >= wrongWindow {
		w.wrong = w.wrong[1:]
	}
	if len(w.wrong) < maxWrong {
		return 0
	}
	return wrongWindow - now.Sub(w.wrong[0])
}

func (w *Web) countWrong() {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong = append(w.wrong, now); len(w.wrong) > maxWrong {
		w.wrong = w.wrong[1:]
	}
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
