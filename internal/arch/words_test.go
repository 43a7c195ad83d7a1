package arch

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// runs reports whether a text file is run or built.
func runs(p string) bool {
	return slices.Contains([]string{".go", ".ts", ".tsx", ".js", ".mjs", ".sh", ".sql", ".css", ".html"}, path.Ext(p)) ||
		slices.Contains([]string{"Makefile", ".ci/run"}, p)
}

func TestNoSkippedPermissions(t *testing.T) {
	// No code path passes a flag that skips the asks, and no code sets the agent's mode of that kind.
	flag := regexp.MustCompile(`(?i)dangerously[-_ ]?skip|skip[-_]permissions|\byolo\b`)
	mode := regexp.MustCompile(`bypass` + `Permissions`)
	// named lists files that must know the mode's name, with the reason.
	named := map[string]string{}
	for p, text := range theHouse(t).text {
		if !runs(p) || strings.HasPrefix(p, "internal/arch/") {
			continue
		}
		if m := flag.FindString(text); m != "" && p != "agent/claude/command_test.go" { // which holds that no command line has it
			t.Errorf("%s has %q", p, m)
		}
		if mode.MatchString(text) && !strings.HasSuffix(p, "_test.go") && named[p] == "" {
			t.Errorf("%s names the agent's bypass mode; if it must (to notice it), list it here with the reason", p)
		}
	}
}

func TestNoPlacesOfOthers(t *testing.T) {
	// No file names a registry's host, a lock file's download address or a path of somebody's machine.
	places := regexp.MustCompile(strings.Join([]string{
		`registry\.` + `npmjs`, `registry\.` + `yarnpkg`, `proxy\.` + `golang\.org`, `sum\.` + `golang\.org`, `npm\.` + `pkg\.github`, `pypi\.` + `org`,
		`"resolved": "` + `http`, `/Users/[a-z]`,
	}, "|"))
	for p, text := range theHouse(t).text {
		if m := places.FindString(text); m != "" {
			t.Errorf("%s has %q", p, m)
		}
	}
}
