package policy_test

import (
	"testing"

	"vyre"
)

// A file that a command reads without naming it as an operand is not read unasked: below a
// folder above the home, in a flag, or in a program's own words.
func TestNoReadingThroughOtherNames(t *testing.T) {
	g := newGround(t)
	for _, text := range []string{
		"diff -rN .. empty", "diff -ruN empty ..", "git diff --no-index .. empty",
		`jq -n 'import "config" as $d {search:"../.docker"}; $d'`, `jq -n 'include "x"; y'`,
		`grep -hf../.ssh/id_rsa notes.txt`, `grep -xFf../.ssh/id_rsa notes.txt`, "grep --file=../.ssh/id_rsa notes.txt",
	} {
		if v := g.judge(text, nil); v.Verdict == vyre.VerdictAllow {
			t.Errorf("%s: allowed, by %s: %s", text, v.By, v.Why)
		}
	}
	for _, text := range []string{"diff a.txt b.txt", "grep -rn f src", "grep -e-f README.md", "jq . package.json"} {
		if v := g.judge(text, nil); v.Verdict != vyre.VerdictAllow {
			t.Errorf("%s: %s, by %s: %s", text, v.Verdict, v.By, v.Why)
		}
	}
}
