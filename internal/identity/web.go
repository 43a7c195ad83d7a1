package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
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
	// PutWebSession keeps a session under the hash of its cookie, and drops those
	// that were made at or before old.
	PutWebSession(ctx context.Context, hash, proof []byte, person, name string, created, old vyre.Time) error
	// WebSession finds a session that was made after old by the hash of its cookie.
	WebSession(ctx context.Context, hash []byte, old vyre.Time) (person string, proof []byte, ok bool, err error)
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

// Secrets are the two halves of a session, 32 random bytes each. A browser sends
// a cookie to every port of its host, so any server on this machine may get to
// see it; the proof is kept by the page, for its own origin alone. Neither is
// worth anything without the other.
type Secrets struct {
	Cookie string
	Proof  string
}

// NewCode makes a one-time code. Whoever holds it can sign in as the person: it
// is given to a person only, and never to a log.
func (w *Web) NewCode(ctx context.Context) (code string, expires vyre.Time, err error) {
	code, expires = vyre.NewSecret(), vyre.At(w.now().Add(CodeLife))
	return code, expires, w.store.PutCode(ctx, hash(code), expires)
}

// SignIn trades a code for the secrets of a new session. Name says where it was
// made, for the person who lists them. Errors: unauthenticated for a code that
// is wrong, used or too old; busy for such a one after ten of them within a
// minute. A good code works also then: who guesses must not lock the person out.
func (w *Web) SignIn(ctx context.Context, code, name string) (Secrets, error) {
	now := w.now()
	// One that would live much longer than any code does was made before the clock
	// was put back: how old it is nobody knows.
	ok, err := w.store.TakeCode(ctx, hash(code), vyre.At(now), vyre.At(now.Add(2*CodeLife)))
	if err != nil {
		return Secrets{}, err
	}
	if !ok {
		return Secrets{}, w.wrongCode(now)
	}
	s := Secrets{Cookie: vyre.NewSecret(), Proof: vyre.NewSecret()}
	err = w.store.PutWebSession(ctx, hash(s.Cookie), hash(s.Proof), vyre.Owner, name, vyre.At(now), vyre.At(now.Add(-SessionLife)))
	if err != nil {
		return Secrets{}, err
	}
	return s, nil
}

// Caller returns the person whose session both secrets are of. Unauthenticated
// if there is none (any more).
func (w *Web) Caller(ctx context.Context, s Secrets) (vyre.Caller, error) {
	person, proof, ok, err := w.store.WebSession(ctx, hash(s.Cookie), vyre.At(w.now().Add(-SessionLife)))
	if err != nil {
		return vyre.Caller{}, err
	}
	if !ok || subtle.ConstantTimeCompare(proof, hash(s.Proof)) != 1 {
		return vyre.Caller{}, vyre.Errorf(vyre.CodeUnauthenticated, "this page is not signed in")
	}
	c := vyre.Person(person, "web")
	c.Proof, c.Level = "session", w.level()
	return c, nil
}

// SignOut ends a session. It takes both secrets, as Caller does: one that isn't
// there is unauthenticated.
func (w *Web) SignOut(ctx context.Context, s Secrets) error {
	if _, err := w.Caller(ctx, s); err != nil {
		return err
	}
	return w.store.DeleteWebSession(ctx, hash(s.Cookie))
}

// wrongCode counts a wrong code and says what is answered to it.
func (w *Web) wrongCode(now time.Time) error {
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
	return vyre.Errorf(vyre.CodeUnauthenticated, "this code is wrong, was used, or is older than ten minutes").
		WithHint("Run `vyre open` again: each address works once.")
}

func hash(secret string) []byte {
	h := sha256.Sum256([]byte(secret))
	return h[:]
}
