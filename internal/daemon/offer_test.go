package daemon

import (
	"regexp"
	"slices"
	"testing"

	"vyre"
	"vyre/internal/door/session"
)

// Every tool that sessions are offered exists, may be called by a thread, and has a
// name that agents take, once.
func TestOffer(t *testing.T) {
	reg := Registry()
	specs := session.New(reg).Offer()
	if len(specs) != 11 {
		t.Errorf("%d tools are offered; place a new one in the guide, too", len(specs))
	}
	name := regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	seen := map[string]bool{}
	for _, s := range specs {
		if !name.MatchString(s.Name) || seen[s.Name] {
			t.Errorf("%q", s.Name)
		}
		seen[s.Name] = true
	}
	for _, e := range reg.Tools() {
		wire := regexp.MustCompile(`\.`).ReplaceAllString(e.Name, "_")
		if seen[wire] && (!slices.Contains(e.Callers, vyre.CallerThread) || e.Presence || e.Decides) {
			t.Errorf("%s is offered and not a thread's to call", e.Name)
		}
	}
}
