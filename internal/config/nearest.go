package config

import (
	"strings"

	"vyre"
)

// unknown refuses a key and names the nearest one there is.
func unknown(at, key string, known []string) *vyre.Error {
	e := vyre.Invalid(at, "there is no such key; the nearest is %q", nearest(key, known))
	return e.WithHint("Known here: "+strings.Join(known, ", ")+".").WithDetail("nearest", nearest(key, known))
}

// nearest returns the word of known that is fewest edits away from s; the first
// of equals. Case and dashes are no difference.
func nearest(s string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := distance(plain(s), plain(k)); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

func plain(s string) string {
	s = strings.ReplaceAll(strings.ToLower(s), "-", "_")
	if len(s) > 64 { // far from every key anyway; keeps the work small
		s = s[:64]
	}
	return s
}

// distance is Levenshtein's.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diag
			if a[i] != b[j] {
				change++
			}
			diag = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
