package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"vyre"
)

// A command line and a daemon of different versions work together where both know a
// tool, in both directions; where they don't, the error names both versions and the
// way out, and doctor says it. Who is not signed in is not told the version.
func TestVersionsMeet(t *testing.T) {
	h := newHome(t)
	id := h.begin("say hello")
	h.finished(id, 1)
	meet := func(cli, ours, theirs string) {
		t.Helper()
		if out, words, code := h.vyre(cli, "ls"); code != 0 || !strings.Contains(out, string(id)[:6]) {
			t.Errorf("vyre %s on a daemon %s: exit %d, %s%s", ours, theirs, code, out, words)
		}
		says := "The daemon is vyre " + theirs + ", this program is " + ours
		for tool, in := range map[string]string{"threads.of_tomorrow": "{}", "threads.get": `{"thread":"` + string(id) + `","of_tomorrow":1}`} {
			_, words, code := h.vyre(cli, "call", tool, in)
			if code == 0 || strings.Contains(words, says) != (ours != theirs) {
				t.Errorf("vyre %s calls %s of %s: exit %d, %s", ours, tool, theirs, code, words)
			}
		}
		if _, words, code := h.vyre(cli, "call", "threads.get", `{"thread":"t_none"}`); code != vyre.CodeNotFound.Info().Exit || strings.Contains(words, says) {
			t.Errorf("what is not there is no matter of versions: exit %d, %s", code, words)
		}
		out, _, _ := h.vyre(cli, "doctor")
		if strings.Contains(out, "the daemon is "+theirs+", this program is "+ours) != (ours != theirs) {
			t.Errorf("doctor %s on %s:\n%s", ours, theirs, out)
		}
	}
	next := nextBuild.path(t)
	meet(vyreBin, "dev", "dev")
	meet(next, "9.9.9", "dev")
	h.runAs(next)
	meet(vyreBin, "dev", "9.9.9")

	res, err := http.Get("http://localhost:" + strconv.Itoa(h.port) + "/v1/whoami")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized || res.Header.Get("Vyre-Version") != "" {
		t.Errorf("without sign-in: %s, version %q", res.Status, res.Header.Get("Vyre-Version"))
	}
}
