package registry

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// nearest returns the candidate most like name, or "" if none is near enough to
// be what was meant.
func nearest(name string, candidates []string) string {
	if len(name) > 64 {
		return ""
	}
	best, bestDist := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if strings.EqualFold(name, c) {
			return c
		}
		if d := distance(strings.ToLower(name), c); d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

// distance is the number of bytes to insert, remove, change or swap.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// sortedKeys returns a map's keys in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
