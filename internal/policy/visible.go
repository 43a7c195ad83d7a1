package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible writes characters that a reader would not see, or would take for others
// (controls, directions, spaces of other widths, bytes that are no UTF-8), as
// escapes. Line ends, tabs and letters of all scripts stay.
func Visible(s string) string {
	if plainText(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\n' || r == '\t' || r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// plainText reports whether text is printable ASCII, with line ends and tabs: what
// is read is what it says.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
