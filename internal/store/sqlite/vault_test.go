package sqlite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

// putItem writes a version of an item.
func putItem(t *testing.T, db *DB, name string, version int, sealed []byte, at vyre.Time) error {
	t.Helper()
	return db.Commit(t.Context(), &vyre.Commit{Durable: true, Vault: &vyre.VaultWrite{Name: name, Version: version, Sealed: sealed, At: at}})
}

func TestVaultKeepsCiphertext(t *testing.T) {
	// A vault item is put, put again, read, listed by name and deleted; what is not
	// there is not_found, and a write over what it does not know a conflict.
	db := openRunning(t, Options{})
	must(t, putItem(t, db, "b", 1, []byte{0, 255}, 1))
	must(t, putItem(t, db, "a", 1, []byte("x"), 2))
	must(t, putItem(t, db, "b", 2, []byte{1}, 3))
	for _, version := range []int{1, 2, 4} {
		if err := putItem(t, db, "b", version, []byte{9}, 4); vyre.CodeOf(err) != vyre.CodeConflict && version != 2 || err == nil {
			t.Errorf("version %d over 2: %v", version, err)
		}
	}
	if got, version, err := db.VaultGet(t.Context(), "b"); err != nil || string(got) != "\x01" || version != 2 {
		t.Errorf("%v %d %v", got, version, err)
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Taken: &vyre.VaultUse{Name: "b", At: 9}}))
	must(t, putItem(t, db, "a", 0, nil, 4))
	want := []vyre.VaultItem{{Name: "b", Version: 2, Created: 1, Updated: 3, Used: 9}}
	if list, err := db.VaultList(t.Context()); err != nil || !cmp.Equal(list, want) {
		t.Errorf("%v %v", list, err)
	}
	if _, _, err := db.VaultGet(t.Context(), "a"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("deleted: %v", err)
	}
	if err := putItem(t, db, "a", 0, nil, 5); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("deleted twice: %v", err)
	}
}

func TestVaultKeepsEarlierVersions(t *testing.T) {
	// What an item had before stays sealed, a few versions back, until the item goes.
	db := openRunning(t, Options{})
	for v := 1; v <= 6; v++ {
		must(t, putItem(t, db, "a", v, []byte{byte(v)}, vyre.Time(v)))
	}
	versions := func() (got []int) {
		must(t, db.VaultVersions(t.Context(), "a", func(v int, sealed []byte) {
			if len(sealed) != 1 || int(sealed[0]) != v {
				t.Errorf("version %d is %v", v, sealed)
			}
			got = append(got, v)
		}))
		return got
	}
	if d := cmp.Diff([]int{6, 5, 4, 3}, versions()); d != "" {
		t.Error(d)
	}
	must(t, putItem(t, db, "a", 0, nil, 7))
	if got := versions(); len(got) > 0 {
		t.Errorf("of a deleted item: %v", got)
	}
}

func TestVaultHolders(t *testing.T) {
	// Grants go with their item, those of a thread with the thread; a request keeps its decision.
	db := openRunning(t, Options{})
	must(t, putItem(t, db, "a", 1, []byte("x"), 1))
	must(t, putItem(t, db, "b", 1, []byte("x"), 1))
	grant := func(name string, kind vyre.HolderKind, holder string) vyre.VaultGrant {
		return vyre.VaultGrant{Name: name, Kind: kind, Holder: holder, By: "p", Proof: "x", Level: "L2", Created: 2}
	}
	all := []vyre.VaultGrant{grant("a", "agent", "x"), grant("a", "thread", "t1"), grant("b", "thread", "t1"), grant("b", "thread", "t2")}
	must(t, db.Commit(t.Context(), &vyre.Commit{
		Threads: []vyre.Thread{{ID: "t1", Mode: "ask", State: "idle"}}, Holders: all,
		Requests: []vyre.VaultRequest{{ID: "r", Thread: "t1", Name: "c", Why: "w", State: vyre.VaultAsked, Created: 3}},
	}))
	if got, err := db.VaultGrants(t.Context(), ""); err != nil || !cmp.Equal(got, all) {
		t.Errorf("%v %v", got, err)
	}
	if err := db.Commit(t.Context(), &vyre.Commit{Holders: []vyre.VaultGrant{grant("none", "thread", "t1")}}); err == nil {
		t.Error("a grant of what is not there")
	}
	q, err := db.VaultRequest(t.Context(), "r")
	must(t, err)
	q.State, q.By, q.At = vyre.VaultDeclined, "p", 4
	must(t, db.Commit(t.Context(), &vyre.Commit{Requests: []vyre.VaultRequest{q}, Unheld: []vyre.VaultGrant{grant("a", "agent", "x")}}))
	if open, err := db.VaultRequests(t.Context(), "", "", false); err != nil || len(open) > 0 {
		t.Errorf("%v %v", open, err)
	}
	if got, err := db.VaultRequests(t.Context(), "t1", "c", true); err != nil || !cmp.Equal(got, []vyre.VaultRequest{q}) {
		t.Errorf("%v %v", got, err)
	}
	must(t, db.Commit(t.Context(), &vyre.Commit{Delete: "t1", Events: []vyre.Event{vyre.NewEvent("t1", "", vyre.ThreadDeleted{})}}))
	must(t, putItem(t, db, "a", 0, nil, 4))
	if got, err := db.VaultGrants(t.Context(), ""); err != nil || !cmp.Equal(got, all[3:]) {
		t.Errorf("left: %v %v", got, err)
	}
}
