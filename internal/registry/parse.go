package registry

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of an input.
const (
	maxDepth   = 64      // nested objects and lists
	maxValues  = 1 << 16 // a parsed value takes about 100 bytes, a zero in a list only two
	maxInteger = 1 << 53 // past this a JavaScript client reads another number
)

// node is a parsed JSON value. It points into the input; strings are decoded
// only when somebody looks at them.
type node struct {
	kind    byte // one of o a s n b z: object, list, string, number, boolean, null
	raw     []byte
	escaped bool // a string with a backslash in it
	members []member
	items   []node
}

type member struct {
	name  string
	value node
}

// word is the kind for people.
func (n *node) word() string {
	switch n.kind {
	case 'o':
		return "an object"
	case 'a':
		return "a list"
	case 's':
		return "a string"
	case 'n':
		return "a number"
	case 'b':
		return "a boolean"
	}
	return "null"
}

// text is the decoded value of a string.
func (n *node) text() string {
	inner := n.raw[1 : len(n.raw)-1]
	if !n.escaped {
		return string(inner)
	}
	return unescape(inner)
}

// syntaxError is a fault of the JSON itself. Path is where, "" for the top.
type syntaxError struct {
	path, what string
}

func (e *syntaxError) Error() string { return e.what }

// parser is stricter than encoding/json: no invalid UTF-8, no doubled names, no
// lone surrogates, no number that would change its value on the way, no bytes
// after the value, bounded depth.
type parser struct {
	b      []byte
	i      int
	values int
	path   path
}

var literals = [...]struct {
	text string
	kind byte
}{{"true", 'b'}, {"false", 'b'}, {"null", 'z'}}

// parse reads one JSON value that is the whole of b.
func parse(b []byte) (n node, err *syntaxError) {
	p := &parser{b: b}
	if !utf8.Valid(b) {
		return n, p.fault("the input is not valid UTF-8")
	}
	p.space()
	if n, err = p.value(0); err != nil {
		return n, err
	}
	p.space()
	if p.i != len(b) {
		return n, p.fault("there is more after the value, at byte %d", p.i)
	}
	return n, nil
}

func (p *parser) fault(format string, args ...any) *syntaxError {
	return &syntaxError{path: p.path.String(), what: fmt.Sprintf(format, args...)}
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end (0 begins no token).
func (p *parser) peek() byte {
	if p.i < len(p.b) {
		return p.b[p.i]
	}
	return 0
}

func (p *parser) value(depth int) (node, *syntaxError) {
	if depth > maxDepth {
		return node{}, p.fault("nested deeper than %d", maxDepth)
	}
	if p.values++; p.values > maxValues {
		return node{}, p.fault("more than %d values", maxValues)
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, w := range literals {
		if end := p.i + len(w.text); end <= len(p.b) && string(p.b[p.i:end]) == w.text {
			n := node{kind: w.kind, raw: p.b[p.i:end]}
			p.i = end
			return n, nil
		}
	}
	return node{}, p.unexpected("a value")
}

func (p *parser) unexpected(want string) *syntaxError {
	if p.i >= len(p.b) {
		return p.fault("the JSON ends where %s should be", want)
	}
	r, _ := utf8.DecodeRune(p.b[p.i:])
	return p.fault("not JSON: %q at byte %d, where %s should be", r, p.i, want)
}

func (p *parser) object(depth int) (node, *syntaxError) {
	n, start := node{kind: 'o'}, p.i
	seen := map[string]bool{}
	p.i++
	for p.space(); p.peek() != '}'; p.space() {
		if len(n.members) > 0 {
			if p.peek() != ',' {
				return n, p.unexpected(`"," or "}"`)
			}
			p.i++
			p.space()
		}
		m, err := p.member(depth, seen)
		if err != nil {
			return n, err
		}
		n.members = append(n.members, m)
	}
	p.i++
	n.raw = p.b[start:p.i]
	return n, nil
}

func (p *parser) member(depth int, seen map[string]bool) (m member, err *syntaxError) {
	if p.peek() != '"' {
		return m, p.unexpected("a name in double quotes")
	}
	key, err := p.str()
	if err != nil {
		return m, err
	}
	m.name = key.text()
	p.path = p.path.field(m.name)
	if seen[m.name] {
		return m, p.fault("given twice")
	}
	seen[m.name] = true
	p.space()
	if p.peek() != ':' {
		return m, p.unexpected(`":"`)
	}
	p.i++
	p.space()
	if m.value, err = p.value(depth + 1); err != nil {
		return m, err
	}
	p.path = p.path.up()
	return m, nil
}

func (p *parser) list(depth int) (node, *syntaxError) {
	n, start := node{kind: 'a'}, p.i
	p.i++
	for p.space(); p.peek() != ']'; p.space() {
		if len(n.items) > 0 {
			if p.peek() != ',' {
				return n, p.unexpected(`"," or "]"`)
			}
			p.i++
			p.space()
		}
		p.path = p.path.index(len(n.items))
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		p.path = p.path.up()
		n.items = append(n.items, v)
	}
	p.i++
	n.raw = p.b[start:p.i]
	return n, nil
}

func (p *parser) str() (node, *syntaxError) {
	n, start := node{kind: 's'}, p.i
	for p.i++; ; p.i++ {
		switch c := p.peek(); {
		case p.i >= len(p.b):
			return n, p.fault("the JSON ends inside a string")
		case c == '"':
			p.i++
			n.raw = p.b[start:p.i]
			return n, nil
		case c < 0x20:
			return n, p.fault("a control character stands unescaped in a string, at byte %d", p.i)
		case c == '\\':
			n.escaped = true
			if err := p.escape(); err != nil {
				return n, err
			}
		}
	}
}

// escape checks the escape at p.i and leaves p.i on its last byte.
func (p *parser) escape() *syntaxError {
	p.i++
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		r, ok := hex4(p.b[p.i:])
		if !ok {
			break
		}
		p.i += 4
		if !utf16.IsSurrogate(r) {
			return nil
		}
		if rest := p.b[p.i+1:]; len(rest) >= 6 && rest[0] == '\\' {
			if low, ok := hex4(rest[1:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
				p.i += 6
				return nil
			}
		}
		return p.fault("half of a surrogate pair stands alone in a string, at byte %d", p.i)
	}
	return p.fault("an unknown escape in a string, at byte %d", p.i)
}

// hex4 reads uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[1:5]), 16, 32)
	return rune(v), err == nil
}

// unescape decodes the inside of a string that escape found good.
func unescape(b []byte) string {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			out = append(out, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, _ := hex4(b[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				low, _ := hex4(b[i+2:])
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, b[i])
		}
	}
	return string(out)
}

// number reads a number as RFC 8259 spells it, and refuses one whose value a
// client could not keep.
func (p *parser) number() (node, *syntaxError) {
	start := p.i
	digits := func() bool {
		from := p.i
		for p.peek() >= '0' && p.peek() <= '9' {
			p.i++
		}
		return p.i > from
	}
	if p.peek() == '-' {
		p.i++
	}
	if p.peek() == '0' {
		p.i++
	} else if !digits() {
		return node{}, p.unexpected("a digit")
	}
	if p.peek() == '.' {
		p.i++
		if !digits() {
			return node{}, p.unexpected("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.i++
		if s := p.peek(); s == '+' || s == '-' {
			p.i++
		}
		if !digits() {
			return node{}, p.unexpected("a digit")
		}
	}
	n := node{kind: 'n', raw: p.b[start:p.i]}
	if !keeps(string(n.raw)) {
		return n, p.fault("a number past 2^53 would not keep its value; write it as a string")
	}
	return n, nil
}

// keeps reports whether a double holds a number: a whole one exactly, another
// as near as doubles are.
func keeps(raw string) bool {
	if !strings.ContainsAny(raw, ".eE") {
		n, err := strconv.ParseInt(raw, 10, 64)
		return err == nil && n <= maxInteger && n >= -maxInteger
	}
	f, err := strconv.ParseFloat(raw, 64)
	return err == nil && math.Abs(f) <= maxInteger
}
