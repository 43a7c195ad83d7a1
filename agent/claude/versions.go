package claude

import (
	"regexp"
	"strconv"
)

const (
	// Pinned is the version of Claude Code that this driver was measured with.
	Pinned = "2.1.332"
	// Floor is the oldest version that is run: nothing older was measured, and
	// what asks rest on (cancelled requests, echoed answers, the list of open
	// questions at a re-attach) is not known there.
	Floor = "2.1.332"

	sdkVersion = "0.3.332" // of the official SDK whose protocol this is
)

var versionPattern = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)`)

// parseVersion reads the version at the start of what --version prints.
func parseVersion(s string) ([3]int, bool) {
	m := versionPattern.FindStringSubmatch(s)
	if m == nil {
		return [3]int{}, false
	}
	var v [3]int
	for i := range v {
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func older(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
