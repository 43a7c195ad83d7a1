package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"unicode/utf16"
)

const (
	// MinLength is how many bytes the normal form of a value must have to be looked for.
	MinLength = 8
	// MinVariety is how many different bytes it must have.
	MinVariety = 4
	// MinWord is how many bytes it must have where all of them are letters: words of
	// ours and of everybody are shorter.
	MinWord = 12
	// lineMin is the length that a line of a longer value must have to be looked for
	// on its own.
	lineMin = 24
)

// Secret is a value and the name that stands in its place.
type Secret struct {
	Name  string
	Value []byte
}

// Covers reports whether a value is long and various enough to be looked for.
func Covers(value []byte) bool { return fit(normalise(value)) }

func fit(form []byte) bool {
	if len(form) < MinLength {
		return false
	}
	var seen [256]bool
	different, letters := 0, 0
	for _, b := range form {
		if 'a' <= b && b <= 'z' {
			letters++
		}
		if !seen[b] {
			seen[b] = true
			different++
		}
	}
	return different >= MinVariety && (letters < len(form) || len(form) >= MinWord)
}

// forms returns the normal forms by which a value is looked for.
func forms(value []byte) [][]byte {
	value = bytes.TrimSpace(value)
	if !Covers(value) {
		return nil
	}
	out := encodings(value)
	if lines := bytes.Split(value, []byte("\n")); len(lines) > 1 {
		for _, line := range lines {
			line = bytes.TrimSpace(line)
			// The first and last line of a PEM block are no secret.
			if len(line) >= lineMin && !bytes.HasPrefix(line, []byte("-----")) {
				out = append(out, variants(line)...)
			}
		}
	}
	return out
}

func encodings(value []byte) [][]byte {
	out := variants(value)
	for shift := range 3 {
		out = append(out, variants(base64At(value, shift))...)
	}
	if bytes.ContainsAny(value, `%\`) { // what looks like an escape in it is none there
		out = append(out, variants(percentAll(value))...)
		out = append(out, variants(unicodeAll(value))...)
	}
	return append(out, variants([]byte(hex.EncodeToString(value)))...)
}

func unicodeAll(value []byte) (out []byte) {
	for _, u := range utf16.Encode([]rune(string(value))) {
		out = fmt.Appendf(out, `\u%04x`, u)
	}
	return out
}

func percentAll(value []byte) (out []byte) {
	for _, b := range value {
		out = fmt.Appendf(out, "%%%02X", b)
	}
	return out
}

// base64At returns the characters that a value's bytes alone decide in the base64 of
// something in which it begins at this position, modulo 3.
func base64At(value []byte, shift int) []byte {
	enc := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), value...))
	from := (shift*8 + 5) / 6
	to := (shift + len(value)) * 8 / 6
	return []byte(enc[from:to])
}

// openEnd is what becomes an escape with what follows.
var openEnd = regexp.MustCompile(`%[0-9a-fA-F]?$`)

// variants returns the normal forms of a text, alone and behind a character that
// would make an escape of its start.
func variants(text []byte) [][]byte {
	trimmed := openEnd.ReplaceAll(text, nil)
	var out [][]byte
	for _, head := range []string{"", `\`, "%"} {
		form := normalise(append([]byte(head), trimmed...))
		if head == "%" && len(form) > 0 && form[0] == '%' {
			continue // no escape came of it
		}
		if fit(form) {
			out = append(out, form)
		}
	}
	return out
}
