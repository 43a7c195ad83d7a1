package engine_test

import (
	"strings"
	"testing"

	"vyre"
	"vyre/internal/engine"
)

// asksAlike has n threads of one folder ask for the same command.
func asksAlike(w *world, n int, cmd string) (list []vyre.Ask) {
	before := strings.Count(strings.Join(w.allKinds(), " "), string(vyre.EvAskRaised))
	for i := range n {
		id := w.begin("go")
		p := w.peers.newest()
		p.calls("c", cmd)
		p.asksFor("c", cmd)
		w.untilKind(vyre.EvAskRaised, before+i+1)
		list = append(list, w.asks(id)[0])
	}
	return list
}

func (w *world) allKinds() (out []string) {
	for _, e := range w.events() {
		out = append(out, string(e.Kind))
	}
	return out
}

func group(list []vyre.Ask) (out []engine.GroupAsk) {
	for _, a := range list {
		out = append(out, engine.GroupAsk{Ask: a.ID, Digest: a.Digest})
	}
	return out
}

// Asks of several threads about the same act are answered by one act: each has its own
// answer, exactly once, and a grant is made once.
func TestAnswerGroup(t *testing.T) {
	w := ruled(t)
	list := asksAlike(w, 3, "npm test")
	if list[0].Alike == "" || list[0].Alike != list[2].Alike {
		t.Fatalf("%q %q", list[0].Alike, list[2].Alike)
	}
	in := engine.GroupInput{Asks: group(list), Decision: vyre.Allow, Option: engine.OptionAllowProject, By: modelPerson}
	for range 2 { // again is the same
		out, err := w.eng.AnswerGroup(t.Context(), in)
		if err != nil || len(out) != 3 {
			t.Fatalf("%+v %v", out, err)
		}
		for _, a := range out {
			if a.Err != nil || a.Ask.State != vyre.AskAnswered || a.Ask.Scope != vyre.ScopeProject {
				t.Errorf("%+v", a)
			}
		}
	}
	for _, a := range list {
		if n := w.peers.of(a.Session).answersTo("answer", "q-c"); n != 1 {
			t.Errorf("%d answers", n)
		}
	}
	if g, err := w.db.Grants(t.Context(), "/", false); err != nil || len(g) != 1 {
		t.Errorf("%+v %v", g, err)
	}
}

// If one ask of a group is another act, is not what was shown or is decided otherwise,
// nothing at all is decided.
func TestAnswerGroupIsAllOrNothing(t *testing.T) {
	w := ruled(t)
	list := asksAlike(w, 2, "npm test")
	other := asksAlike(w, 1, "make other")[0]
	for name, asks := range map[string][]engine.GroupAsk{
		"another act":     group(append(list[:2:2], other)),
		"another digest":  {group(list)[0], {Ask: list[1].ID, Digest: "0"}},
		"without digests": {group(list)[0], {Ask: list[1].ID}},
		"unknown":         {group(list)[0], {Ask: "none", Digest: "0"}},
	} {
		if out, err := w.eng.AnswerGroup(t.Context(), engine.GroupInput{Asks: asks, Decision: vyre.Allow, By: modelPerson}); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: list[1].ID, Decision: vyre.Deny, By: modelPerson}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.AnswerGroup(t.Context(), engine.GroupInput{Asks: group(list), Decision: vyre.Allow, By: modelPerson}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("one is denied: %v", err)
	}
	for _, id := range []vyre.AskID{list[0].ID, other.ID} {
		if a, _ := w.db.Ask(t.Context(), id); a.State != vyre.AskOpen {
			t.Errorf("%+v", a)
		}
	}
}
