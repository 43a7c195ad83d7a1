package claude_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

var addTool = agent.ToolSpec{
	Name: "add", Description: "Adds two numbers.", ReadOnly: true,
	Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
}

func TestToolOfTheHost(t *testing.T) {
	// A tool of the host is offered, asked about as ours, called with what was
	// allowed, and its result reaches the model. A failed one is a failed call.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h, agent.WithTools(func(_ context.Context, c agent.ToolCall) (json.RawMessage, bool) {
		var in struct{ A, B int }
		if err := json.Unmarshal(c.Input, &in); err != nil || c.Tool != "add" {
			return json.RawMessage(`"what?"`), true
		}
		if in.A < 0 {
			return json.RawMessage(`"too small"`), true
		}
		b, _ := json.Marshal(in.A + in.B)
		return b, false
	}, addTool))
	id := l.send(`tool mcp__vyre__add {"a":40,"b":2}`, "next", `tool mcp__vyre__add {"a":-1,"b":2}`, "say got $RESULT")
	for range 2 {
		a := until[agent.Ask](l, nil)
		if a.Source != "vyre" || a.Tool != "mcp__vyre__add" {
			t.Errorf("ask: %+v", a)
		}
		l.answer(a, agent.Answer{Decision: vyre.Allow})
	}
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	calls := all[agent.ToolCall](l)
	if len(calls) != 2 {
		t.Fatalf("calls: %+v", calls)
	}
	first, second := l.result(calls[0].Call), l.result(calls[1].Call)
	want(t, "first", words(t, first.Output), "42")
	want(t, "second", second.Status, vyre.ItemFailed)
	if got := l.text(vyre.ItemText); !strings.HasPrefix(got, "got too small") {
		t.Errorf("words: %q", got)
	}
}

func TestInterruptInAToolOfTheHost(t *testing.T) {
	// An interrupt takes back a call of ours that runs, and its context ends.
	h := agenttest.Claude(t, agenttest.API(t))
	canceled := make(chan struct{})
	l := start(t, h, agent.WithTools(func(ctx context.Context, _ agent.ToolCall) (json.RawMessage, bool) {
		<-ctx.Done()
		close(canceled)
		return nil, true
	}, addTool))
	id := l.send(`tool mcp__vyre__add {"a":1,"b":2}`, "say never")
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	c := until[agent.ToolCall](l, nil)
	l.say(agent.Interrupt{})
	want(t, "withdrawn", until[agent.ToolWithdrawn](l, nil).Request, c.Request)
	want(t, "status", l.ended(id).Status, vyre.TurnCanceled)
	select {
	case <-canceled:
	case <-t.Context().Done():
		t.Error("the call's context did not end")
	}
	want(t, "the next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
}

func TestAttachWithAToolCallOpen(t *testing.T) {
	// A reader that attaches is told of the call that is open, can answer it, and the
	// tool can be called after it.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h, agent.WithTools(func(ctx context.Context, _ agent.ToolCall) (json.RawMessage, bool) {
		<-ctx.Done()
		return nil, true
	}, addTool))
	id := l.send(`tool mcp__vyre__add {"a":1,"b":2}`, "next", `tool mcp__vyre__add {"a":3,"b":4}`, "say got $RESULT")
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	first := until[agent.ToolCall](l, nil)
	l.say(agent.Initialize{Attach: true})
	until(l, func(r agent.Ready) bool { return r.Attached })
	again := until[agent.ToolCall](l, nil)
	want(t, "told again", again.Request, first.Request)
	l.say(agent.ToolReply{Request: again.Request, Output: json.RawMessage(`"three"`)})
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	second := until[agent.ToolCall](l, nil)
	l.say(agent.ToolReply{Request: second.Request, Output: json.RawMessage(`"seven"`)})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	want(t, "first result", words(t, l.result(first.Call).Output), "three")
	want(t, "words", l.text(vyre.ItemText), "got seven")
}

func TestServersAreTold(t *testing.T) {
	// The session's MCP servers are told, ours by where it comes from.
	l := start(t, agenttest.Claude(t, agenttest.API(t)), agent.WithTools(
		func(context.Context, agent.ToolCall) (json.RawMessage, bool) { return nil, true }, addTool))
	l.ended(l.send("say hi"))
	var got []agent.ServerStatus
	l.ask(agent.GetServers{}, &got)
	if len(got) != 1 || got[0].Name != "vyre" || got[0].Source != "vyre" || got[0].Status != "connected" || got[0].Tools != 1 {
		t.Errorf("servers: %+v", got)
	}
}

// ask says something and reads the body of its reply.
func (l *live) ask(s agent.Say, body any) {
	l.t.Helper()
	l.say(s)
	r := until(l, func(r agent.Replied) bool { return r.Body != nil || r.Err != "" })
	if r.Err != "" {
		l.t.Fatalf("%T: %s", s, r.Err)
	}
	if err := json.Unmarshal(r.Body, body); err != nil {
		l.t.Fatalf("%T: %v: %s", s, err, r.Body)
	}
}

// lastRequest is the last request that the model got.
func lastRequest(api *agenttest.ModelAPI) string {
	rs := api.Requests()
	for i := len(rs) - 1; i >= 0; i-- {
		if strings.Contains(string(rs[i].Body), `"stream":true`) {
			return string(rs[i].Body)
		}
	}
	return ""
}
