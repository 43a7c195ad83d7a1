package grants_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/grants"
	"vyre/internal/policy"
	"vyre/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func store(t *testing.T) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = db.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait(); _ = db.Close() })
	return db
}

var (
	call = policy.Call{Project: "/p", CWD: "/p", Mode: vyre.ModeAsk, Source: "builtin", Tool: "Bash"}
	part = policy.Part{Kind: vyre.ActCommand, Args: []string{"npm", "test"}, CWD: "/p", Plain: true}
	spec = vyre.GrantSpec{Kind: vyre.GrantCommand, Args: []string{"npm", "test"}}
	me   = vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "test", Proof: "session", Level: "L2"}
)

// A grant covers from the moment it is given until the moment it is taken back, also
// for the next daemon, and not a moment past its time.
func TestGrantsLife(t *testing.T) {
	db, now := store(t), time.Unix(1000, 0)
	clock := func() time.Time { return now }
	b := grants.New(db, clock, strings.Clone)
	covered := func(b *grants.Book) bool { _, ok := b.Granted(call, part); return ok }
	if covered(b) {
		t.Fatal("an empty book covers")
	}
	g, err := b.Add(t.Context(), vyre.Grant{Project: "/p", GrantSpec: spec, By: me.String()})
	if err != nil || !covered(b) || !b.Holds("/p", spec) || b.Holds("/q", spec) {
		t.Fatalf("%+v %v", g, err)
	}
	next := grants.New(db, clock, strings.Clone)
	if err := next.Load(t.Context()); err != nil || !covered(next) {
		t.Errorf("the next daemon does not know of it: %v", err)
	}
	if _, err := b.Revoke(t.Context(), g.ID, me); err != nil || covered(b) {
		t.Errorf("taken back, it still covers: %v", err)
	}
	again, err := b.Revoke(t.Context(), g.ID, me)
	if err != nil || again.Revoked == 0 || again.RevokedBy != me.String() {
		t.Errorf("%+v %v", again, err)
	}
	b.Given([]vyre.Grant{g}) // its own commit is told late
	if covered(b) {
		t.Error("what was taken back came again")
	}
	if _, err := b.Add(t.Context(), vyre.Grant{Project: "/p", GrantSpec: spec, Expires: vyre.At(now.Add(time.Hour))}); err != nil || !covered(b) || b.Holds("/p", spec) {
		t.Errorf("one that expires: %v", err)
	}
	now = now.Add(time.Hour)
	if covered(b) {
		t.Error("it covers after its time")
	}
	if _, err := b.Revoke(t.Context(), "none", me); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Error(err)
	}
	if _, err := b.Add(t.Context(), vyre.Grant{Project: "/p", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: []string{"bash"}}}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Error(err)
	}
}
