package suggest

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Rank returns up to limit of the paths that hold the query's letters in order, the
// likeliest first: a name that is or begins with it, letters that begin words, letters
// side by side, then shorter paths. Capitals count only where the query has them. An
// empty query gives the shallowest paths.
func Rank(paths []string, query string, limit int) []string {
	type hit struct {
		p     string
		score int
	}
	query = strings.TrimPrefix(strings.TrimPrefix(query, "@"), "./")
	fold := query == strings.ToLower(query)
	var hits []hit
	for _, p := range paths {
		if s, ok := score(p, query, fold); ok {
			hits = append(hits, hit{p, s})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(strings.Count(a.p, "/"), strings.Count(b.p, "/")),
			cmp.Compare(len(a.p), len(b.p)), cmp.Compare(a.p, b.p))
	})
	out := []string{}
	for _, h := range hits[:min(limit, len(hits))] {
		out = append(out, h.p)
	}
	return out
}

func score(p, query string, fold bool) (int, bool) {
	if query == "" {
		return 0, true
	}
	text := p
	if fold {
		text = strings.ToLower(p)
	}
	name := path.Base(strings.TrimSuffix(text, "/"))
	switch {
	case text == query || name == query:
		return 1_000_000, true
	case strings.HasPrefix(text, query) || strings.HasPrefix(name, query):
		return 500_000 - len(text), true
	case strings.Contains(name, query):
		return 300_000 - len(text), true
	case strings.Contains(text, query):
		return 200_000 - len(text), true
	}
	s, ok := scattered(p, text, []rune(query))
	return s - len(text), ok
}

// scattered scores letters that stand in order with others between them, taken from
// the end, where the name is.
func scattered(p, text string, query []rune) (int, bool) {
	t, raw := []rune(text), []rune(p)
	if len(t) != len(raw) {
		raw = t // lower case has another length in this script
	}
	total, last, q := 0, -1, len(query)-1
	for i := len(t) - 1; i >= 0 && q >= 0; i-- {
		if t[i] != query[q] {
			continue
		}
		total += 10
		if last == i+1 {
			total += 30
		}
		if i == 0 || strings.ContainsRune("/_-. ", t[i-1]) || unicode.IsUpper(raw[i]) && !unicode.IsUpper(raw[i-1]) {
			total += 40
		}
		last = i
		q--
	}
	return total, q < 0
}
