package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/engine"
	"vyre/internal/grants"
	"vyre/internal/policy"
	"vyre/internal/store/sqlite"
)

// plainRules are rules over the first word of a command, with the real grants: what
// policy makes of real commands is policy's own to test.
type plainRules struct{ *grants.Book }

func (r plainRules) Judge(c policy.Call) policy.Verdict {
	out := policy.Verdict{Verdict: vyre.VerdictAsk, By: policy.ByPerson, Why: "nobody but a person lets it pass"}
	for _, a := range c.Acts {
		p := policy.Part{
			Kind: a.Kind, Args: strings.Fields(a.Command), CWD: a.CWD, Plain: true, Verdict: vyre.VerdictAsk, By: policy.ByPerson,
		}
		word, _, _ := strings.Cut(a.Command, " ")
		if a.Kind == vyre.ActWrite && strings.HasSuffix(a.Paths[0], "settings.json") {
			return policy.Verdict{Verdict: vyre.VerdictDeny, By: policy.ByFloor, Why: "it is an agent's settings"}
		}
		switch word {
		case "evil":
			return policy.Verdict{Verdict: vyre.VerdictDeny, By: policy.ByFloor, Why: "it writes to an agent's settings"}
		case "send":
			return policy.Verdict{Verdict: vyre.VerdictDeny, By: policy.ByGate, Why: "use gate.request"}
		case "hooks":
			return policy.Verdict{Verdict: vyre.VerdictAsk, By: policy.ByFloor, Why: "it changes what git runs"}
		case "look":
			return policy.Verdict{Verdict: vyre.VerdictAllow, By: policy.ByReadonly}
		}
		if id, ok := r.Granted(c, p); ok {
			p.Grant = string(id)
			return policy.Verdict{Verdict: vyre.VerdictAllow, By: policy.ByGrant, Grant: p.Grant, Parts: []policy.Part{p}}
		}
		out.Parts = append(out.Parts, p)
	}
	return out
}

// ruled is a world whose calls are judged.
func ruled(t *testing.T) *world {
	w := newWorld(t, slow)
	w.stop()
	w.setRules()
	w.start()
	return w
}

func (w *world) setRules() {
	b := grants.New(w.db, w.now, strings.Clone)
	if err := b.Load(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.rules = plainRules{b}
}

// item is the newest state of the item of a call.
func (w *world) item(id vyre.ThreadID, call string) (vyre.Item, vyre.ToolBody) {
	w.t.Helper()
	items, _, err := w.db.Items(w.t.Context(), sqlite.ItemQuery{Thread: id, Limit: 200})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, it := range items {
		if it.Key == call {
			var b vyre.ToolBody
			_ = json.Unmarshal(it.Body, &b)
			return it, b
		}
	}
	w.t.Fatalf("no item %s", call)
	return vyre.Item{}, vyre.ToolBody{}
}

// calls has a peer make a call the way an agent does: the call, its hook, and once that
// is passed the question.
func (p *peerProc) calls(key, cmd string) {
	n := len(p.said("hook")) + 1
	p.say(peerLine{Type: "tool", Key: key, Cmd: cmd})
	p.say(peerLine{Type: "hook", Key: key, Tool: "Do", Request: "h-" + key, Cmd: cmd, CWD: "/"})
	p.nth("hook", n)
}

func (p *peerProc) asksFor(key, cmd string) {
	p.say(peerLine{Type: "ask", Key: key, Request: "q-" + key, Cmd: cmd, Text: cmd})
}

// What nobody may is refused in its hook, told as a notice, and no question of it is
// ever raised; asked about all the same, it is refused as well.
func TestTheFloorRefuses(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "evil x")
	if f := p.nth("hook", 1); f.Data["decision"] != "deny" || !strings.Contains(f.Data["why"].(string), "agent's settings") {
		t.Errorf("%+v", f)
	}
	w.until("a refusal", func(e vyre.Event) bool {
		var d vyre.ThreadRefused
		return e.Kind == vyre.EvThreadRefused && json.Unmarshal(e.Data, &d) == nil && d.Call == "c1" && d.By == vyre.ByFloor && d.Item != ""
	})
	if _, b := w.item(id, "c1"); b.By != vyre.ByFloor || b.Decision != vyre.Deny {
		t.Errorf("%+v", b)
	}
	if it, _ := w.item(id, "refused:c1"); it.Kind != vyre.ItemNotice || !strings.Contains(it.Text, "never asked") {
		t.Errorf("%+v", it)
	}
	p.say(peerLine{Type: "tool", Key: "c2", Cmd: "send x"})
	p.asksFor("c2", "send x") // its hook never came
	if f := p.nth("answer", 1); f.Data["decision"] != "deny" || f.Data["message"] != "use gate.request" {
		t.Errorf("%+v", f)
	}
	if n := len(w.asks(id)); n != 0 {
		t.Errorf("%d asks", n)
	}
	for _, e := range w.events() {
		if e.Kind == vyre.EvAskRaised {
			t.Error("a question was raised")
		}
	}
}

// What only reads, and what a grant lets pass, goes ahead unasked: the item says by
// what, the use is counted, no ask is raised; taken back, the next call is asked.
func TestGrantedCallsPass(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "look around")
	p.asksFor("c1", "look around")
	p.nth("answer", 1)
	p.say(peerLine{Type: "result", Key: "c1", Ran: true})
	p.calls("c2", "npm test")
	p.asksFor("c2", "npm test")
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	var opt vyre.AskOption
	for _, o := range a.Options {
		if o.ID == engine.OptionAllowProject {
			opt = o
		}
	}
	if opt.Rule != "npm test" || opt.Label != "Always in this project: npm test" || opt.Scope != vyre.ScopeProject {
		t.Fatalf("%+v", a.Options)
	}
	in := engine.AnswerInput{Ask: a.ID, Decision: vyre.Allow, Option: opt.ID, Digest: a.Digest, By: modelPerson}
	if _, err := w.eng.Answer(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Answer(t.Context(), in); err != nil {
		t.Errorf("the same answer again: %v", err)
	}
	p.say(peerLine{Type: "result", Key: "c2", Ran: true})
	p.calls("c3", "npm test")
	p.asksFor("c3", "npm test")
	p.nth("answer", 3)
	p.say(peerLine{Type: "result", Key: "c3", Ran: true})
	w.until("the last result", func(e vyre.Event) bool {
		var d vyre.ThreadTool
		return e.Kind == vyre.EvThreadTool && json.Unmarshal(e.Data, &d) == nil && d.Call == "c3" && d.Status == vyre.ItemCompleted
	})
	list, err := w.db.Grants(t.Context(), "/", false)
	if err != nil || len(list) != 1 || list[0].Uses != 1 || list[0].From != a.ID || list[0].By != modelPerson.String() {
		t.Fatalf("%+v %v", list, err)
	}
	for call, want := range map[string]vyre.ToolBody{
		"c1": {By: vyre.ByReadonly, Decision: vyre.Allow}, "c2": {By: vyre.ByPerson, Decision: vyre.Allow},
		"c3": {By: vyre.ByGrant, Decision: vyre.Allow, Grant: list[0].ID},
	} {
		if _, b := w.item(id, call); b.By != want.By || b.Decision != want.Decision || b.Grant != want.Grant {
			t.Errorf("%s: %+v", call, b)
		}
	}
	if _, err := w.rules.(plainRules).Revoke(t.Context(), list[0].ID, modelPerson); err != nil {
		t.Fatal(err)
	}
	p.calls("c4", "npm test")
	p.asksFor("c4", "npm test")
	w.untilKind(vyre.EvAskRaised, 2)
}

// A grant holds neither in another folder, nor in plan mode, nor against what the
// person's own settings want asked, nor where nobody knows where the call runs.
func TestGrantsThatDoNotHold(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	if _, err := w.rules.(plainRules).Add(t.Context(), vyre.Grant{
		Project: "/", GrantSpec: vyre.GrantSpec{Kind: vyre.GrantCommand, Args: []string{"npm", "test"}},
	}); err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	p.say(peerLine{Type: "tool", Key: "c1", Cmd: "npm test"})
	p.asksFor("c1", "npm test") // no hook told where it runs
	w.untilKind(vyre.EvAskRaised, 1)
	p.calls("c2", "npm test")
	p.say(peerLine{Type: "ask", Key: "c2", Request: "q-c2", Cmd: "npm test", Insists: true})
	w.untilKind(vyre.EvAskRaised, 2)
	if err := w.eng.SetMode(t.Context(), id, vyre.ModePlan, "person"); err != nil {
		t.Fatal(err)
	}
	p.calls("c3", "npm test")
	p.asksFor("c3", "npm test")
	w.untilKind(vyre.EvAskRaised, 3)
	if n := len(p.said("answer")); n != 0 {
		t.Errorf("%d answers", n)
	}
}

// What only reads, but where the agent says that it has no business, is asked.
func TestReadingElsewhereIsAsked(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.setRules()
	w.start()
	id, _, err := w.eng.Start(t.Context(), engine.StartInput{Provider: "peer", Prompt: "go", CWD: "/work", By: "person:owner:test"})
	if err != nil {
		t.Fatal(err)
	}
	p := w.peers.newest()
	p.calls("c1", "look x")
	p.say(peerLine{Type: "ask", Key: "c1", Request: "q-c1", Cmd: "look x", Blocked: "/home/x"})
	w.untilKind(vyre.EvAskRaised, 1)
	p.calls("c2", "look y")
	p.say(peerLine{Type: "ask", Key: "c2", Request: "q-c2", Cmd: "look y", Blocked: "/work/y"})
	if f := p.nth("answer", 1); f.Data["request"] != "q-c2" || len(w.asks(id)) != 1 {
		t.Errorf("%+v", f)
	}
}

// What is always asked becomes a question also where the agent's own rules would let it
// pass, and offers nothing that lasts.
func TestAlwaysAsked(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "hooks on")
	if f := p.nth("hook", 1); f.Data["ask"] != true || f.Data["decision"] != "" {
		t.Errorf("%+v", f)
	}
	p.asksFor("c1", "hooks on")
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	if a.Why != "it changes what git runs" {
		t.Errorf("why: %q", a.Why)
	}
	for _, o := range a.Options {
		if o.Scope == vyre.ScopeProject || o.Scope == vyre.ScopeSession {
			t.Errorf("offered: %+v", o)
		}
	}
}

// A person's own input is judged as well: what nobody may is refused, the question stays
// open, and its words as they were can still be allowed.
func TestTheFinalInputIsJudged(t *testing.T) {
	w := ruled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.calls("c1", "make it")
	p.asksFor("c1", "make it")
	w.untilKind(vyre.EvAskRaised, 1)
	a := w.asks(id)[0]
	_, err := w.eng.Answer(t.Context(), engine.AnswerInput{
		Ask: a.ID, Decision: vyre.Allow, Input: json.RawMessage(`{"command":"evil x"}`), By: modelPerson,
	})
	if vyre.CodeOf(err) != vyre.CodeDenied || !strings.Contains(err.Error(), "agent's settings") {
		t.Fatal(err)
	}
	if open := w.asks(id); len(open) != 1 || open[0].State != vyre.AskOpen {
		t.Fatalf("%+v", open)
	}
	if _, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: vyre.Allow, By: modelPerson}); err != nil {
		t.Error(err)
	}
}
