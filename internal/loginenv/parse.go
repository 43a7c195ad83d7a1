package loginenv

import (
	"bytes"
	"strings"
)

// Parse returns the variables ("K=V", each ended by a zero byte, as env -0
// prints them) that stand between the first marker and the last in out. ok is
// false where the markers are missing or what is between them is no
// environment. Entries that no variable can be are dropped.
func Parse(out []byte, marker string) (env []string, ok bool) {
	if marker == "" {
		return nil, false
	}
	m := []byte(marker)
	first, last := bytes.Index(out, m), bytes.LastIndex(out, m)
	if first < 0 || last < first+len(m) {
		return nil, false
	}
	body := out[first+len(m) : last]
	if len(body) == 0 || body[len(body)-1] != 0 {
		return nil, false
	}
	for kv := range strings.SplitSeq(string(body[:len(body)-1]), "\x00") {
		if i := strings.IndexByte(kv, '='); i > 0 {
			env = append(env, kv)
		}
	}
	return env, len(env) > 0
}
