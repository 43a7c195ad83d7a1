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
	sessions map[vyre.SignInID]vyre.SignIn
	events   []vyre.Event
}

func newShelf() *shelf {
	return &shelf{codes: map[string]vyre.Time{}, sessions: map[vyre.SignInID]vyre.SignIn{}}
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

func (s *shelf) Commit(_ context.Context, c *vyre.Commit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range c.SignIns {
		s.sessions[x.ID] = x
	}
	for _, id := range c.SignOuts {
		delete(s.sessions, id)
	}
	s.events = append(s.events, c.Events...)
	return nil
}

func (s *shelf) SignIn(ctx context.Context, hash []byte, old vyre.Time) (vyre.SignIn, bool, error) {
	list, _ := s.SignIns(ctx, old)
	for _, x := range list {
		if bytes.Equal(x.Hash, hash) {
			return x, true, nil
		}
	}
	return vyre.SignIn{}, false, nil
}

func (s *shelf) SignIns(_ context.Context, old vyre.Time) (list []vyre.SignIn, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.sessions {
		if x.Created > old {
			list = append(list, x)
		}
	}
	return list, nil
}

func (s *shelf) change(id vyre.SignInID, f func(*vyre.SignIn)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x, ok := s.sessions[id]; ok {
		f(&x)
		s.sessions[id] = x
	}
	return nil
}

func (s *shelf) SeeSignIn(_ context.Context, id vyre.SignInID, at vyre.Time) error {
	return s.change(id, func(x *vyre.SignIn) { x.Seen = at })
}

func (s *shelf) RestSignIn(_ context.Context, id vyre.SignInID, key vyre.PasskeyID) error {
	return s.change(id, func(x *vyre.SignIn) { x.Passkey = key })
}

func (s *shelf) DropSignIns(_ context.Context, old vyre.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.sessions, func(_ vyre.SignInID, x vyre.SignIn) bool { return x.Created <= old })
	return nil
}

const site = "http://localhost:7797"

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
			if got, err := w.SignIn(t.Context(), code, Place{"test", site}); err == nil {
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
	c, err := w.Caller(t.Context(), both, site)
	want(t, err, "")
	if c.String() != "person:owner:web" || c.Proof != "session" || c.Level != "L2" {
		t.Errorf("got %+v", c)
	}
	for _, v := range s.sessions {
		if len(v.Hash) != 32 || len(v.Proof) != 32 || bytes.Contains(v.Hash, []byte(both.Cookie)) || bytes.Contains(v.Proof, []byte(both.Proof)) {
			t.Error("a secret itself is kept")
		}
	}
	want(t, w.SignOut(t.Context(), both), "")
	_, err = w.Caller(t.Context(), both, site)
	want(t, err, vyre.CodeUnauthenticated)
}

// A session is of the address that it was made on.
func TestSessionIsOfItsSite(t *testing.T) {
	w := NewWeb(newShelf(), time.Now, nil)
	s, err := w.Begin(t.Context(), "passkey", "k1", Place{Site: site})
	want(t, err, "")
	_, err = w.Caller(t.Context(), s, "https://box.example")
	want(t, err, vyre.CodeUnauthenticated)
	_, err = w.Caller(t.Context(), s, site)
	want(t, err, "")
}

// What runs for a session ends with it, also what was let in just before, and what
// runs for others goes on; when a passkey goes, all that rests on it goes.
func TestEndCutsWhatRuns(t *testing.T) {
	s := newShelf()
	w := NewWeb(s, time.Now, nil)
	begin := func(key vyre.PasskeyID) vyre.Caller {
		secrets, err := w.Begin(t.Context(), "passkey", key, Place{Site: site})
		want(t, err, "")
		c, err := w.Caller(t.Context(), secrets, site)
		want(t, err, "")
		return c
	}
	one, two, other := begin("k1"), begin("k1"), begin("k2")
	ended := func(c vyre.Caller) (context.Context, func()) { return w.Hold(t.Context(), c) }
	a, done := ended(one)
	defer done()
	b, done := ended(two)
	defer done()
	c, done := ended(other)
	defer done()
	want(t, w.End(t.Context(), one.Session, vyre.Person(vyre.Owner, "cli")), "")
	if a.Err() == nil || b.Err() != nil || c.Err() != nil {
		t.Errorf("after one was ended: %v %v %v", a.Err(), b.Err(), c.Err())
	}
	late, done := ended(one)
	defer done()
	if late.Err() == nil {
		t.Error("a request of an ended session goes on")
	}
	want(t, w.EndOf(t.Context(), "k1", vyre.Person(vyre.Owner, "web")), "")
	if b.Err() == nil || c.Err() != nil {
		t.Errorf("after the passkey went: %v %v", b.Err(), c.Err())
	}
	want(t, w.End(t.Context(), one.Session, vyre.Person(vyre.Owner, "cli")), vyre.CodeNotFound)
	if n := len(s.events); n != 5 { // three began, two ended
		t.Errorf("%d events", n)
	}
}

// Neither secret of a session is worth anything without the other: not alone,
// not twice, not with another session's.
func TestBothSecretsAreNeeded(t *testing.T) {
	w := NewWeb(newShelf(), time.Now, nil)
	var made [2]Secrets
	for i := range made {
		code, _, err := w.NewCode(t.Context())
		want(t, err, "")
		made[i], err = w.SignIn(t.Context(), code, Place{Site: site})
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
		_, err := w.Caller(t.Context(), s, site)
		want(t, err, vyre.CodeUnauthenticated)
		want(t, w.SignOut(t.Context(), s), vyre.CodeUnauthenticated)
	}
	for _, s := range made {
		_, err := w.Caller(t.Context(), s, site)
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
			got, err := w.SignIn(t.Context(), code, Place{Site: site})
			want(t, err, "")
			return got
		}
		first := signIn()
		time.Sleep(SessionLife - time.Millisecond)
		_, err := w.Caller(t.Context(), first, site)
		want(t, err, "")
		time.Sleep(time.Millisecond)
		_, err = w.Caller(t.Context(), first, site)
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
		_, err = w.SignIn(t.Context(), early, Place{Site: site})
		want(t, err, "")
		time.Sleep(time.Millisecond)
		_, err = w.SignIn(t.Context(), late, Place{Site: site})
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
			_, err := w.SignIn(t.Context(), "guess", Place{Site: site})
			want(t, err, vyre.CodeUnauthenticated)
			time.Sleep(time.Second)
		}
		_, err = w.SignIn(t.Context(), "guess", Place{Site: site})
		want(t, err, vyre.CodeBusy)
		_, err = w.SignIn(t.Context(), code, Place{Site: site})
		want(t, err, "")
		_, err = w.SignIn(t.Context(), code, Place{Site: site})
		want(t, err, vyre.CodeBusy)
		time.Sleep(wrongWindow)
		_, err = w.SignIn(t.Context(), "guess", Place{Site: site})
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
		_, err = w.SignIn(t.Context(), c, Place{Site: site})
		want(t, err, code)
	}
}
