package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
)

// A thousand planted secrets that the real agent's commands print and that it says itself,
// word by word, in every form they are usually written in, leave no byte in the database,
// its log file, the events, the daemon's log, or an environment.
func TestPlantedSecrets(t *testing.T) {
	h := newHome(t)
	const count = 1000
	secrets := make([]string, count)
	var forms []string
	var text strings.Builder
	for i := range secrets {
		s := fmt.Sprintf("pl4nted/%s+%d", vyre.NewSecret()[:22], i)
		secrets[i] = s
		h.call("vault.put", map[string]any{"name": fmt.Sprintf("s%d", i), "value": s}, nil)
		quoted, err := json.Marshal(s + "\"\n")
		if err != nil {
			t.Fatal(err)
		}
		all := []string{
			s, base64.StdEncoding.EncodeToString([]byte(s)), base64.URLEncoding.EncodeToString([]byte("ab" + s)),
			url.QueryEscape(s), hex.EncodeToString([]byte(s)), string(quoted),
		}
		forms = append(forms, s, all[1][:24], all[3], all[4])
		fmt.Fprintf(&text, "%d %s\n", i, all[i%len(all)])
	}
	write(t, filepath.Join(h.agent.CWD, "all.txt"), text.String())
	write(t, filepath.Join(h.agent.CWD, "some.txt"), strings.Join(secrets[:40], " "))
	id := h.begin(`tool Bash {"command":"cat all.txt >&2; cat all.txt; touch x"}` + "\n" + `tool Bash {"command":"touch y; cat some.txt"}` +
		"\nsay $RESULT\nthink $RESULT")
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Fatalf("the turn: %s", s)
	}
	said := h.streamed(id)
	if strings.Count(said, "[redacted:s") < 40 {
		t.Errorf("it said %.300q", said)
	}
	secret := `tool Bash {"command":"touch z # ` + secrets[7] + `"}`
	h.send(id, secret)
	a := h.ask(id)
	if !strings.Contains(a.Display, "[redacted:s7]") {
		t.Errorf("the question shows %q", a.Display)
	}
	h.mustAnswer(a, vyre.Deny, map[string]any{"message": "no " + secrets[8]})
	h.finished(id, 2)
	h.kill()
	h.start() // the next daemon knows them too
	h.send(id, "say "+secrets[9])
	h.finished(id, 3)
	for _, pid := range h.pids(id) {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for _, s := range forms {
			if strings.Contains(string(env), s) {
				t.Fatalf("%q is in an environment of the session", s)
			}
		}
	}
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	holdsNowhere(t, h, forms...)
}

// A granted item reaches one command of its session, and no row, event or other command.
func TestVaultExec(t *testing.T) {
	h := newHome(t)
	const value = "d3ploy-K3y-of-the-test"
	h.call("vault.put", map[string]any{"name": "deploy-key", "value": value}, nil)
	run := `tool Bash {"command":"` + vyreBin + ` vault exec deploy-key -- sh -c 'printf %s $DEPLOY_KEY > got.txt; echo it is $DEPLOY_KEY'; env > env.txt"}` + "\nsay $RESULT"
	id := h.begin(run)
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 1)
	if h.exists("got.txt") || !strings.Contains(h.text(id, vyre.ItemText), "not granted") {
		t.Errorf("without a grant: %q", h.text(id, vyre.ItemText))
	}
	h.call("vault.grant", map[string]any{"name": "deploy-key", "kind": "thread", "holder": id}, nil)
	h.send(id, run)
	h.mustAnswer(h.ask(id), vyre.Allow, nil)
	h.finished(id, 2)
	if got := h.read("got.txt"); got != value {
		t.Errorf("the command had %q: %s", got, h.text(id, vyre.ItemText))
	}
	if strings.Contains(h.read("env.txt"), value) {
		t.Error("another command had it too")
	}
	if words := h.text(id, vyre.ItemText); !strings.Contains(words, "it is [redacted:deploy-key]") {
		t.Errorf("words %q", words)
	}
	if _, err := h.cli("", "vault", "exec", "deploy-key", "--", "env"); err == nil {
		t.Error("a person's command had it")
	}
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	holdsNowhere(t, h, value, base64.StdEncoding.EncodeToString([]byte(value))[:20])
}
