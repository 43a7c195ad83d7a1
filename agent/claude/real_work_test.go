package claude_test

import (
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

func TestBackgroundCommand(t *testing.T) {
	// A command in the background outlives its turn and ends with one that nobody sent.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	id := l.send(`tool Bash {"command":"sleep 1; echo DONE","description":"later","run_in_background":true}`, "say started")
	l.ended(id)
	tasks := all[agent.Task](l)
	if len(tasks) != 1 || tasks[0].Done || tasks[0].Title != "later" {
		t.Fatalf("tasks: %+v", tasks)
	}
	done := until(l, func(e agent.Task) bool { return e.Done })
	want(t, "task", done.ID, tasks[0].ID)
	want(t, "state", done.State, "completed")
	begun := until[agent.TurnStarted](l, nil)
	want(t, "messages of a turn nobody sent", len(begun.Messages), 0)
	end := until[agent.TurnEnded](l, nil)
	want(t, "status", end.Status, vyre.TurnCompleted)
	want(t, "messages", len(end.Messages), 0)
}

func TestForegroundCommandIsNoTask(t *testing.T) {
	// A slow command in the foreground is a call, not background work.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.ended(l.send(`tool Bash {"command":"sleep 2.5; echo FG","description":"slow"}`, "say end"))
	if tasks := all[agent.Task](l); len(tasks) != 0 {
		t.Errorf("tasks: %+v", tasks)
	}
	for _, u := range all[agent.ToolUpdate](l) {
		want(t, "by", u.By, vyre.ByReadonly)
	}
}

func TestSubagent(t *testing.T) {
	// A subagent's words and calls are under its call; what it asks names the path to it.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Agent {"description":"sub work","subagent_type":"general-purpose","run_in_background":false,"prompt":"say hello from below\ntool Bash {\"command\":\"touch below\"}\nsay all done"}`, "say main done")
	a := until[agent.Ask](l, nil)
	if len(a.AgentPath) != 1 || a.AgentPath[0] != "general-purpose: sub work" {
		t.Errorf("path: %q", a.AgentPath)
	}
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	var call string
	below := ""
	for _, it := range all[agent.Item](l) {
		switch {
		case it.Kind == vyre.ItemSubagent:
			call = it.Key
		case it.Parent != "" && it.Parent != call:
			t.Errorf("an item under %q, not under the call %q", it.Parent, call)
		case it.Parent != "" && it.Kind == vyre.ItemText:
			below += it.Text + ";"
		}
	}
	want(t, "words below", below, "hello from below;all done;")
	want(t, "the call's result", l.result(call).Status, vyre.ItemCompleted)
	if !exists(t, h, "below") {
		t.Error("the allowed command did not run")
	}
}

func TestSubagentInTheBackground(t *testing.T) {
	// A subagent in the background may ask after its turn ended: the question is a
	// turn that nobody sent, as long as it is open.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	id := l.send(`tool Agent {"description":"bg","subagent_type":"general-purpose","prompt":"gate below\ntool Bash {\"command\":\"touch below\"}\nsay sub end"}`, "say main end")
	l.ended(id)
	api.Gate("below").Open()
	a := until[agent.Ask](l, nil)
	if len(a.AgentPath) != 1 {
		t.Errorf("path: %q", a.AgentPath)
	}
	begun := all[agent.TurnStarted](l)
	if len(begun) != 2 || len(begun[1].Messages) != 0 {
		t.Errorf("turns begun: %+v", begun)
	}
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	until(l, func(e agent.TurnEnded) bool { return len(e.Messages) == 0 }) // of the question
	want(t, "the call", until(l, func(u agent.ToolUpdate) bool { return u.Key == a.Call }).Status, vyre.ItemCompleted)
	until(l, func(e agent.Task) bool { return e.Done })
	until(l, func(e agent.TurnEnded) bool { return len(e.Messages) == 0 }) // of the task's end
	want(t, "the last words", strings.HasSuffix(l.text(vyre.ItemText), "Noted: the background task ended."), true)
}

func TestTurnWaitsForASubagentsQuestion(t *testing.T) {
	// A turn whose result comes while a subagent's question is open ends when that is closed.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	id := l.send(`tool Agent {"description":"bg","subagent_type":"general-purpose","prompt":"tool Bash {\"command\":\"touch below\"}\nsay sub end"}`, "gate main", "say main end")
	a := until[agent.Ask](l, nil)
	api.Gate("main").Open()
	until(l, func(it agent.Item) bool { return it.Text == "main end" })
	l.say(agent.SetMode{Mode: vyre.ModeEdits}) // its reply shows that the result was read before
	until[agent.Replied](l, nil)
	if ends := all[agent.TurnEnded](l); len(ends) != 0 {
		t.Fatalf("the turn ended with a question open: %+v", ends)
	}
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	end := l.ended(id)
	want(t, "status", end.Status, vyre.TurnCompleted)
	if end.Usage == nil || end.Usage.OutputTokens == 0 {
		t.Errorf("usage: %+v", end.Usage)
	}
}

func TestAPIError(t *testing.T) {
	// A turn that fails at the model is failed, though the agent calls its result a success.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	end := l.ended(l.send("error 400"))
	want(t, "status", end.Status, vyre.TurnFailed)
	if !strings.Contains(end.Error, "400") || end.Limit || end.NoAuth {
		t.Errorf("end: %+v", end)
	}
	var errs []agent.Item
	for _, it := range all[agent.Item](l) {
		if it.Kind == vyre.ItemError {
			errs = append(errs, it)
		}
	}
	if len(errs) != 1 || errs[0].Text != end.Error {
		t.Errorf("error items: %+v", errs)
	}
	want(t, "the next turn", l.ended(l.send("say fine")).Status, vyre.TurnCompleted)
}

func TestNoCredential(t *testing.T) {
	// A refused credential is told apart from other failures.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	end := l.ended(l.send("error 401"))
	if end.Status != vyre.TurnFailed || !end.NoAuth {
		t.Errorf("end: %+v", end)
	}
}

func TestRetry(t *testing.T) {
	// A retried request is a notice, and the turn completes.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	end := l.ended(l.send("error 529 x1", "say recovered"))
	want(t, "status", end.Status, vyre.TurnCompleted)
	var notices []string
	for _, it := range all[agent.Item](l) {
		if it.Kind == vyre.ItemNotice {
			notices = append(notices, it.Text)
		}
	}
	if len(notices) != 1 || !strings.Contains(notices[0], "overloaded (529)") {
		t.Errorf("notices: %q", notices)
	}
	want(t, "words", l.text(vyre.ItemText), "recovered")
}

func TestCutStream(t *testing.T) {
	// A stream that breaks off is closed as canceled; the words that count are whole.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	end := l.ended(l.send("say these words get lost", "cut x1", "say and these do not"))
	want(t, "status", end.Status, vyre.TurnCompleted)
	status := map[string]vyre.ItemStatus{}
	for _, it := range all[agent.Item](l) {
		if it.Kind == vyre.ItemText {
			status[it.Key] = it.Status
		}
	}
	for _, e := range all[agent.Text](l) {
		if status[e.Key] == "" {
			t.Errorf("words %q of an item that was never closed", e.Text)
		}
	}
}

func TestLimit(t *testing.T) {
	// A subscription's limit is told, and a turn that fails at it says so.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h, agent.WithCredential(agent.Credential{Kind: agent.CredentialOAuthToken, Value: []byte("sk-ant-oat01-x")}))
	l.ended(l.send("limit warning", "say hi"))
	w := all[agent.Limit](l)
	if len(w) == 0 || w[len(w)-1].Status != "warning" || w[len(w)-1].Window != "five_hour" || w[len(w)-1].ResetsAt == 0 {
		t.Errorf("limits: %+v", w)
	}
	end := l.ended(l.send("limit rejected"))
	if end.Status != vyre.TurnFailed || !end.Limit {
		t.Errorf("end: %+v", end)
	}
}

func TestCompaction(t *testing.T) {
	// A compaction is an item with its summary.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.ended(l.send("say one"))
	end := l.ended(l.send("/compact"))
	want(t, "status", end.Status, vyre.TurnCompleted)
	var last agent.Item
	for _, it := range all[agent.Item](l) {
		if it.Kind == vyre.ItemCompaction {
			last = it
		}
	}
	if last.Key == "" || last.Text == "" {
		t.Errorf("no compaction with a summary:\n%s", l.story())
	}
	want(t, "the next turn", l.ended(l.send("say after")).Status, vyre.TurnCompleted)
}

func TestClearedConversation(t *testing.T) {
	// A cleared conversation goes on under another id, which is told.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.ended(l.send("say one"))
	l.ended(l.send("/clear"))
	ids := all[agent.NativeID](l)
	if len(ids) != 1 || ids[0].ID == l.s.NativeID() {
		t.Errorf("ids: %+v", ids)
	}
}

func TestLargeLine(t *testing.T) {
	// A call whose input is megabytes is asked and shown whole.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Write {"file_path":"$CWD/big","content":"$FILL:3000000"}`, "say end")
	a := until[agent.Ask](l, nil)
	if !strings.HasSuffix(a.Display, agenttest.Fill(3000000)) {
		t.Errorf("display has %d bytes", len(a.Display))
	}
	l.answer(a, agent.Answer{Decision: vyre.Deny})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
}
