package vyre_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vyre"
)

// Each code stands in the catalogue once with everything a door needs, and an
// unknown one is treated as a fault of ours.
func TestCatalogue(t *testing.T) {
	seen := map[vyre.Code]bool{}
	for _, c := range vyre.Catalogue {
		if seen[c.Code] || c.HTTP < 400 || c.RPC >= 0 || c.Exit < 1 || c.Exit > 7 || c.Meaning == "" || c.Hint == "" {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
		if c.Code.Info() != c {
			t.Errorf("%s: Info differs", c.Code)
		}
	}
	if vyre.Code("new").Info().Code != vyre.CodeInternal {
		t.Error("an unknown code is not internal")
	}
}

// What a caller sees of an error holds no cause: foreign errors become internal
// without their text, and a hint is always there.
func TestEnvelope(t *testing.T) {
	env := vyre.EnvelopeOf(errors.New("open /home/ada/.vyre/secret: no"))
	b, err := json.Marshal(env)
	if err != nil || strings.Contains(string(b), "ada") || env.Error.Code != vyre.CodeInternal || env.Error.Hint == "" {
		t.Errorf("%s, %v", b, err)
	}
	e := vyre.Invalid("cwd", "not absolute").WithDetail("given", "x").Because(errors.New("hidden"))
	env = vyre.EnvelopeOf(e)
	b, _ = json.Marshal(env)
	if strings.Contains(string(b), "hidden") || env.Error.Details["field"] != "cwd" || env.Error.Details["given"] != "x" {
		t.Errorf("%s", b)
	}
	if len(e.Details) != 1 {
		t.Error("rendering changed the error")
	}
}

// Ids are of the alphabet that the schemas promise, are not repeated, and the id
// of an item depends on all of its parts.
func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		for _, id := range []string{vyre.NewID(), string(vyre.NewThreadID()), string(vyre.NewAskID()), string(vyre.NewMessageID())} {
			if !vyre.ValidID(id) || seen[id] {
				t.Fatalf("%q", id)
			}
			seen[id] = true
		}
	}
	if len(vyre.NewAskID()) != 18 {
		t.Error("an ask's id is 9 bytes")
	}
	a := vyre.ItemIDFor("t", "t:1", "k")
	for _, b := range []vyre.ItemID{vyre.ItemIDFor("u", "t:1", "k"), vyre.ItemIDFor("t", "t:2", "k"), vyre.ItemIDFor("t", "t:1", "l")} {
		if a == b {
			t.Error("two items share an id")
		}
	}
	if a != vyre.ItemIDFor("t", "t:1", "k") || !vyre.ValidID(string(a)) {
		t.Error("an item's id is not stable")
	}
}

// A turn's number comes back from its id; anything else is 0.
func TestTurnID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1<<30).Draw(t, "n")
		if got := vyre.MakeTurnID("a-b", n).N(); got != n {
			t.Fatalf("%d", got)
		}
		_ = vyre.TurnID(rapid.String().Draw(t, "junk")).N()
	})
	b, _ := json.Marshal(struct{ A, B vyre.TurnID }{"", "t:1"})
	if string(b) != `{"A":null,"B":"t:1"}` {
		t.Errorf("%s", b)
	}
}

// A time survives JSON to the millisecond, in UTC with three decimals; zero is null.
func TestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := vyre.Time(rapid.Int64Range(1, 4102444800000).Draw(t, "ms"))
		b, err := json.Marshal(in)
		var out vyre.Time
		if err != nil || len(b) != 26 || b[len(b)-2] != 'Z' || json.Unmarshal(b, &out) != nil || out != in {
			t.Fatalf("%s %d %d", b, in, out)
		}
	})
	if b, _ := json.Marshal(vyre.Time(0)); string(b) != "null" {
		t.Errorf("%s", b)
	}
	var x vyre.Time
	if json.Unmarshal([]byte(`"yesterday"`), &x) == nil {
		t.Error("nonsense was taken")
	}
}

// An ask's digest changes with everything that is shown.
func TestDigest(t *testing.T) {
	base := vyre.Ask{Kind: vyre.AskTool, Tool: "Bash", Title: "t", Display: "rm x", Input: json.RawMessage(`{"command":"rm x"}`), Source: "builtin"}
	seen := map[string]bool{vyre.DigestOf(base): true}
	for _, change := range []func(*vyre.Ask){
		func(a *vyre.Ask) { a.Display = "rm y" }, func(a *vyre.Ask) { a.Input = json.RawMessage(`{"command":"rm y"}`) },
		func(a *vyre.Ask) { a.Source = "config:x" }, func(a *vyre.Ask) { a.Blocked = "/etc" },
		func(a *vyre.Ask) { a.AgentPath = []string{"child"} }, func(a *vyre.Ask) { a.Options = []vyre.AskOption{{ID: "x"}} },
	} {
		a := base
		change(&a)
		if d := vyre.DigestOf(a); seen[d] {
			t.Errorf("a change does not show: %+v", a)
		} else {
			seen[d] = true
		}
	}
	again := base
	again.State, again.Decision, again.By = vyre.AskAnswered, vyre.Allow, "somebody"
	if !seen[vyre.DigestOf(again)] {
		t.Error("the digest depends on what became of the ask")
	}
}

// An event's data keeps the agent's words as they are.
func TestEventKeepsWords(t *testing.T) {
	e := vyre.NewEvent("t", "t:1", vyre.ThreadText{Item: "i", Kind: vyre.ItemText, Text: "<b> & \u2028 \x00"})
	var d vyre.ThreadText
	if err := json.Unmarshal(e.Data, &d); err != nil || d.Text != "<b> & \u2028 \x00" || strings.Contains(string(e.Data), `\u003c`) {
		t.Errorf("%s %v", e.Data, err)
	}
	if strings.Contains(string(e.Data), "\n") {
		t.Error("the data is more than one line")
	}
}
