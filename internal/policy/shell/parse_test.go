package shell

import (
	"strings"
	"testing"
	"time"
)

// units are pieces of text that open something each time they are repeated.
var units = []string{
	"(", "{ ", "$(", "\"$(", "${a:-", "$((", "if ", "while ", "until ", "! ", "time ", "a && ", "a || ", "a | ", "a |& ", "a; ", "((- ", "((~", "((!", "`", "[[ ! ", "[[ (",
	"${a[", "case x in x) ", "f() ", "coproc ", "abc ", ">a ", "a=b ", "<<a ", "x", "<(", "if a; then b; elif ", "'", "\"a\"", "${a/", "@(", "for a in b; do ",
	"cat <<E\nx\nE\n", "#a\n", "\\\n", "function a ", "a=(", "let a", "declare a=(", "{a,", "a{b,c}", "$'", "a & ", "((a?", "((a**", "((a,", "((a=", "$[", "select a in b; do ",
	"[[ a && ", "[[ a == ", "*", "?", "\\", "\x00", "\xff", "\u202e", "until a; do ", "else ", "fi ", "}", ")", "a=$(", "{a..z}", "cd x; ", "cd x && ", "((a-", "((a- -",
}

func TestParseIsBounded(t *testing.T) {
	// No text ends the program or takes long, however it nests. A text that is too deep is not looked at.
	for _, n := range []int{7000, MaxText, 1 << 20} {
		for _, u := range units {
			for _, pre := range []string{"", "((", "$((", "[[ "} {
				if pre != "" && n != MaxText {
					continue
				}
				text := pre + strings.Repeat(u, (n-len(pre))/len(u))
				start := time.Now()
				s := Parse(text, Env{CWD: "/w", Home: "/h"})
				if d := time.Since(start); d > 3*time.Second {
					t.Errorf("%q ×%d after %q took %v (too much: %v, steps: %d)", u, n, pre, d, s.TooMuch, len(s.Steps))
				}
			}
		}
	}
}
