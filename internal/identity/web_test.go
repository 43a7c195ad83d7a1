package identity

import (
	"bytes"
	"context"
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
	sessions map[string]string
}

func newShelf() *shelf { return &shelf{codes: map[string]vyre.Time{}, sessions: map[string]string{}} }

func (s *shelf) PutCode(_ context.Context, hash []byte, expires vyre.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[string(hash)] = expires
	return nil
}

func (s *shelf) TakeCode(_ context.Context, hash []byte, now vyre.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	expires, ok := s.codes[string(hash)]
	delete(s.codes, string(hash))
	return ok && now < expires, nil
}

func (s *shelf) PutWebSession(_ context.Context, hash []byte, person, _ string, _ vyre.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[string(hash)] = person
	return nil
}

func (s *shelf) WebSession(_ context.Context, hash []byte) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.sessions[string(hash)]
	return p, ok, nil
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
	var secret atomic.Value
	var wg sync.WaitGroup
	for range 8 { // fewer than the bound on wrong ones
		wg.Go(func() {
			if got, err := w.SignIn(t.Context(), code, "test"); err == nil {
				good.Add(1)
				secret.Store(got)
			}
		})
	}
	wg.Wait()
	if good.Load() != 1 {
		t.Fatalf("%d signed in with one code", good.Load())
	}
	c, err := w.Caller(t.Context(), secret.Load().(string))
	want(t, err, "")
	if c.String() != "person:owner:web" || c.Proof != "session" || c.Level != "L2" {
		t.Errorf("got %+v", c)
	}
	for h := range s.sessions {
		if len(h) != 32 || bytes.Contains([]byte(h), []byte(secret.Load().(string))) {
			t.Error("the secret itself is kept")
		}
	}
	want(t, w.SignOut(t.Context(), secret.Load().(string)), "")
	_, err = w.Caller(t.Context(), secret.Load().(string))
	want(t, err, vyre.CodeUnauthenticated)
	_, err = w.Caller(t.Context(), "")
	want(t, err, vyre.CodeUnauthenticated)
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

// After ten wrong codes within a minute even a right one is refused as busy, and
// is good again when the minute is over.
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
		_, err = w.SignIn(t.Context(), code, "")
		want(t, err, vyre.CodeBusy)
		time.Sleep(wrongWindow)
		_, err = w.SignIn(t.Context(), code, "")
		want(t, err, "")
	})
}
