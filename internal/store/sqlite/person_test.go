package sqlite

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"vyre"
)

func TestCodeIsTakenOnce(t *testing.T) {
	// A sign-in code is good once and until it expires, whoever comes how often.
	db := openRunning(t, Options{})
	must(t, db.PutCode(t.Context(), []byte("h"), 100))
	must(t, db.PutCode(t.Context(), []byte("late"), 100))
	var good atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ok, err := db.TakeCode(t.Context(), []byte("h"), 99, 1000)
			if err != nil {
				t.Error(err)
			}
			if ok {
				good.Add(1)
			}
		})
	}
	wg.Wait()
	if good.Load() != 1 {
		t.Errorf("good %d times", good.Load())
	}
	for _, h := range []string{"late", "never"} {
		if ok, err := db.TakeCode(t.Context(), []byte(h), 100, 1000); ok || err != nil {
			t.Errorf("%s: %v %v", h, ok, err)
		}
	}
}

func TestWebSessions(t *testing.T) {
	// A page's session is found by its cookie's hash alone, with the hash of its
	// proof, until it is deleted or too old.
	db := openRunning(t, Options{})
	proof := bytes.Repeat([]byte{7}, 32)
	find := func(hash []byte, old vyre.Time) bool {
		t.Helper()
		p, got, ok, err := db.WebSession(t.Context(), hash, old)
		if err != nil || ok && (p != vyre.Owner || !bytes.Equal(got, proof)) {
			t.Errorf("%q %v %v", p, got, err)
		}
		return ok
	}
	must(t, db.PutWebSession(t.Context(), []byte{0, 1}, proof, vyre.Owner, "phone", 5, 0))
	if !find([]byte{0, 1}, 4) || find([]byte{0, 1}, 5) || find([]byte{0}, 4) || find(proof, 4) {
		t.Error("found by another hash, or at another age")
	}
	if err := db.PutWebSession(t.Context(), []byte{9}, nil, vyre.Owner, "phone", 5, 0); err == nil {
		t.Error("a session without a proof was kept")
	}
	must(t, db.PutWebSession(t.Context(), []byte{0, 2}, proof, vyre.Owner, "phone", 6, 5))
	if find([]byte{0, 1}, 0) {
		t.Error("an old session's row is still there")
	}
	must(t, db.DeleteWebSession(t.Context(), []byte{0, 2}))
	if find([]byte{0, 2}, 0) {
		t.Error("found though deleted")
	}
}
