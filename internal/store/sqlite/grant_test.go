package sqlite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

func TestGrants(t *testing.T) {
	// A grant is kept as it was given, its uses are counted beside it, and one that is
	// taken back is out of the list and still known.
	db := openRunning(t, Options{})
	g := vyre.Grant{
		ID: "g1", Project: "/p", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantCommand, Args: []string{"npm", "test"}},
		From: "a1", By: "person:owner:web", Proof: "session", Level: "L2", Created: 5, Expires: 900,
	}
	other := vyre.Grant{ID: "g2", Project: "/q", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantWrite, Path: "src"}, Created: 6}
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Grants: []vyre.Grant{g, other}}))
	must(t, db.Commit(t.Context(), &vyre.Commit{Used: []vyre.GrantUse{{Grant: "g1", At: 20}, {Grant: "g1", At: 10}, {Grant: "none", At: 1}}}))
	g.Uses, g.LastUsed = 2, 20
	got, err := db.Grants(t.Context(), "", false)
	must(t, err)
	if d := cmp.Diff([]vyre.Grant{g, other}, got); d != "" {
		t.Error(d)
	}
	g.Revoked, g.RevokedBy = 30, "person:owner:cli"
	must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Grants: []vyre.Grant{g}}))
	if got, err := db.Grants(t.Context(), "/p", false); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := db.Grants(t.Context(), "/p", true); err != nil || cmp.Diff([]vyre.Grant{g}, got) != "" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := db.Grant(t.Context(), "none"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Error(err)
	}
}
