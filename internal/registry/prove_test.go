package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"vyre"
)

// notary notes what it is asked and lets through what has the touch "good".
type notary struct {
	asked   []Act
	settled []string
}

func (n *notary) Prove(_ context.Context, a Act) (vyre.Caller, error) {
	n.asked = append(n.asked, a)
	if a.Caller.Touch != "good" {
		return vyre.Caller{}, vyre.Errorf(vyre.CodePresenceRequired, "touch")
	}
	a.Caller.Proof = "passkey"
	return a.Caller, nil
}

type proven struct {
	Text  string          `json:"text"`
	Input json.RawMessage `json:"input,omitempty"`
}

func (n *notary) Settle(touch string, _ json.RawMessage, err error) {
	n.settled = append(n.settled, touch+" "+string(vyre.CodeOf(err)))
}

// Without anybody to hold a touch against a call, a tool that needs one is refused
// to all.
func TestPresenceIsNeverAssumed(t *testing.T) {
	r := New()
	Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true},
		func(context.Context, vyre.Caller, none) (none, error) { t.Error("it ran"); return none{}, nil })
	_, err := r.Call(t.Context(), vyre.Person(vyre.Owner, "web"), "x.y", nil)
	code(t, err, vyre.CodePresenceRequired)
}

// The prover is asked of every act that needs it, after the input was found good and
// before anything runs; what it says of the caller is what the handler sees, and no
// handler sees a touch.
func TestProverIsAskedOfWhatNeedsIt(t *testing.T) {
	for name, c := range map[string]struct {
		tool  vyre.Tool
		touch string
		asked int
		want  vyre.Code
		proof string
	}{
		"plain":           {vyre.Tool{}, "", 0, "", "peer"},
		"decides":         {vyre.Tool{Decides: true}, "", 1, vyre.CodePresenceRequired, ""},
		"admits":          {vyre.Tool{Admits: true}, "", 1, vyre.CodePresenceRequired, ""},
		"presence":        {vyre.Tool{Presence: true}, "", 1, vyre.CodePresenceRequired, ""},
		"touched":         {vyre.Tool{Presence: true}, "good", 1, "", "passkey"},
		"forged":          {vyre.Tool{Presence: true}, "bad", 1, vyre.CodePresenceRequired, ""},
		"plain, a forged": {vyre.Tool{}, "bad", 1, vyre.CodePresenceRequired, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, n, ran := New(), &notary{}, 0
			r.Prove(n)
			c.tool.Name, c.tool.Summary, c.tool.Effect, c.tool.Reach = "x.y", "S.", vyre.EffectWrite, vyre.ReachPerson
			Define(r, c.tool, func(_ context.Context, by vyre.Caller, _ proven) (none, error) {
				if ran++; by.Touch != "" || by.Proof != c.proof {
					t.Errorf("the handler saw %+v", by)
				}
				return none{}, nil
			})
			by := vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "cli", Proof: "peer", Touch: c.touch}
			if _, err := r.Call(t.Context(), by, "x.y", json.RawMessage(`{"txt":1}`)); vyre.CodeOf(err) != vyre.CodeInvalid || len(n.asked) != 0 {
				t.Errorf("a bad input: %v, asked %d", err, len(n.asked))
			}
			_, err := r.Call(t.Context(), by, "x.y", json.RawMessage(`{"text":"a"}`))
			if vyre.CodeOf(err) != c.want || len(n.asked) != c.asked || (ran == 1) != (c.want == "") {
				t.Errorf("got %v, asked %d, ran %d", err, len(n.asked), ran)
			}
		})
	}
}

// A touch is bound to the tool, to what was shown and to all of the input, and to
// nothing of how the input is spelled.
func TestActHash(t *testing.T) {
	r, n := New(), &notary{}
	r.Prove(n)
	for _, name := range []string{"x.y", "x.z"} {
		Define(r, vyre.Tool{Name: name, Summary: "S.", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true},
			func(context.Context, vyre.Caller, proven) (none, error) { return none{}, nil })
	}
	digest := "d1"
	for _, name := range []string{"x.y", "x.z"} {
		Describe(r, name, func(_ context.Context, in proven) (Shown, error) { return Shown{"T", in.Text, digest}, nil })
	}
	hash := func(name, input string) []byte {
		n.asked = nil
		_, _ = r.Call(t.Context(), vyre.Person(vyre.Owner, "cli"), name, json.RawMessage(input))
		s, err := n.asked[0].Describe(t.Context())
		if err != nil || s.Text == "" {
			t.Fatalf("%+v, %v", s, err)
		}
		return n.asked[0].Hash(s)
	}
	first := hash("x.y", `{"text":"a","input":{"command":"ls"}}`)
	if !bytes.Equal(first, hash("x.y", ` { "input" : {"command": "ls"}, "text":"\u0061"}`)) {
		t.Error("another spelling is another act")
	}
	for what, h := range map[string][]byte{
		"tool": hash("x.z", `{"text":"a","input":{"command":"ls"}}`), "text": hash("x.y", `{"text":"b","input":{"command":"ls"}}`),
		"input": hash("x.y", `{"text":"a","input":{"command":"ls -l"}}`), "no input": hash("x.y", `{"text":"a"}`),
	} {
		if bytes.Equal(first, h) {
			t.Errorf("another %s is the same act", what)
		}
	}
	digest = "d2"
	if bytes.Equal(first, hash("x.y", `{"text":"a","input":{"command":"ls"}}`)) {
		t.Error("another thing shown is the same act")
	}
}

// The call that a good touch started is settled once, with its outcome, also when it
// fails or panics; a touch that was no good settles nothing.
func TestTouchedCallIsSettledOnce(t *testing.T) {
	for how, c := range map[string]struct {
		touch string
		do    func() error
		want  []string
	}{
		"done":   {"good", func() error { return nil }, []string{"good "}},
		"failed": {"good", func() error { return vyre.Errorf(vyre.CodeConflict, "no") }, []string{"good conflict"}},
		"panics": {"good", func() error { panic("x") }, []string{"good internal"}},
		"forged": {"bad", func() error { t.Error("it ran"); return nil }, nil},
	} {
		r, n := New(), &notary{}
		r.Prove(n)
		Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true},
			func(context.Context, vyre.Caller, none) (none, error) { return none{}, c.do() })
		by := vyre.Person(vyre.Owner, "web")
		by.Touch = c.touch
		_, _ = r.Call(t.Context(), by, "x.y", nil)
		if !slices.Equal(n.settled, c.want) {
			t.Errorf("%s: settled %q, want %q", how, n.settled, c.want)
		}
	}
}
