package claude_test

import (
	"context"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

// hooked opens a session whose hooks are answered by f.
func hooked(t *testing.T, h *agenttest.Home, f func(context.Context, agent.Hook) agent.HookReply, kinds ...agent.HookKind) *live {
	t.Helper()
	return start(t, h, agent.WithHooks(f, kinds...))
}

// held leaves every hook open until its context ends.
func held(ctx context.Context, _ agent.Hook) agent.HookReply {
	<-ctx.Done()
	return agent.HookReply{}
}

func TestHooksGoOn(t *testing.T) {
	// Each hook comes at its moment, and an allowed call is still asked about.
	h := agenttest.Claude(t, agenttest.API(t))
	l := hooked(t, h, func(_ context.Context, hk agent.Hook) agent.HookReply {
		r := agent.HookReply{Decision: vyre.Allow}
		if hk.Kind == agent.HookPostTool {
			r = agent.HookReply{Context: "seen by the hook"}
		}
		return r
	}, agent.HookPreTool, agent.HookPostTool, agent.HookPrompt, agent.HookStop)
	id := l.send(`tool Bash {"command":"touch made"}`, "say the end")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	var kinds []string
	for _, hk := range all[agent.Hook](l) {
		kinds = append(kinds, string(hk.Kind))
		switch hk.Kind {
		case agent.HookPreTool, agent.HookPostTool:
			if hk.Call != a.Call || hk.Tool != "Bash" || !strings.Contains(string(hk.Input), "touch made") {
				t.Errorf("%s: %+v", hk.Kind, hk)
			}
		case agent.HookPrompt:
			if !strings.HasPrefix(hk.Text, "tool Bash") {
				t.Errorf("prompt: %+v", hk)
			}
		case agent.HookStop:
			want(t, "last words", hk.Text, "the end")
		}
	}
	want(t, "hooks", strings.Join(kinds, " "), "prompt pre_tool post_tool stop")
}

func TestHookDenies(t *testing.T) {
	// A denied call does not run and nobody is asked; a denied message is not read; a
	// denied end makes the agent go on.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	stops := 0
	l := hooked(t, h, func(_ context.Context, hk agent.Hook) agent.HookReply {
		switch {
		case hk.Kind == agent.HookPreTool:
			return agent.HookReply{Decision: vyre.Deny, Why: "the line is full"}
		case hk.Kind == agent.HookPrompt && strings.Contains(hk.Text, "secret"):
			return agent.HookReply{Decision: vyre.Deny, Why: "not that"}
		case hk.Kind == agent.HookStop && hk.Text == "the end":
			if stops++; stops == 1 {
				return agent.HookReply{Decision: vyre.Deny, Why: "there is more"}
			}
		}
		return agent.HookReply{}
	}, agent.HookPreTool, agent.HookPrompt, agent.HookStop)
	id := l.send(`tool Bash {"command":"touch never"}`, "say went on")
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	if exists(t, h, "never") || len(all[agent.Ask](l)) != 0 {
		t.Error("a denied call was asked or ran")
	}
	var denied agent.ToolUpdate
	for _, u := range all[agent.ToolUpdate](l) {
		denied = u
	}
	if denied.Status != vyre.ItemFailed || denied.By != vyre.ByHook || !strings.Contains(string(denied.Output), "the line is full") {
		t.Errorf("the call: %+v", denied)
	}

	l.ended(l.send("say a secret"))
	want(t, "runs of a denied message", api.Runs("a secret"), 0)

	l.ended(l.send("say the end"))
	if got := l.text(vyre.ItemText); !strings.HasSuffix(got, "the endthe end") {
		t.Errorf("after a denied end: %q", got)
	}
	want(t, "the next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
}

func TestHookWaits(t *testing.T) {
	// A call waits in its hook for as long as it is let wait: the words of the turn
	// end there, and it goes on when it is answered.
	h := agenttest.Claude(t, agenttest.API(t))
	slot := make(chan struct{})
	l := hooked(t, h, func(ctx context.Context, _ agent.Hook) agent.HookReply {
		select {
		case <-slot:
		case <-ctx.Done():
		}
		return agent.HookReply{}
	}, agent.HookPreTool)
	id := l.send(`tool Bash {"command":"echo hi"}`, "say end")
	until[agent.Hook](l, nil)
	l.say(agent.SetModel{Model: "opus"}) // something else gets through meanwhile
	until[agent.Replied](l, nil)
	want(t, "results before the slot", len(all[agent.ToolUpdate](l)), 0)
	close(slot)
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
}

func TestInterruptInAHook(t *testing.T) {
	// An interrupt takes back the hook that is open, and the call does not run.
	h := agenttest.Claude(t, agenttest.API(t))
	l := hooked(t, h, held, agent.HookPreTool)
	id := l.send(`tool Bash {"command":"touch never"}`, "say never")
	hk := until[agent.Hook](l, nil)
	l.say(agent.Interrupt{})
	want(t, "withdrawn", until[agent.HookWithdrawn](l, nil).Request, hk.Request)
	want(t, "status", l.ended(id).Status, vyre.TurnCanceled)
	if exists(t, h, "never") {
		t.Error("the call ran")
	}
	want(t, "the next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
}

func TestAttachWithAHookOpen(t *testing.T) {
	// A reader that attaches is told of the hook that is open, can answer it, and
	// gets the hooks that follow.
	h := agenttest.Claude(t, agenttest.API(t))
	l := hooked(t, h, held, agent.HookPreTool)
	id := l.send(`tool Bash {"command":"echo 1"}`, "next", `tool Bash {"command":"echo 2"}`, "say end")
	first := until[agent.Hook](l, nil)
	l.say(agent.Initialize{Attach: true})
	until(l, func(r agent.Ready) bool { return r.Attached })
	again := until[agent.Hook](l, nil)
	want(t, "told again", again.Request, first.Request)
	l.say(agent.HookReply{Request: again.Request, Kind: again.Kind})
	second := until[agent.Hook](l, nil)
	if second.Request == first.Request || !strings.Contains(string(second.Input), "echo 2") {
		t.Errorf("the next hook: %+v", second)
	}
	l.say(agent.HookReply{Request: second.Request, Kind: second.Kind})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
}

func TestSubagentsHooks(t *testing.T) {
	// A hook of a subagent says whose it is, and its end has a hook of its own.
	h := agenttest.Claude(t, agenttest.API(t))
	l := hooked(t, h, func(context.Context, agent.Hook) agent.HookReply { return agent.HookReply{} },
		agent.HookPreTool, agent.HookSubagentStop)
	id := l.send(`tool Agent {"description":"sub work","subagent_type":"general-purpose","run_in_background":false,"prompt":"tool Bash {\"command\":\"echo sub\"}\nsay sub end"}`, "say main end")
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	inner := ""
	for _, hk := range all[agent.Hook](l) {
		switch {
		case hk.Kind == agent.HookPreTool && hk.Tool == "Bash":
			inner = hk.AgentID
		case hk.Kind == agent.HookPreTool && hk.AgentID != "":
			t.Errorf("the main agent's hook names a subagent: %+v", hk)
		case hk.Kind == agent.HookSubagentStop:
			if hk.AgentID != inner || hk.Text != "sub end" {
				t.Errorf("the subagent's end: %+v, want of %q", hk, inner)
			}
			inner = "ended"
		}
	}
	want(t, "the subagent", inner, "ended")
}
