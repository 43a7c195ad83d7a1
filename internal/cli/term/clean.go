package term

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes prose of an agent safe to print: what could steer a terminal or
// turn the direction of writing is spelled out, carriage returns go, line and
// paragraph separators become newlines. Tabs and newlines stay.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
		case r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the control pictures: ␛ for escape
		case r == 0x7f:
			b.WriteRune('\u2421')
		case steers(r):
			b.WriteString(spell(r))
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// isPlain reports whether Clean would leave s alone; nearly all text is ASCII.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// steers reports whether a terminal may obey r: the C1 controls, and what turns
// the direction of writing for more than its own letter.
func steers(r rune) bool {
	return r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func spell(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) }

// Line makes one line of s, cut to at most width columns; 0 means not cut.
func Line(s string, width int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if width <= 0 || Columns(s) <= width {
		return s
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		w := columns(r)
		if used+w > width-1 {
			break
		}
		used += w
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// Wrap cuts one line into pieces of at most width columns, anywhere; 0 or less
// means not cut. Joined, the pieces are the line again.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return []string{s}
	}
	var out []string
	start, used := 0, 0
	for i, r := range s {
		w := columns(r)
		if r == '\t' {
			w = tabRoom
		}
		if used+w > width && i > start {
			out = append(out, s[start:i])
			start, used = i, 0
		}
		used += w
	}
	return append(out, s[start:])
}

// tabRoom is the most that a tab takes.
const tabRoom = 8

// Columns says how many columns s takes, near enough for a table.
func Columns(s string) int {
	n := 0
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// wide are the blocks that terminals draw two columns wide.
var wide = [...][2]rune{
	{0x1100, 0x115f},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x1f300, 0x1f64f},
	{0x1f900, 0x1f9ff},
	{0x20000, 0x3fffd},
}

func columns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	for _, w := range wide {
		if r >= w[0] && r <= w[1] {
			return 2
		}
	}
	return 1
}

// Visible spells out every character of s that can't be seen as itself, for a
// command that somebody is about to allow, and says how many there were. Two
// different texts give two different results: Hidden reads it back.
func Visible(s string) (shown string, hidden int) {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
			hidden++
		case unseen(r):
			b.WriteString(spell(r))
			hidden++
		case r == '⟨':
			b.WriteString(spell(r)) // so that a spelled-out character can't be forged
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String(), hidden
}

// unseen reports whether r leaves no mark of its own: controls, formats, odd
// spaces, and letters that are drawn as nothing.
func unseen(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case 0x034f, 0x115f, 0x1160, 0x2800, 0x3164, 0xffa0: // joiner, fillers, blank braille
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r)
}

// Hidden reads back what Visible wrote. ok is false for what Visible can't have written.
func Hidden(shown string) (s string, ok bool) {
	var b strings.Builder
	for {
		i := strings.Index(shown, "⟨")
		if i < 0 {
			b.WriteString(shown)
			return b.String(), true
		}
		b.WriteString(shown[:i])
		body, rest, found := strings.Cut(shown[i+len("⟨"):], "⟩")
		if !found || len(body) < 3 {
			return "", false
		}
		v, err := strconv.ParseUint(body[2:], 16, 32)
		switch {
		case err != nil:
			return "", false
		case body[:2] == "U+":
			b.WriteRune(rune(v))
		case body[:2] == "0x" && v < 256:
			b.WriteByte(byte(v))
		default:
			return "", false
		}
		shown = rest
	}
}

// JSON makes a JSON document safe to print on a terminal without changing what
// it means: what a terminal may obey and JSON leaves as it is gets escaped.
// Documents hold such characters only inside strings.
func JSON(doc []byte) []byte {
	if strings.IndexFunc(string(doc), func(r rune) bool { return r == 0x7f || steers(r) }) < 0 {
		return doc
	}
	var b strings.Builder
	for _, r := range string(doc) {
		if r == 0x7f || steers(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}
