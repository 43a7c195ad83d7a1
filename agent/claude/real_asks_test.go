package claude_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

// text of a result that is a JSON string.
func words(t *testing.T, out json.RawMessage) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("output is no string: %s", out)
	}
	return s
}

func TestAskAllowed(t *testing.T) {
	// An ask shows the whole of what would be done; allowed, it is done, by the person.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"touch a.txt && echo made","description":"Make a"}`, "say end")
	a := until[agent.Ask](l, nil)
	want(t, "kind", a.Kind, vyre.AskTool)
	want(t, "display", a.Display, "touch a.txt && echo made")
	want(t, "title", a.Title, "Bash: Make a")
	want(t, "source", a.Source, "builtin")
	want(t, "rules", strings.Join(a.SessionRules, "|"), "Bash(touch a.txt && echo made)")
	if !strings.HasSuffix(a.Blocked, "/a.txt") {
		t.Errorf("blocked: %q", a.Blocked)
	}
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
	r := l.result(a.Call)
	want(t, "result", r.Status, vyre.ItemCompleted)
	want(t, "by", r.By, vyre.ByPerson)
	want(t, "output", words(t, r.Output), "made")
	if !exists(t, h, "a.txt") {
		t.Error("the command did not run")
	}
}

func TestAskDenied(t *testing.T) {
	// A denied call does not run, its note reaches the model word for word, and the turn goes on.
	for name, note := range map[string]string{"plain": "", "with a note": "Use \"another\" file,\nplease."} {
		t.Run(name, func(t *testing.T) {
			h := agenttest.Claude(t, agenttest.API(t))
			l := start(t, h)
			id := l.send(`tool Write {"file_path":"$CWD/n.txt","content":"line 1\nline 2"}`, "say went on")
			a := until[agent.Ask](l, nil)
			if !strings.HasSuffix(a.Display, "/n.txt\n\nline 1\nline 2") {
				t.Errorf("display: %q", a.Display)
			}
			l.answer(a, agent.Answer{Decision: vyre.Deny, Message: note})
			want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
			r := l.result(a.Call)
			want(t, "result", r.Status, vyre.ItemFailed)
			if note != "" {
				want(t, "note", words(t, r.Output), note)
			}
			want(t, "words after it", l.text(vyre.ItemText), "went on")
			if exists(t, h, "n.txt") {
				t.Error("a denied call ran")
			}
		})
	}
}

func TestAskDeniedWithInterrupt(t *testing.T) {
	// Denied with a stop, the turn ends canceled and the session takes the next message.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"touch no"}`, "say never")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Deny, Stop: true, Message: "stop"})
	want(t, "status", l.ended(id).Status, vyre.TurnCanceled)
	want(t, "result", l.result(a.Call).Status, vyre.ItemCanceled)
	want(t, "next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
	if exists(t, h, "no") {
		t.Error("a denied call ran")
	}
}

func TestAskAllowedForTheSession(t *testing.T) {
	// "For this session" adds the shown rule and nothing else: same call unasked,
	// another asked, mode unchanged, no file written.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"touch s"}`, "say end")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Allow, Scope: vyre.ScopeSession})
	l.ended(id)

	l.ended(l.send(`tool Bash {"command":"touch s"}`, "say again"))
	want(t, "asks after the same call", len(all[agent.Ask](l)), 1)

	id = l.send(`tool Write {"file_path":"$CWD/w","content":""}`, "say other")
	b := until[agent.Ask](l, nil)
	l.answer(b, agent.Answer{Decision: vyre.Deny})
	l.ended(id)
	for _, m := range all[agent.ModeChanged](l) {
		want(t, "mode", m.Mode, vyre.ModeAsk)
	}
	if exists(t, h, ".claude") {
		t.Error("the answer wrote into the agent's files")
	}
}

func TestAskAllowedWithAnotherInput(t *testing.T) {
	// A person may correct a call: what runs is the corrected one.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"touch wrong"}`, "say end")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Allow, Input: json.RawMessage(`{"command":"touch right"}`)})
	l.ended(id)
	if exists(t, h, "wrong") || !exists(t, h, "right") {
		t.Error("the call was not corrected")
	}
}

func TestTwoAsks(t *testing.T) {
	// Several asks of one turn keep apart, and each answer reaches its own call.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h)
	id := l.send(`tool Bash {"command":"touch one"}`, `tool Bash {"command":"touch two"}`, "say end")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Deny})
	b := until[agent.Ask](l, nil)
	l.answer(b, agent.Answer{Decision: vyre.Allow})
	l.ended(id)
	if a.Request == b.Request || a.Call == b.Call || exists(t, h, "one") || !exists(t, h, "two") {
		t.Errorf("asks %q and %q", a.Display, b.Display)
	}
}

func TestQuestion(t *testing.T) {
	// A question's answers reach the model under the full text of each question.
	l := start(t, agenttest.Claude(t, agenttest.API(t)))
	id := l.send(`tool AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`, "say Chosen: $ANSWER")
	a := until[agent.Ask](l, nil)
	want(t, "kind", a.Kind, vyre.AskQuestion)
	want(t, "title", a.Title, "Which colour?")
	want(t, "display", a.Display, "Which colour?\n- Red: warm\n- Blue: cold")
	want(t, "rules", len(a.SessionRules), 0)
	l.answer(a, agent.Answer{Decision: vyre.Allow, Answers: map[string]string{"Which colour?": "Blue"}})
	l.ended(id)
	want(t, "words", l.text(vyre.ItemText), "Chosen: Blue")
}

func TestPlan(t *testing.T) {
	// A plan is put up whole; denied, its note is the feedback; allowed with a
	// mode, the session goes on in it, and the change counts as asked for.
	h := agenttest.Claude(t, agenttest.API(t))
	l := start(t, h, agent.WithMode(vyre.ModePlan))
	id := l.send("tool ExitPlanMode {}", "say revised")
	a := until[agent.Ask](l, nil)
	want(t, "kind", a.Kind, vyre.AskPlan)
	l.answer(a, agent.Answer{Decision: vyre.Deny, Message: "Add tests."})
	l.ended(id)
	want(t, "feedback", words(t, l.result(a.Call).Output), "Add tests.")
	l.seen = nil

	id = l.send("tool ExitPlanMode {}", `tool Write {"file_path":"$CWD/p","content":"x"}`, "say done")
	b := until[agent.Ask](l, nil)
	l.answer(b, agent.Answer{Decision: vyre.Allow, Mode: vyre.ModeEdits})
	m := until(l, func(m agent.ModeChanged) bool { return m.Mode != vyre.ModePlan })
	want(t, "mode", m, agent.ModeChanged{Mode: vyre.ModeEdits, Native: "acceptEdits", Asked: true})
	want(t, "status", l.ended(id).Status, vyre.TurnCompleted)
}

func TestPlanAllowedPlainly(t *testing.T) {
	// Leaving plan mode by a yes goes back to asking, and counts as asked for.
	l := start(t, agenttest.Claude(t, agenttest.API(t)), agent.WithMode(vyre.ModePlan))
	id := l.send("tool ExitPlanMode {}", "say done")
	l.answer(until[agent.Ask](l, nil), agent.Answer{Decision: vyre.Allow})
	m := until(l, func(m agent.ModeChanged) bool { return m.Mode != vyre.ModePlan })
	want(t, "mode", m, agent.ModeChanged{Mode: vyre.ModeAsk, Native: "default", Asked: true})
	l.ended(id)
}
