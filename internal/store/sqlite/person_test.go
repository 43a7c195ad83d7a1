package sqlite

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestSignIns(t *testing.T) {
	// A page's session is found by its cookie's hash alone, with the hash of its
	// proof, until it is removed or too old; what is noted of it brings none back.
	db := openRunning(t, Options{})
	proof := bytes.Repeat([]byte{7}, 32)
	put := func(id vyre.SignInID, hash []byte, created vyre.Time) error {
		return db.Commit(t.Context(), &vyre.Commit{Durable: true, SignIns: []vyre.SignIn{{
			ID: id, Hash: hash, Proof: proof, Person: vyre.Owner, Name: "phone", Site: "s", By: "code", Created: created, Seen: created,
		}}})
	}
	find := func(hash []byte, old vyre.Time) bool {
		t.Helper()
		s, ok, err := db.SignIn(t.Context(), hash, old)
		if err != nil || ok && (s.Person != vyre.Owner || !bytes.Equal(s.Proof, proof) || s.Site != "s") {
			t.Errorf("%+v %v", s, err)
		}
		return ok
	}
	must(t, put("a", []byte{0, 1}, 5))
	if !find([]byte{0, 1}, 4) || find([]byte{0, 1}, 5) || find([]byte{0}, 4) || find(proof, 4) {
		t.Error("found by another hash, or at another age")
	}
	must(t, put("b", []byte{0, 2}, 6))
	must(t, db.SeeSignIn(t.Context(), "b", 9))
	must(t, db.RestSignIn(t.Context(), "b", "k1"))
	if list, err := db.SignIns(t.Context(), 0); err != nil || len(list) != 2 || list[0].ID != "b" || list[0].Seen != 9 || list[0].Passkey != "k1" {
		t.Errorf("%+v, %v", list, err)
	}
	must(t, db.DropSignIns(t.Context(), 5))
	if find([]byte{0, 1}, 0) {
		t.Error("an old session's row is still there")
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, SignOuts: []vyre.SignInID{"b"}}))
	must(t, db.SeeSignIn(t.Context(), "b", 10))
	must(t, db.RestSignIn(t.Context(), "b", "k2"))
	if find([]byte{0, 2}, 0) {
		t.Error("found though removed")
	}
}

func TestPasskeys(t *testing.T) {
	// A passkey is kept as it was enrolled; a touch, another name and its end change
	// that alone, and once it is revoked nothing brings it back.
	db := openRunning(t, Options{})
	p := vyre.Passkey{
		ID: "k1", Person: vyre.Owner, Name: "laptop", Site: "localhost", Handle: []byte{1}, Credential: []byte{2, 0},
		Record: []byte("{}"), Created: 5,
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Passkeys: []vyre.Passkey{p}}))
	two := p
	two.ID = "k2"
	if err := db.Commit(t.Context(), &vyre.Commit{Durable: true, Passkeys: []vyre.Passkey{two}}); err == nil {
		t.Error("one credential was kept twice")
	}
	ev := vyre.NewEvent("", "", vyre.PasskeyChanged{Passkey: "k1"})
	must(t, db.UsePasskey(t.Context(), "k1", []byte("{1}"), 7))
	must(t, db.RenamePasskey(t.Context(), "k1", "desk", ev))
	must(t, db.RevokePasskey(t.Context(), "k1", 8, "person:owner:web", ev))
	p.Name, p.Record, p.Used, p.Revoked, p.RevokedBy = "desk", []byte("{1}"), 7, 8, "person:owner:web"
	for what, err := range map[string]error{
		"used": db.UsePasskey(t.Context(), "k1", []byte("{2}"), 9), "renamed": db.RenamePasskey(t.Context(), "k1", "x", ev),
		"revoked": db.RevokePasskey(t.Context(), "k1", 10, "x", ev), "unknown": db.UsePasskey(t.Context(), "k3", nil, 9),
	} {
		if vyre.CodeOf(err) != vyre.CodeNotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Nor does a session stand on it, whenever it was made.
	for _, key := range []vyre.PasskeyID{"k1", "never", ""} {
		must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, SignIns: []vyre.SignIn{{
			ID: "s" + vyre.SignInID(key), Hash: []byte("h" + key), Proof: bytes.Repeat([]byte{7}, 32), Person: vyre.Owner, By: "passkey", Passkey: key, Created: 9, Seen: 9,
		}}}))
		if _, ok, err := db.SignIn(t.Context(), []byte("h"+key), 0); err != nil || ok != (key == "") {
			t.Errorf("on the passkey %q: %v %v", key, ok, err)
		}
	}
	got, err := db.Passkeys(t.Context())
	if d := cmp.Diff([]vyre.Passkey{p}, got); err != nil || d != "" {
		t.Error(err, d)
	}
}
