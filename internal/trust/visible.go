package trust

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible shows what a terminal or a page would hide or obey: control characters, marks
// that turn the direction of writing, blanks that are none, bytes that are no text. A
// line feed in the middle is shown as one, and stays one.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || unicode.IsPrint(r) && !unicode.Is(blank, r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
		i += n
	}
	return b.String()
}

// blank are letters of no shape, which are printed as nothing.
var blank = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x034f, Hi: 0x034f, Stride: 1},
	{Lo: 0x115f, Hi: 0x1160, Stride: 1},
	{Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
	{Lo: 0x2800, Hi: 0x2800, Stride: 1},
	{Lo: 0x3164, Hi: 0x3164, Stride: 1},
	{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
	{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
}}
