package sqlite

import (
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
			ok, err := db.TakeCode(t.Context(), []byte("h"), 99)
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
		if ok, err := db.TakeCode(t.Context(), []byte(h), 100); ok || err != nil {
			t.Errorf("%s: %v %v", h, ok, err)
		}
	}
}

func TestWebSessions(t *testing.T) {
	// A page's session is found by its hash alone until it is deleted.
	db := openRunning(t, Options{})
	must(t, db.PutWebSession(t.Context(), []byte{0, 1}, vyre.Owner, "phone", 5))
	if p, ok, err := db.WebSession(t.Context(), []byte{0, 1}); err != nil || !ok || p != vyre.Owner {
		t.Errorf("%q %v %v", p, ok, err)
	}
	if _, ok, err := db.WebSession(t.Context(), []byte{0}); ok || err != nil {
		t.Errorf("another hash: %v %v", ok, err)
	}
	must(t, db.DeleteWebSession(t.Context(), []byte{0, 1}))
	if _, ok, err := db.WebSession(t.Context(), []byte{0, 1}); ok || err != nil {
		t.Errorf("deleted: %v %v", ok, err)
	}
}

func TestVaultKeepsCiphertext(t *testing.T) {
	// A vault item is put, put again, read, listed by name and deleted; what is not
	// there is not_found.
	db := openRunning(t, Options{})
	write := func(name string, sealed []byte, at vyre.Time) error {
		return db.Commit(t.Context(), &vyre.Commit{Durable: true, Vault: &vyre.VaultWrite{Name: name, Sealed: sealed, At: at}})
	}
	must(t, write("b", []byte{0, 255}, 1))
	must(t, write("a", []byte("x"), 2))
	must(t, write("b", []byte{1}, 3))
	if got, err := db.VaultGet(t.Context(), "b"); err != nil || string(got) != "\x01" {
		t.Errorf("%v %v", got, err)
	}
	must(t, write("a", nil, 4))
	if list, err := db.VaultList(t.Context()); err != nil || len(list) != 1 || list[0] != (VaultItem{"b", 3}) {
		t.Errorf("%v %v", list, err)
	}
	if _, err := db.VaultGet(t.Context(), "a"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("deleted: %v", err)
	}
	if err := write("a", nil, 5); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}
