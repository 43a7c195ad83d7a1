package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

func applied(w *world, state string) vyre.ThreadApplied {
	w.t.Helper()
	var d vyre.ThreadApplied
	w.until("applied, "+state, func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadApplied && json.Unmarshal(e.Data, &d) == nil && d.State == state
	})
	return d
}

// A person makes the edit that the floor refused, exactly as it was shown; the agent that
// works is told, and the log says who did it, by what proof, and that it was begun before.
func TestApplyARefusedEdit(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	file := filepath.Join(t.TempDir(), "settings.json")
	p.say(peerLine{Type: "tool", Key: "c1", File: file, Text: "{}"})
	p.say(peerLine{Type: "hook", Key: "c1", Tool: "Do", Request: "h1", File: file, Text: "{}", CWD: "/"})
	p.nth("hook", 1)
	it, _ := w.item(id, "c1")
	who := vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "web", Proof: "passkey", Level: "L2"}
	in := engine.ApplyInput{Thread: id, Item: it.ID, By: who}
	plan, err := w.eng.PlanApply(t.Context(), in)
	if err != nil || plan.Path != file || plan.After != "{}" || plan.Exists {
		t.Fatalf("%+v %v", plan, err)
	}
	if _, err := w.eng.Apply(t.Context(), in); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("without what was shown: %v", err)
	}
	in.Digest = plan.Digest
	out, err := w.eng.Apply(t.Context(), in)
	if err != nil || !out.Told {
		t.Fatalf("%+v %v", out, err)
	}
	if b, _ := os.ReadFile(file); string(b) != "{}" {
		t.Errorf("the file holds %q", b)
	}
	applied(w, "begun")
	if d := applied(w, "done"); d.By != who.String() || d.Proof != "passkey" || d.Level != "L2" || d.Digest != plan.Digest || d.Item != it.ID {
		t.Errorf("%+v", d)
	}
	q, err := w.db.Queue(t.Context(), id)
	if err != nil || len(q) != 1 || !strings.Contains(q[0].Text, "exactly this edit") {
		t.Errorf("%+v %v", q, err)
	}
}

// Of an open ask the edit is made and the ask ends denied, with the words for the agent;
// what a command would do can't be made by hand.
func TestApplyAnAsk(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	file := filepath.Join(t.TempDir(), "config")
	p.say(peerLine{Type: "tool", Key: "c1", File: file, Text: "x"})
	p.say(peerLine{Type: "ask", Key: "c1", Request: "q1", File: file, Text: "x"})
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	plan, err := w.eng.PlanApply(t.Context(), engine.ApplyInput{Ask: a.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Apply(t.Context(), engine.ApplyInput{Ask: a.ID, Digest: plan.Digest, By: modelPerson}); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(file); string(b) != "x" {
		t.Errorf("the file holds %q", b)
	}
	if f := p.nth("answer", 1); f.Data["decision"] != "deny" || !strings.Contains(f.Data["message"].(string), "exactly this edit") {
		t.Errorf("%+v", f)
	}
	if got, _ := w.db.Ask(t.Context(), a.ID); got.State != vyre.AskAnswered || got.Decision != vyre.Deny {
		t.Errorf("%+v", got)
	}
	if _, err := w.eng.Apply(t.Context(), engine.ApplyInput{Ask: a.ID, Digest: plan.Digest, By: modelPerson}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("again: %v", err)
	}
	p.calls("c2", "make it")
	p.asksFor("c2", "make it")
	w.untilKind(vyre.EvAskRaised, 2)
	if _, err := w.eng.PlanApply(t.Context(), engine.ApplyInput{Ask: w.asks(id)[0].ID}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("a command: %v", err)
	}
}

// handSweeper is a watch whose notices the test makes.
type handSweeper struct {
	mu   sync.Mutex
	tell []func([]engine.FileChange)
}

func (s *handSweeper) Watch(_ string, tell func([]engine.FileChange)) (func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = append(s.tell, tell)
	return func() {}, nil
}

func (s *handSweeper) Quarantine(vyre.ThreadID, []string) (string, error) { return "/q", nil }

func (s *handSweeper) changed(c engine.FileChange) {
	s.mu.Lock()
	tell := append([]func([]engine.FileChange){}, s.tell...)
	s.mu.Unlock()
	for _, f := range tell {
		f([]engine.FileChange{c})
	}
}

// What a person applied is nobody's breach, also not of another session that watches the
// file; another content of the same file is.
func TestAppliedIsNoBreach(t *testing.T) {
	s := &handSweeper{}
	w := newWorld(t, slow)
	w.stop()
	w.setRules()
	w.sweeper = s
	w.start()
	id := w.begin("go")
	p := w.peers.newest()
	other := w.begin("go")
	file := filepath.Join(t.TempDir(), "settings.json")
	p.say(peerLine{Type: "tool", Key: "c1", File: file, Text: "{}"})
	p.say(peerLine{Type: "hook", Key: "c1", Tool: "Do", Request: "h1", File: file, Text: "{}", CWD: "/"})
	p.nth("hook", 1)
	it, _ := w.item(id, "c1")
	plan, err := w.eng.PlanApply(t.Context(), engine.ApplyInput{Thread: id, Item: it.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Apply(t.Context(), engine.ApplyInput{Thread: id, Item: it.ID, Digest: plan.Digest, By: modelPerson}); err != nil {
		t.Fatal(err)
	}
	sum := func(text string) string { h := sha256.Sum256([]byte(text)); return hex.EncodeToString(h[:]) }
	s.changed(engine.FileChange{Path: file, After: sum("{}")})
	s.changed(engine.FileChange{Path: file, Before: sum("{}"), After: sum("evil")})
	w.untilKind(vyre.EvThreadBreach, 2)
	w.untilKind(vyre.EvThreadStopped, 2)
	for _, th := range []vyre.ThreadID{id, other} {
		n := 0
		for _, e := range w.events() {
			if e.Kind == vyre.EvThreadBreach && e.Thread == th {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d breaches", n)
		}
	}
	q, _, err := w.db.Items(t.Context(), sqlite.ItemQuery{Thread: other, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range q {
		if strings.Contains(x.Text, "new: "+file) {
			t.Errorf("what the person wrote is blamed on a session: %s", x.Text)
		}
	}
}
