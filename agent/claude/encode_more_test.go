package claude_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/agent"
)

func TestEncodeMore(t *testing.T) {
	// What is said beside a turn is one line too, whose id says what its reply is to.
	const u = "a8c5c2a8-9d2a-4c0b-8d55-3f6d5e1f2a3b"
	request := func(what, body string) string {
		return `{"type":"control_request","request_id":"vyre-7-` + what + `","request":` + body + `}`
	}
	user := func(content string) string {
		return `{"message":{"content":` + content + `,"role":"user"},"parent_tool_use_id":null,"priority":"later","session_id":"","type":"user","uuid":"` + u + `"}`
	}
	call := func(result string) string {
		return reply(`{"mcp_response":{"id":3,"jsonrpc":"2.0","result":` + result + `}}`)
	}
	for _, c := range []struct {
		name string
		say  agent.Say
		want string
	}{
		{"cancel", agent.Cancel{ID: u}, request("cancel", `{"subtype":"cancel_async_message","message_uuid":"`+u+`"}`)},
		{"stop a task", agent.StopTask{Task: "b1"}, request("stop-task", `{"subtype":"stop_task","task_id":"b1"}`)},
		{"effort", agent.SetEffort{Effort: "low"}, request("effort", `{"subtype":"apply_flag_settings","settings":{"effortLevel":"low"}}`)},
		{"the agent's own effort", agent.SetEffort{}, request("effort", `{"subtype":"apply_flag_settings","settings":{"effortLevel":null}}`)},
		{"compact", agent.Compact{ID: u}, user(`"/compact"`)},
		{"compact as told", agent.Compact{ID: u, Instructions: "keep <names>"}, user(`"/compact keep <names>"`)},
		{"rewind files", agent.RewindFiles{Message: u}, request("rewind", `{"subtype":"rewind_files","user_message_id":"`+u+`"}`)},
		{"rewind files, dry", agent.RewindFiles{Message: u, DryRun: true}, request("rewind-dry", `{"subtype":"rewind_files","user_message_id":"`+u+`","dry_run":true}`)},
		{"context", agent.GetContext{}, request("context", `{"subtype":"get_context_usage","detail":"summary"}`)},
		{"files", agent.GetFiles{Query: "al"}, request("files", `{"subtype":"file_suggestions","query":"al"}`)},
		{"servers", agent.GetServers{}, request("servers", `{"subtype":"mcp_status"}`)},
		{
			"a picture",
			agent.Send{ID: u, Text: "look", Parts: []agent.Part{{Name: "p", MediaType: "image/png", Data: []byte{1, 2}}}},
			user(`[{"text":"look","type":"text"},{"source":{"data":"AQI=","media_type":"image/png","type":"base64"},"type":"image"}]`),
		},
		{
			"a picture without words",
			agent.Send{ID: u, Parts: []agent.Part{{MediaType: "image/gif", Data: []byte{1, 2}}}},
			user(`[{"source":{"data":"AQI=","media_type":"image/gif","type":"base64"},"type":"image"}]`),
		},
		{
			"a file",
			agent.Send{ID: u, Text: "read", Parts: []agent.Part{{Name: "a.txt", MediaType: "text/plain", Path: "/in/a b.txt", Data: []byte("x")}}},
			user(`"read\n\nAttached file: /in/a b.txt"`),
		},
		{"what the protocol says", agent.Native{Line: json.RawMessage(`{"a":"<"}`)}, `{"a":"<"}`},
		{"a hook goes on", agent.HookReply{Request: "r", Kind: agent.HookPreTool}, reply(`{}`)},
		{"an allowed call is still asked", agent.HookReply{Request: "r", Kind: agent.HookPreTool, Decision: vyre.Allow}, reply(`{}`)},
		{
			"a hook denies a call", agent.HookReply{Request: "r", Kind: agent.HookPreTool, Decision: vyre.Deny, Why: "no"},
			reply(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`),
		},
		{
			"a hook denies a message", agent.HookReply{Request: "r", Kind: agent.HookPrompt, Decision: vyre.Deny, Why: "no"},
			reply(`{"decision":"block","reason":"no"}`),
		},
		{
			"a hook adds to a message", agent.HookReply{Request: "r", Kind: agent.HookPrompt, Context: "c"},
			reply(`{"hookSpecificOutput":{"additionalContext":"c","hookEventName":"UserPromptSubmit"}}`),
		},
		{"a turn goes on", agent.HookReply{Request: "r", Kind: agent.HookStop, Decision: vyre.Deny, Why: "more"}, reply(`{"decision":"block","reason":"more"}`)},
		{"a tool's text", agent.ToolReply{Request: "r#3", Output: json.RawMessage(`"a\nb"`)}, call(`{"content":[{"text":"a\nb","type":"text"}]}`)},
		{"a tool's value", agent.ToolReply{Request: "r#3", Output: json.RawMessage(`{"a":1}`)}, call(`{"content":[{"text":"{\"a\":1}","type":"text"}]}`)},
		{"a tool that failed", agent.ToolReply{Request: "r#3", Output: json.RawMessage(`"no"`), Failed: true}, call(`{"content":[{"text":"no","type":"text"}],"isError":true}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := provider.Protocol(agent.Options{}).Encode(7, c.say)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(canonical(t, c.want), canonical(t, string(got))); d != "" {
				t.Errorf("line (-want +got):\n%s", d)
			}
		})
	}
}

func TestEncodeMoreRefuses(t *testing.T) {
	// What the agent would take and not understand is refused before it is said.
	p := provider.Protocol(agent.Options{})
	for name, s := range map[string]agent.Say{
		"an effort":             agent.SetEffort{Effort: "huge"},
		"a part without a path": agent.Send{Parts: []agent.Part{{Name: "a", MediaType: "text/plain", Data: []byte("x")}}},
		"a path of two lines":   agent.Send{Parts: []agent.Part{{Path: "/a\n/b"}}},
		"a hook":                agent.HookReply{Kind: "other"},
		"a hook too late":       agent.HookReply{Kind: agent.HookPostTool, Decision: vyre.Deny},
		"a decision":            agent.HookReply{Kind: agent.HookPreTool, Decision: "ask"},
		"no call":               agent.ToolReply{Request: "r", Output: json.RawMessage(`""`)},
		"an output":             agent.ToolReply{Request: "r#3", Output: json.RawMessage(`{`)},
		"two lines":             agent.Native{Line: json.RawMessage("{\n}")},
		"no line":               agent.Native{},
	} {
		if b, err := p.Encode(1, s); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
}

func TestReplies(t *testing.T) {
	// What was asked comes as the body of the reply, in the documented shape; what
	// the agent could not do, though it calls that a success, is an error.
	for _, c := range []struct{ name, what, body, want, err string }{
		{"cancelled", "cancel", `{"cancelled":true,"message_uuid":"u"}`, ``, ""},
		{"not cancelled", "cancel", `{"cancelled":false}`, ``, "the message does not wait there any more"},
		{"stopped", "stop-task", `{}`, ``, ""},
		{
			"dry run", "rewind-dry", `{"canRewind":true,"filesChanged":["/a","/b"],"insertions":3,"deletions":1}`,
			`{"files":["/a","/b"],"insertions":3,"deletions":1}`, "",
		},
		{"rewound", "rewind", `{"canRewind":true,"skippedLinks":0}`, `{"files":[],"insertions":0,"deletions":0}`, ""},
		{"no checkpoint", "rewind", `{"canRewind":false,"error":"No file checkpoint found for this message."}`, ``, "No file checkpoint found for this message."},
		{
			"context", "context",
			`{"categories":[{"name":"Messages","tokens":7,"kind":"used"},{"name":"Free space","tokens":9,"kind":"free"}],"totalTokens":7,"maxTokens":100}`,
			`{"tokens":7,"window":100,"parts":[{"name":"Messages","tokens":7}]}`, "",
		},
		{"files", "files", `{"suggestions":[{"path":"sub/"},{"path":"a.txt"}],"cwd":"/w"}`, `["sub/","a.txt"]`, ""},
		{"no files", "files", `{"suggestions":[],"cwd":"/w"}`, `[]`, ""},
		{"no servers", "servers", `{"mcpServers":[]}`, `[]`, ""},
		{"nonsense", "context", `[]`, ``, "the agent's answer was not understood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decodeOne(t, `{"type":"control_response","response":{"subtype":"success","request_id":"vyre-3-`+c.what+`","response":`+c.body+`}}`)
			want := agent.Replied{ID: 3, Err: c.err}
			if c.want != "" {
				want.Body = json.RawMessage(c.want)
			}
			if d := cmp.Diff([]agent.Event{want}, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
