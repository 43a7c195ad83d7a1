package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

func TestTurn(t *testing.T) {
	// A turn's words come as they are made, whole and once, bound to the message that began it.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	id := l.send("think hm", "words 100 every 1ms", "usage in=11 out=22 cache_read=33 cache_write=44")
	end := l.ended(id)

	want(t, "status", end.Status, vyre.TurnCompleted)
	want(t, "words", l.text(vyre.ItemText), agenttest.Words(100))
	want(t, "thinking", l.text(vyre.ItemReasoning), "hm")
	begun := all[agent.TurnStarted](l)
	if len(begun) != 1 || len(begun[0].Messages) != 1 || begun[0].Messages[0] != id {
		t.Errorf("turns started: %+v", begun)
	}
	offset := 0
	for _, e := range all[agent.Text](l) {
		if e.Kind == vyre.ItemText {
			want(t, "offset", e.Offset, offset)
			offset += len(e.Text)
		}
	}
	for _, it := range all[agent.Item](l) {
		if it.Kind == vyre.ItemText {
			want(t, "the item's text", it.Text, agenttest.Words(100))
		}
	}
	u := end.Usage
	if u == nil || u.InputTokens != 11 || u.OutputTokens != 22 || u.CacheReadTokens != 33 || u.CacheWriteTokens != 44 || u.CostMicros <= 0 || u.ContextWindow <= 0 {
		t.Errorf("usage: %+v", u)
	}
}

func TestUsageIsOfTheTurn(t *testing.T) {
	// The agent's figures are cumulative; a turn's cost is its own.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	first := l.ended(l.send("say one")).Usage
	second := l.ended(l.send("say two")).Usage
	want(t, "cost of two equal turns", second.CostMicros, first.CostMicros)
	want(t, "input", second.InputTokens, first.InputTokens)
}

func TestMessagesQueueAndSteer(t *testing.T) {
	// A plain message waits for its own turn; a steering one joins at the next step.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	first := l.send(`tool Bash {"command":"touch a"}`, "say end")
	ask := until[agent.Ask](l, nil)
	later := l.send("say later")
	steer := agent.WireID("steering")
	l.say(agent.Send{ID: "steering", Text: "fold me", Steer: true})
	l.answer(ask, agent.Answer{Decision: vyre.Allow})
	end := l.ended(first)
	if len(end.Messages) != 2 || end.Messages[1] != steer {
		t.Errorf("the turn took %v, want %v and %v", end.Messages, first, steer)
	}
	if taken := all[agent.MessageTaken](l); len(taken) != 1 || taken[0].Message != steer {
		t.Errorf("taken: %v", taken)
	}
	if m := l.ended(later).Messages; len(m) != 1 {
		t.Errorf("the later turn took %v", m)
	}
}

func TestRepeatedMessageIsNotRunAgain(t *testing.T) {
	// Sending a message twice runs it once, also when a new process resumed the session.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := start(t, h)
	msg := agent.Send{ID: "my-key_1", Text: "say only once"}
	id := agent.WireID(msg.ID)
	l.say(msg)
	l.ended(id)
	l.say(msg) // the same process only echoes it
	l.ended(l.send("say between"))
	l.s.Close()

	r := start(t, h, agent.WithResume(l.s.NativeID()))
	r.say(msg) // a new one says that it is completed
	want(t, "status of the repeat", r.ended(id).Status, vyre.TurnCompleted)
	r.ended(r.send("say and on"))
	want(t, "runs", api.Runs("only once"), 1)
}

func TestResume(t *testing.T) {
	// A conversation goes on in a new process, and its history tells what was delivered.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := start(t, h)
	id := l.send("say first")
	l.ended(id)
	l.s.Close()

	r := start(t, h, agent.WithResume(l.s.NativeID()))
	r.ended(r.send("say second"))
	last := api.Requests()[len(api.Requests())-1]
	if !strings.Contains(string(last.Body), "say first") {
		t.Error("the model was not told of the first turn")
	}

	o := h.AgentOptions()
	o.NativeID = l.s.NativeID()
	for name, c := range map[string]struct {
		id   vyre.MessageID
		want bool
	}{"a delivered message": {id, true}, "one that never was": {"other", false}} {
		got, known, err := provider.Delivered(t.Context(), o, c.id)
		if err != nil || !known || got != c.want {
			t.Errorf("%s: delivered %v, known %v, error %v", name, got, known, err)
		}
	}
}

func TestDeliveredAfterAKill(t *testing.T) {
	// After kill -9, the history holds the message whose turn ran and the one that
	// had joined it, not the one that only waited.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	l := start(t, h)
	running := l.send(`tool Bash {"command":"echo hi"}`, "next",
		`tool Bash {"command":"sleep 0.5"}`, "gate hold") // a joined message is written down some 100 ms later
	l.say(agent.Send{ID: "joined", Text: "join", Steer: true})
	until(l, func(e agent.MessageTaken) bool { return e.Message == agent.WireID("joined") })
	if err := api.Gate("hold").Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	waiting := l.send("say waiting")
	pid := agentPID(t, h)
	kill(t, pid)
	until[agent.Exited](l, nil)

	o := h.AgentOptions()
	o.NativeID = l.s.NativeID()
	for _, c := range []struct {
		what string
		id   vyre.MessageID
		want bool
	}{{"running", running, true}, {"joined", "joined", true}, {"waiting", waiting, false}} {
		got, known, err := provider.Delivered(t.Context(), o, c.id)
		if err != nil || !known || got != c.want {
			t.Errorf("%s: delivered %v, known %v, error %v", c.what, got, known, err)
		}
	}
}

func TestHistory(t *testing.T) {
	// It can be told without a start whether a conversation can be resumed, begun, or
	// neither, and the agent sees it the same way.
	api := agenttest.API(t)
	h := agenttest.Claude(t, api)
	o := h.AgentOptions()
	o.NativeID = string(vyre.NewThreadID())
	history := func() agent.History {
		t.Helper()
		got, err := provider.History(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want(t, "nothing began", history(), agent.HistoryNone)

	l := start(t, h)
	o.NativeID = l.s.NativeID()
	want(t, "nothing was said", history(), agent.HistoryNone)
	l.send(`tool Bash {"command":"sleep 0.5"}`, "gate hold") // rows are on disk some 100 ms later
	if err := api.Gate("hold").Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	kill(t, agentPID(t, h))
	until[agent.Exited](l, nil)
	want(t, "killed in its first turn", history(), agent.HistoryResumable)
	r := start(t, h, agent.WithResume(o.NativeID))
	r.ended(r.send("say again"))
	r.s.Close()

	files, err := filepath.Glob(filepath.Join(h.Config, "projects", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	o.NativeID = string(vyre.NewThreadID())
	row := `{"type":"queue-operation","operation":"enqueue","sessionId":"` + o.NativeID + `","content":"say one"}` + "\n"
	if err := os.WriteFile(filepath.Join(files[0], o.NativeID+".jsonl"), []byte(row), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, "killed before its first turn", history(), agent.HistoryBroken)
	if _, err := agent.Open(t.Context(), provider, h.Options(agent.WithResume(o.NativeID))...); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("resuming that: %v", err)
	}
}

func TestModeAndModelLive(t *testing.T) {
	// A mode and a model can be set in a running session, and the change says it was asked for.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	l.say(agent.SetMode{Mode: vyre.ModeEdits})
	m := until[agent.ModeChanged](l, nil)
	if m.Mode != vyre.ModeEdits || m.Native != "acceptEdits" || !m.Asked {
		t.Errorf("mode: %+v", m)
	}
	l.say(agent.SetModel{Model: "haiku"})
	mod := until[agent.ModelChanged](l, nil)
	if !strings.Contains(mod.Model, "haiku") {
		t.Errorf("model: %+v", mod)
	}
	id := l.send(`tool Write {"file_path":"$CWD/unasked.txt","content":"x"}`, "say done")
	l.ended(id)
	if n := len(all[agent.Ask](l)); n != 0 {
		t.Errorf("%d asks in a mode that accepts edits", n)
	}
	for _, u := range all[agent.ToolUpdate](l) {
		want(t, "by", u.By, vyre.ByMode)
	}
}

func TestAttachListsOpenAsks(t *testing.T) {
	// A second handshake lists the questions still open, and they can be answered.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h, agent.WithSystem("REMEMBER-THIS"))
	id := l.send(`tool Bash {"command":"touch a"}`, "say end")
	first := until[agent.Ask](l, nil)
	l.say(agent.Initialize{Attach: true})
	r := until(l, func(r agent.Ready) bool { return r.Attached })
	if len(r.Open) != 1 || r.Open[0].Request != first.Request || string(r.Open[0].Native) != string(first.Native) {
		t.Fatalf("open after the second handshake: %+v", r.Open)
	}
	l.answer(r.Open[0], agent.Answer{Decision: vyre.Allow})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	if !exists(t, h, "a") {
		t.Error("the allowed command did not run")
	}
}

func TestSystemPromptIsAdded(t *testing.T) {
	// Our words are added to the agent's own prompt and never replace it, also after a re-attach.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api), agent.WithSystem("REMEMBER-THIS"))
	for _, attach := range []bool{false, true} {
		if attach {
			l.say(agent.Initialize{Attach: true})
			until(l, func(r agent.Ready) bool { return r.Attached })
		}
		l.ended(l.send("say hi"))
		body := string(api.Requests()[len(api.Requests())-1].Body)
		if !strings.Contains(body, "REMEMBER-THIS") || !strings.Contains(body, "IMPORTANT: Assist with authorized security testing") {
			t.Errorf("attached %v: the system prompt lacks ours or the agent's own", attach)
		}
	}
}

func TestFailedStartSaysWhy(t *testing.T) {
	// A start that the agent refuses is an error within seconds, with its words.
	h := agenttest.Claude(t, agenttest.API(t))
	_, err := agent.Open(t.Context(), provider, h.Options(agent.WithResume("11111111-1111-4111-8111-111111111111"))...)
	if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "No conversation found") {
		t.Errorf("got %v", err)
	}
}

func TestCredentialByDescriptor(t *testing.T) {
	// A credential reaches the model and neither the environment nor /proc of what the agent runs.
	for _, kind := range []agent.CredentialKind{agent.CredentialAPIKey, agent.CredentialOAuthToken} {
		t.Run(string(kind), func(t *testing.T) {
			api := agenttest.API(t)
			h := agenttest.Claude(t, api)
			const secret = "sk-ant-canary-0123456789"
			l := start(t, h, agent.WithCredential(agent.Credential{Kind: kind, Value: []byte(secret)}))
			id := l.send(`tool Bash {"command":"env; tr '\\0' '\\n' < /proc/$PPID/environ; for f in /proc/$PPID/fd/3 /proc/self/fd/3; do timeout 0.3 cat $f; done; true"}`, "say end")
			ask := until[agent.Ask](l, nil)
			l.answer(ask, agent.Answer{Decision: vyre.Allow})
			l.ended(id)
			out := string(l.result(ask.Call).Output)
			if !strings.Contains(out, "CLAUDECODE=1") {
				t.Fatalf("the command did not run: %s", out)
			}
			for _, bad := range []string{"canary", agenttest.DummyKey} {
				if strings.Contains(out, bad) {
					t.Errorf("the command saw %q", bad)
				}
			}
			want(t, "the model's credential", api.Requests()[0].Key, secret)
		})
	}
}

func TestNothingIsWrittenIntoTheFolder(t *testing.T) {
	// A session leaves nothing of its own in the person's folder.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	l.ended(l.send("say hi"))
	files, err := os.ReadDir(filepath.Join(h.CWD))
	if err != nil || len(files) != 0 {
		t.Errorf("files: %v, %v", files, err)
	}
}
