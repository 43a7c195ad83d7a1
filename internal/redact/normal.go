package redact

import "unicode/utf8"

// normal turns text into its normal form byte by byte, and says for each byte of it
// where in the text it came from.
//
// Normal forms are made so that escaping changes nothing: the form of a text that was
// JSON-escaped or percent-encoded, any number of times, is that of the text.
type normal struct {
	emit func(b byte, from, to int)

	// An escape that began at slashFrom with backslashes, then perhaps u or x and digits.
	slash     bool
	kind      byte // 0, 'u' or 'x'
	kindTo    int
	digits    [4]hexDigit
	n         int
	slashFrom int

	high             rune // a first half of a surrogate pair, or 0
	highFrom, highTo int

	// A percent sign and perhaps a digit.
	percent    bool
	percentHex []hexDigit
	percentAt  span
}

// hexDigit is a digit of an escape that may turn out to be none.
type hexDigit struct {
	b  byte
	at span
}

// span is a part of the text.
type span struct{ from, to int }

// byte takes the next byte of the text, which lies at [from, to).
func (n *normal) byte(b byte, from, to int) {
	switch {
	case n.kind != 0:
		n.escapeDigit(b, from, to)
	case n.slash:
		n.afterSlash(b, from, to)
	case b == '\\':
		n.slash, n.slashFrom = true, from
	default:
		n.settleHigh()
		n.unescaped(b, from, to)
	}
}

// afterSlash takes what follows a run of backslashes. The run counts as one escape:
// each round of escaping doubles it.
func (n *normal) afterSlash(b byte, from, to int) {
	switch b {
	case '\\':
	case 'n', 'r', 't', 'b', 'f':
		n.settleHigh()
		n.slash = false
		n.unescaped(' ', n.slashFrom, to)
	case 'u', 'x':
		n.kind, n.kindTo, n.n = b, to, 0
	default:
		n.settleHigh()
		n.slash = false
		n.unescaped(b, n.slashFrom, to)
	}
}

func (n *normal) escapeDigit(b byte, from, to int) {
	if _, ok := hexValue(b); !ok {
		n.noEscape()
		n.byte(b, from, to)
		return
	}
	n.digits[n.n] = hexDigit{b, span{from, to}}
	n.n++
	if n.n < 4 && (n.kind == 'u' || n.n < 2) {
		return
	}
	var r rune
	for _, d := range n.digits[:n.n] {
		v, _ := hexValue(d.b)
		r = r<<4 | rune(v)
	}
	kind := n.kind
	n.slash, n.kind = false, 0
	if kind == 'x' {
		n.settleHigh()
		n.byte(byte(r), n.slashFrom, to)
		return
	}
	n.unit(r, n.slashFrom, to)
}

// noEscape gives an escape that was none as the letters that it has.
func (n *normal) noEscape() {
	n.settleHigh()
	kind, digits := n.kind, n.digits
	n.slash, n.kind = false, 0
	n.unescaped(kind, n.slashFrom, n.kindTo)
	for _, d := range digits[:n.n] {
		n.unescaped(d.b, d.at.from, d.at.to)
	}
}

// unit takes one UTF-16 unit of an escape.
func (n *normal) unit(r rune, from, to int) {
	switch {
	case 0xd800 <= r && r < 0xdc00:
		n.settleHigh()
		n.high, n.highFrom, n.highTo = r, from, to
		return
	case 0xdc00 <= r && r < 0xe000 && n.high != 0:
		r, from = 0x10000+(n.high-0xd800)<<10+(r-0xdc00), n.highFrom
		n.high = 0
	default:
		n.settleHigh()
	}
	for _, b := range utf8.AppendRune(nil, r) {
		n.byte(b, from, to)
	}
}

// settleHigh gives a half of a pair that stayed alone.
func (n *normal) settleHigh() {
	if n.high == 0 {
		return
	}
	n.high = 0
	for _, b := range utf8.AppendRune(nil, utf8.RuneError) {
		n.unescaped(b, n.highFrom, n.highTo)
	}
}

// unescaped takes a byte of the text with escapes undone.
func (n *normal) unescaped(b byte, from, to int) {
	if n.percent {
		n.percentDigit(b, from, to)
		return
	}
	if b == '%' {
		n.percent, n.percentHex, n.percentAt = true, n.percentHex[:0], span{from, to}
		return
	}
	n.plain(b, from, to)
}

func (n *normal) percentDigit(b byte, from, to int) {
	if _, ok := hexValue(b); !ok {
		n.noPercent()
		n.unescaped(b, from, to)
		return
	}
	n.percentHex = append(n.percentHex, hexDigit{b, span{from, to}})
	if len(n.percentHex) < 2 {
		return
	}
	hi, _ := hexValue(n.percentHex[0].b)
	lo, _ := hexValue(n.percentHex[1].b)
	n.percent = false
	// It may be the percent sign, or the backslash, of one more round.
	n.byte(hi<<4|lo, n.percentAt.from, to)
}

// noPercent gives a percent sign that began nothing.
func (n *normal) noPercent() {
	n.percent = false
	n.plain('%', n.percentAt.from, n.percentAt.to)
	for _, d := range n.percentHex {
		n.plain(d.b, d.at.from, d.at.to)
	}
}

// plain takes a byte of the text with everything undone.
func (n *normal) plain(b byte, from, to int) {
	switch {
	case b <= ' ' || b == 0x7f || b == '+' || b == '-':
		return
	case b == '_':
		b = '/'
	case 'A' <= b && b <= 'Z':
		b += 'a' - 'A'
	}
	n.emit(b, from, to)
}

// end gives what waited for more of the text.
func (n *normal) end() {
	if n.kind != 0 {
		n.noEscape()
	}
	n.slash = false
	n.settleHigh()
	if n.percent {
		n.noPercent()
	}
}

// waits returns where the earliest thing begins that waits for more of the text, or
// at when nothing does.
func (n *normal) waits(at int) int {
	if n.percent {
		at = min(at, n.percentAt.from)
	}
	if n.high != 0 {
		at = min(at, n.highFrom)
	}
	if n.slash || n.kind != 0 {
		at = min(at, n.slashFrom)
	}
	return at
}

// normalise returns the normal form of a whole text.
func normalise(b []byte) []byte {
	out := make([]byte, 0, len(b))
	n := normal{emit: func(b byte, _, _ int) { out = append(out, b) }}
	for i, c := range b {
		n.byte(c, i, i+1)
	}
	n.end()
	return out
}

func hexValue(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
