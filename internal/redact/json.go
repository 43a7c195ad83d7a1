package redact

import (
	"bytes"
	"encoding/json"
)

// JSON replaces secrets inside the strings of a JSON text, keys included, so that it
// stays one. A number that holds one becomes a string. What is no JSON is treated as
// text. It returns b itself where there is none.
func (r *Redactor) JSON(b []byte) []byte {
	if !r.Has(b) {
		return b
	}
	if !json.Valid(b) {
		return r.Bytes(b)
	}
	out := make([]byte, 0, len(b))
	for at := 0; at < len(b); {
		end := token(b, at)
		switch c := b[at]; {
		case c == '"':
			out = append(out, r.text(b[at:end])...)
		case c == '-' || '0' <= c && c <= '9':
			out = append(out, r.number(b[at:end])...)
		default:
			out = append(out, b[at:end]...)
		}
		at = end
	}
	return out
}

// token returns the end of the token of valid JSON that begins at at: a string, a
// number, or one other byte.
func token(b []byte, at int) int {
	if b[at] != '"' {
		if n := bytes.IndexFunc(b[at:], func(c rune) bool {
			return c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' && (c < '0' || c > '9')
		}); n > 0 {
			return at + n
		} else if n < 0 {
			return len(b)
		}
		return at + 1
	}
	for i := at + 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// text replaces in a JSON string. A find begins and ends with whole escapes, so what
// is left is a string still.
func (r *Redactor) text(s []byte) []byte {
	inner := s[1 : len(s)-1]
	clean := r.Bytes(inner)
	out := append([]byte{'"'}, clean...)
	out = append(out, '"')
	if json.Valid(out) {
		return out
	}
	var whole string // an escape was cut in two
	if json.Unmarshal(s, &whole) != nil {
		return []byte(`"[redacted]"`)
	}
	out, _ = json.Marshal(r.String(whole))
	return out
}

func (r *Redactor) number(n []byte) []byte {
	clean := r.Bytes(n)
	if len(clean) == len(n) && bytes.Equal(clean, n) {
		return n
	}
	out, _ := json.Marshal(string(clean))
	return out
}
