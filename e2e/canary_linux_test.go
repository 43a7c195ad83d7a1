package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/policy"
)

// looks is what a driver's agent is told to run so that it shows every environment in
// its reach. A driver that is not here fails the test, so that a new one gets its line.
var looks = map[string]string{
	"claude": `tool Bash {"command":"sh look.sh"}` + "\nsay looked",
}

// No refused name and no credential of the daemon's or the login shell's environment is
// in the environment of anything that an agent can read: its own, its commands', its
// parents', the daemon's. For every driver, with the real agent.
func TestNoCanaryReachesAnAgent(t *testing.T) {
	h := newHome(t)
	h.kill()
	names := slices.Concat(policy.RefusedNames(), credentialNames(t))
	if len(names) < 250 {
		t.Fatalf("only %d names", len(names))
	}
	var profile strings.Builder
	var daemon []string
	plain := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	for _, n := range names {
		if theDaemons(n) {
			continue
		}
		daemon = append(daemon, n+"=canary-of-the-daemon-"+n)
		if plain.MatchString(n) && !ofTheShell[n] {
			fmt.Fprintf(&profile, "export %s=canary-of-the-shell-%s\n", n, n)
		}
	}
	write(t, filepath.Join(h.agent.Dir, ".profile"), profile.String()+"export LANG=C.UTF-8 LC_TIME=seen\n")
	before := h.env
	h.env = append(daemon, before...) // what the test itself needs comes last
	h.start()

	var machine struct{ Providers []struct{ Provider string } }
	h.call("providers.list", map[string]any{}, &machine)
	for _, p := range machine.Providers {
		prompt, ok := looks[p.Provider]
		if !ok {
			t.Errorf("nothing here makes %s show its environment", p.Provider)
			continue
		}
		h.looks(t, p.Provider, prompt)
	}
	h.env = before
}

// looks runs a driver's agent and reads what it saw.
func (h *home) looks(t *testing.T, provider, prompt string) {
	t.Helper()
	write(t, filepath.Join(h.agent.CWD, "look.sh"), `exec > seen.txt 2>&1
echo "== env"; env
for e in /proc/[0-9]*/environ; do echo "== $e $(tr '\0' ' ' < ${e%environ}cmdline)"; cat "$e" 2>&1 | tr '\0' '\n'; done
`)
	var out struct{ Thread vyre.ThreadID }
	h.call("threads.start", map[string]any{"provider": provider, "cwd": h.agent.CWD, "prompt": prompt}, &out)
	h.mustAnswer(h.ask(out.Thread), vyre.Allow, nil)
	if s := h.finished(out.Thread, 1); s != vyre.TurnCompleted {
		t.Fatalf("%s: %s", provider, s)
	}
	seen, err := os.ReadFile(filepath.Join(h.agent.CWD, "seen.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(seen), "LC_TIME=seen") || strings.Count(string(seen), "== /proc/") < 3 {
		t.Fatalf("%s: the look did not work:\n%s", provider, tailOf(string(seen), 2000))
	}
	where, told := "", 0
	for line := range strings.Lines(string(seen)) {
		if strings.HasPrefix(line, "== ") {
			where = line
		}
		if strings.Contains(line, "canary-of-the-") || strings.Contains(line, "do-not-leak-me") {
			if told++; told <= 10 {
				t.Errorf("%s: in %s%s", provider, where, line)
			}
		}
	}
}

// credentialNames are the variables that the agents' vendors read credentials from.
func credentialNames(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("../internal/policy/testdata/reviewed/*.txt")
	if err != nil || len(lists) == 0 {
		t.Fatal("no reviewed names", err)
	}
	out := []string{"OPENAI_API_KEY", "DATABASE_URL", "MY_SECRET", "NPM_TOKEN"}
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(b), "# Credentials.")
		if !ok {
			t.Fatalf("%s names no credentials", l)
		}
		_, rest, _ = strings.Cut(rest, "\n")
		group, _, _ := strings.Cut(rest, "\n\n")
		out = append(out, strings.Fields(group)...)
	}
	return out
}

// theDaemons are names that a daemon under test needs for itself.
func theDaemons(name string) bool {
	return name == "NOTIFY_SOCKET" || strings.HasPrefix(name, "LISTEN_") // of a service manager that is not there
}

// ofTheShell can't be exported, or end the shell that would.
var ofTheShell = map[string]bool{"SHELLOPTS": true, "BASHOPTS": true, "IFS": true}
