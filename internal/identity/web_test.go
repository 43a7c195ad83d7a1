package identity

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vyre"
)

// shelf keeps hashes in memory, under the contract of WebStore.
type shelf struct {
	mu       sync.Mutex
	codes    map[string]vyre.Time
	sessions map[string]kept
}

type kept struct {
	person  string
	proof   []byte
	created vyre.Time
}

func newShelf() *shelf {
	return &shelf{codes: map[string]vyre.Time{}, sessions: map[string]kept{}}
}

func (s *shelf) PutCode(_ context.Context, hash []byte, expires vyre.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[string(hash)] = expires
	return nil
}

func (s *shelf) TakeCode(_ context.Context, hash []byte, now, latest vyre.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	expires, ok := s.codes[string(hash)]
	delete(s.codes, string(hash))
	return ok && now < expires && expires <= latest, nil
}

func (s *shelf) PutWebSession(_ context.Context, hash, proof []byte, person, _ string, created, old vyre.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.sessions, func(_ string, v kept) bool { return v.created <= old })
	s.sessions[string(hash)] = kept{person, proof, created}
	return nil
}

func (s *shelf) WebSession(_ context.Context, hash []byte, old vyre.Time) (string, []byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.sessions[string(hash)]
	return v.person, v.proof, ok && v.created > old, nil
}

func (s *shelf) DeleteWebSession(_ context.Context, hash []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, string(hash))
	return nil
}

func want(t *testing.T, err error, code vyre.Code) {
	t.Helper()
	if vyre.CodeOf(err) != code {
		t.Fatalf("got %v, want %q", err, code)
	}
}

// A code signs in once, also when many try it at once, and only its hash and
// the session's are kept.
func TestCodeWorksOnce(t *testing.T) {
	s := newShelf()
	w := NewWeb(s, time.Now, func() string { return "L2" })
	code, _, err := w.NewCode(t.Context())
	want(t, err, "")
	var good atomic.Int32
	var secrets atomic.Value
	var wg sync.WaitGroup
	for range 8 { // fewer than the bound on wrong ones
		wg.Go(func() {
			if got, err := w.SignIn(t.Context(), code, "test"); err == nil {
				good.Add(1)
				secrets.Store(got)
			}
		})
	}
	wg.Wait()
	if good.Load() != 1 {
		t.Fatalf("%d signed in with one code", good.Load())
	}
	both := secrets.Load().(Secrets)
	c, err := w.Caller(t.Context(), both)
	want(t, err, "")
	if c.String() != "person:owner:web" || c.Proof != "session" || c.Level != "L2" {
		t.Errorf("got %+v", c)
	}
	for h, v := range s.sessions {
		if len(h) != 32 || len(v.proof) != 32 || bytes.Contains([]byte(h), []byte(both.Cookie)) || bytes.Contains(v.proof, []byte(both.Proof)) {
			t.Error("a secret itself is kept")
		}
	}
	want(t, w.SignOut(t.Context(), both), "")
	_, err = w.Caller(t.Context(), both)
	want(t, err, vyre.CodeUnauthenticated)
}

// Neither secret of a session is worth anything without the other: not alone,
// not twice, not with another session's.
func TestBothSecretsAreNeeded(t *testing.T) {
	w := NewWeb(newShelf(), time.Now, nil)
	var made [2]Secrets
	for i := range made {
		code, _, err := w.NewCode(t.Context())
		want(t, err, "")
		made[i], err = w.SignIn(t.Context(), code, "")
		want(t, err, "")
	}
	one, two := made[0], made[1]
	for _, s := range []Secrets{
		{},
		{Cookie: one.Cookie},
		{Proof: one.Proof},
		{one.Cookie, one.Cookie},
		{one.Proof, one.Proof},
		{one.Proof, one.Cookie},
		{one.Cookie, two.Proof},
		{two.Cookie, one.Proof},
	} {
		_, err := w.Caller(t.Context(), s)
		want(t, err, vyre.CodeUnauthenticated)
		want(t, w.SignOut(t.Context(), s), vyre.CodeUnauthenticated)
	}
	for _, s := range made {
		_, err := w.Caller(t.Context(), s)
		want(t, err, "")
	}
}

// A session works for ninety days and not a moment longer, and the next sign-in
// drops what is left of it.
func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		w := NewWeb(s, time.Now, nil)
		signIn := func() Secrets {
			code, _, err := w.NewCode(t.Context())
			want(t, err, "")
			got, err := w.SignIn(t.Context(), code, "")
			want(t, err, "")
			return got
		}
		first := signIn()
		time.Sleep(SessionLife - time.Millisecond)
		_, err := w.Caller(t.Context(), first)
		want(t, err, "")
		time.Sleep(time.Millisecond)
		_, err = w.Caller(t.Context(), first)
		want(t, err, vyre.CodeUnauthenticated)
		signIn()
		if len(s.sessions) != 1 {
			t.Errorf("%d sessions are kept", len(s.sessions))
		}
	})
}

// A code works for ten minutes and not a moment longer.
func TestCodeExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWeb(newShelf(), time.Now, nil)
		early, _, err := w.NewCode(t.Context())
		want(t, err, "")
		late, _, err := w.NewCode(t.Context())
		want(t, err, "")
		time.Sleep(CodeLife - time.Millisecond)
		_, err = w.SignIn(t.Context(), early, "")
		want(t, err, "")
		time.Sleep(time.Millisecond)
		_, err = w.SignIn(t.Context(), late, "")
		want(t, err, vyre.CodeUnauthenticated)
	})
}

// After ten wrong codes within a minute further wrong ones are refused as busy
// until the minute is over, and a right one works all the same.
func TestWrongCodesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWeb(newShelf(), time.Now, nil)
		code, _, err := w.NewCode(t.Context())
		want(t, err, "")
		for range maxWrong {
			_, err := w.SignIn(t.Context(), "guess", "")
			want(t, err, vyre.CodeUnauthenticated)
			time.Sleep(time.Second)
		}
		_, err = w.SignIn(t.Context(), "guess", "")
		want(t, err, vyre.CodeBusy)
		_, err = w.SignIn(t.Context(), code, "")
		want(t, err, "")
		_, err = w.SignIn(t.Context(), code, "")
		want(t, err, vyre.CodeBusy)
		time.Sleep(wrongWindow)
		_, err = w.SignIn(t.Context(), "guess", "")
		want(t, err, vyre.CodeUnauthenticated)
	})
}

// A clock that is put back does not make an old code live for years, one that is put
// forward ends it, and a step of a second does nothing.
func TestCodeIsNotFooledByTheClock(t *testing.T) {
	for jump, code := range map[time.Duration]vyre.Code{
		-10 * 365 * 24 * time.Hour: vyre.CodeUnauthenticated, 10 * 365 * 24 * time.Hour: vyre.CodeUnauthenticated, -time.Second: "",
	} {
		now := time.Now()
		w := NewWeb(newShelf(), func() time.Time { return now }, nil)
		c, _, err := w.NewCode(t.Context())
		want(t, err, "")
		now = now.Add(jump)
		_, err = w.SignIn(t.Context(), c, "")
		want(t, err, code)
	}
}
