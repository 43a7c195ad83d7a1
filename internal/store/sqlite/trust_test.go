package sqlite

import (
	"testing"

	"vyre"
)

func TestTrust(t *testing.T) {
	// A decision holds for one path, provider and digest; a newer one replaces it; one that is taken back is gone.
	db := openRunning(t, Options{})
	put := func(d vyre.TrustDecision) {
		t.Helper()
		must(t, db.Commit(t.Context(), &vyre.Commit{Durable: true, Trust: []vyre.TrustDecision{d}}))
	}
	get := func(path, provider, digest string) vyre.Decision {
		t.Helper()
		d, _, err := db.Trust(t.Context(), path, provider, digest)
		must(t, err)
		return d.Decision
	}
	d := vyre.TrustDecision{Path: "/a", Provider: "p", Digest: "1", Decision: vyre.Allow, By: "person:owner:cli", Level: "L2", At: 5}
	put(d)
	if get("/a", "p", "1") != vyre.Allow || get("/a", "p", "2") != "" || get("/b", "p", "1") != "" || get("/a", "q", "1") != "" {
		t.Error("a decision holds for something else")
	}
	all, err := db.Trusts(t.Context(), "")
	must(t, err)
	if len(all) != 1 || all[0] != d {
		t.Errorf("%+v", all)
	}
	d.Decision = vyre.Deny
	put(d)
	if get("/a", "p", "1") != vyre.Deny {
		t.Error("the newer decision does not hold")
	}
	d.Decision = ""
	put(d)
	if all, err = db.Trusts(t.Context(), "/a"); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}
