package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/agent"
)

func TestEncode(t *testing.T) {
	// Each command is one line in the agent's words, and its id says what it is about.
	native := json.RawMessage(`{"tool":"Bash","call":"toolu_1","rules":[{"toolName":"Bash","ruleContent":"touch x"}]}`)
	question := json.RawMessage(`{"tool":"AskUserQuestion","call":"toolu_2","input":{"questions":[{"question":"Q?"}]}}`)
	const wakes = `{"Stop":[{"hookCallbackIds":["vyre-wakes"],"timeout":60}]}` // of the driver itself
	const u = "a8c5c2a8-9d2a-4c0b-8d55-3f6d5e1f2a3b"
	for _, c := range []struct {
		name string
		say  agent.Say
		want string
	}{
		{"initialize", agent.Initialize{}, `{"request":{"appendSystemPrompt":"be <kind>","hooks":` + wakes + `,"subtype":"initialize"},"request_id":"vyre-7-init","type":"control_request"}`},
		{"attach", agent.Initialize{Attach: true}, `{"request":{"appendSystemPrompt":"be <kind>","subtype":"initialize"},"request_id":"vyre-7-attach","type":"control_request"}`},
		{"send", agent.Send{ID: u, Text: "a\n\u2028<b>"}, `{"message":{"content":"a\n\u2028<b>","role":"user"},"parent_tool_use_id":null,"priority":"later","session_id":"","type":"user","uuid":"` + u + `"}`},
		{"steer", agent.Send{ID: u, Text: "x", Steer: true}, `{"message":{"content":"x","role":"user"},"parent_tool_use_id":null,"priority":"next","session_id":"","type":"user","uuid":"` + u + `"}`},
		{"interrupt", agent.Interrupt{}, `{"request":{"cancel_queued":true,"subtype":"interrupt"},"request_id":"vyre-7-interrupt","type":"control_request"}`},
		{"mode", agent.SetMode{Mode: vyre.ModePlan}, `{"request":{"mode":"plan","subtype":"set_permission_mode"},"request_id":"vyre-7-mode","type":"control_request"}`},
		{"model", agent.SetModel{Model: "opus"}, `{"request":{"model":"opus","subtype":"set_model"},"request_id":"vyre-7-model","type":"control_request"}`},
		{"the agent's own model", agent.SetModel{}, `{"request":{"subtype":"set_model"},"request_id":"vyre-7-model","type":"control_request"}`},
		{"end", agent.End{}, `{"request":{"subtype":"end_session"},"request_id":"vyre-7-end","type":"control_request"}`},
		{"refuse", agent.Refuse{Request: "r", Why: "no"}, `{"response":{"error":"no","request_id":"r","subtype":"error"},"type":"control_response"}`},
		{"allow", agent.Answer{Request: "r", Native: native, Decision: vyre.Allow}, reply(`{"behavior":"allow","toolUseID":"toolu_1"}`)},
		{
			"allow for the session",
			agent.Answer{Request: "r", Native: native, Decision: vyre.Allow, Scope: vyre.ScopeSession},
			reply(`{"behavior":"allow","toolUseID":"toolu_1","updatedPermissions":[{"behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"touch x"}],"type":"addRules"}]}`),
		},
		{"allow for the project writes nothing", agent.Answer{Request: "r", Native: native, Decision: vyre.Allow, Scope: vyre.ScopeProject}, reply(`{"behavior":"allow","toolUseID":"toolu_1"}`)},
		{
			"allow with a mode",
			agent.Answer{Request: "r", Native: native, Decision: vyre.Allow, Mode: vyre.ModeEdits},
			reply(`{"behavior":"allow","toolUseID":"toolu_1","updatedPermissions":[{"destination":"session","mode":"acceptEdits","type":"setMode"}]}`),
		},
		{
			"allow with another input",
			agent.Answer{Request: "r", Native: native, Decision: vyre.Allow, Input: json.RawMessage(`{"command":"ls"}`)},
			reply(`{"behavior":"allow","toolUseID":"toolu_1","updatedInput":{"command":"ls"}}`),
		},
		{
			"answers",
			agent.Answer{Request: "r", Native: question, Kind: vyre.AskQuestion, Decision: vyre.Allow, Answers: map[string]string{"Q?": "A, B"}},
			reply(`{"behavior":"allow","toolUseID":"toolu_2","updatedInput":{"answers":{"Q?":"A, B"},"questions":[{"question":"Q?"}]}}`),
		},
		{"deny", agent.Answer{Request: "r", Native: native, Decision: vyre.Deny, Message: "no <b>"}, reply(`{"behavior":"deny","message":"no <b>","toolUseID":"toolu_1"}`)},
		{
			"deny and stop",
			agent.Answer{Request: "r", Native: native, Decision: vyre.Deny, Message: "no", Stop: true, Scope: vyre.ScopeSession},
			reply(`{"behavior":"deny","interrupt":true,"message":"no","toolUseID":"toolu_1"}`),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := provider.Protocol(agent.Options{System: "be <kind>"}).Encode(7, c.say)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.IndexByte(got, '\n') != len(got)-1 {
				t.Errorf("not one line: %q", got)
			}
			if d := cmp.Diff(canonical(t, c.want), canonical(t, string(got))); d != "" {
				t.Errorf("line (-want +got):\n%s", d)
			}
		})
	}
}

func reply(body string) string {
	return `{"type":"control_response","response":{"request_id":"r","subtype":"success","response":` + body + `}}`
}

func canonical(t *testing.T, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return v
}

func TestEncodeRefuses(t *testing.T) {
	// No command can name a mode that is not ours, and half an answer is none.
	p := provider.Protocol(agent.Options{})
	for name, s := range map[string]agent.Say{
		"a mode":               agent.SetMode{Mode: "bypassPermissions"},
		"a mode in an answer":  agent.Answer{Decision: vyre.Allow, Mode: "bypassPermissions"},
		"no decision":          agent.Answer{},
		"an input that is not": agent.Answer{Decision: vyre.Allow, Input: json.RawMessage(`"ls"`)},
		"another agent's ask":  agent.Answer{Decision: vyre.Allow, Native: json.RawMessage(`[]`)},
	} {
		if b, err := p.Encode(1, s); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
	if _, err := p.Encode(1, nil); !errors.Is(err, agent.ErrUnsupported) {
		t.Errorf("nothing: %v", err)
	}
}
