package e2e

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdModelGot looks for a text in what the scripted model was asked so far.
func cmdModelGot(ts *testscript.TestScript, neg bool, args []string) {
	re, found := regexp.MustCompile(strings.Join(args, " ")), false
	for _, r := range stageOf(ts).api.Requests() {
		found = found || re.Match(r.Body)
	}
	if found == neg {
		ts.Fatalf("the model was asked %q: %v", re, found)
	}
}
