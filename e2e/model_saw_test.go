package e2e

import (
	"bytes"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

func cmdModelSaw(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: model-saw TEXT RE")
	}
	re, of, hits := regexp.MustCompile(args[1]), 0, 0
	for _, r := range stageOf(ts).api.Requests() {
		if r.Path != "/v1/messages" || !bytes.Contains(r.Body, []byte(args[0])) {
			continue
		}
		of++
		if re.Match(r.Body) {
			hits++
		}
	}
	if of == 0 || (hits > 0) == neg {
		ts.Fatalf("%d of %d requests on %q match %s", hits, of, args[0], args[1])
	}
}
