package policy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
	"vyre/internal/policy"
	"vyre/internal/registry"
)

func tryIt(t *testing.T, c vyre.Caller, input string) (Out, error) {
	t.Helper()
	r := registry.New()
	m := Module{Providers: []agent.Provider{claude.New()}, Judge: func(c policy.Call) policy.Verdict { return policy.Judge(c, policy.Facts{Home: "/home/u"}) }}
	m.Register(r)
	b, err := r.Call(t.Context(), c, "policy.try", []byte(input))
	var out Out
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out, err
}

func TestTrySaysWhatWouldHappen(t *testing.T) {
	// A person learns what would become of a call, by which rule, part by part, as a session would.
	for input, want := range map[string]struct {
		v     vyre.Verdict
		by    policy.By
		parts int
	}{
		`{"tool":"Bash","input":{"command":"ls; npm test"},"cwd":"/w"}`:                      {vyre.VerdictAsk, policy.ByPerson, 2},
		`{"tool":"Bash","input":{"command":"ls -la"},"cwd":"/w"}`:                            {vyre.VerdictAllow, policy.ByReadonly, 1},
		`{"tool":"Write","input":{"file_path":".claude/settings.json"},"cwd":"/w"}`:          {vyre.VerdictDeny, policy.ByFloor, 1},
		`{"tool":"mcp__x__y","input":{},"cwd":"/w","source":"config:x","provider":"claude"}`: {vyre.VerdictAsk, policy.ByPerson, 1},
	} {
		got, err := tryIt(t, vyre.Person(vyre.Owner, "cli"), input)
		if err != nil || got.Verdict != want.v || got.By != want.by || len(got.Parts) != want.parts || got.Why == "" {
			t.Errorf("%s: %+v, %v", input, got, err)
		}
	}
}

func TestTryRefuses(t *testing.T) {
	// What is no call is refused, naming the field; nobody but a person may look.
	for input, field := range map[string]string{
		`{"tool":"","input":{},"cwd":"/w"}`:                    "tool",
		`{"tool":"Bash","input":[],"cwd":"/w"}`:                "input",
		`{"tool":"Bash","input":{},"cwd":"w"}`:                 "cwd",
		`{"tool":"Bash","input":{},"cwd":"/w","provider":"x"}`: "provider",
		`{"tool":"Bash","input":{},"cwd":"/w","project":"x"}`:  "project",
	} {
		_, err := tryIt(t, vyre.Person(vyre.Owner, "cli"), input)
		e, ok := errors.AsType[*vyre.Error](err)
		if !ok || e.Code != vyre.CodeInvalid || !strings.HasPrefix(e.Error(), "invalid: "+field+": ") {
			t.Errorf("%s: %v", input, err)
		}
	}
	if _, err := tryIt(t, vyre.Caller{Kind: vyre.CallerThread, ID: "t"}, `{"tool":"Bash","input":{},"cwd":"/w"}`); err == nil {
		t.Error("a thread may look for what it may do")
	}
}
