package client

import (
	"net/http"
	"strings"
	"testing"

	"vyre"
)

func TestMismatch(t *testing.T) {
	// Only a refusal that another version can be the reason of says so, and only where the
	// versions differ; a daemon that says none is an older one.
	unknown, invalid := vyre.NotFound("tool", "x.y").WithHint("Look."), vyre.Invalid("f", "there is no such field")
	for name, c := range map[string]struct {
		ours, theirs string
		err          error
		says         string
	}{
		"another":            {"2", "1", unknown, "Look. The daemon is vyre 1, this program is 2: "},
		"older than to say":  {"2", "", unknown, "The daemon is an older vyre, which does not say its version, this program is 2: "},
		"a field":            {"2", "1", invalid, "The daemon is vyre 1, this program is 2: "},
		"the same":           {"2", "2", unknown, ""},
		"who does not say":   {"", "1", unknown, ""},
		"another thing gone": {"2", "1", vyre.NotFound("thread", "x.y"), ""},
		"no matter of it":    {"2", "1", vyre.Errorf(vyre.CodeConflict, "no"), ""},
	} {
		h := http.Header{}
		if c.theirs != "" {
			h.Set(versionHeader, c.theirs)
		}
		e := *vyre.AsError(c.err)
		got := vyre.AsError(Socket("/nowhere").Of(c.ours).mismatch(&e, "x.y", h)).Hint
		if c.says == "" && strings.Contains(got, "this program") || !strings.Contains(got, c.says) {
			t.Errorf("%s: the hint is %q", name, got)
		}
	}
}
