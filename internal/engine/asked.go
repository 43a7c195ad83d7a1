package engine

import (
	"slices"

	"vyre"
	"vyre/agent"
	"vyre/internal/policy"
)

// asked takes an agent that wants to know whether a call may run. Most of that is a
// question to a person. What nobody may is refused at once, and what a grant or the
// read-only class lets pass goes on; of neither an ask is ever raised, so no ask is
// answered by anything but a person.
func (o *owner) asked(t *tx, ev agent.Ask) {
	if ev.Kind != vyre.AskTool {
		o.raise(t, ev, judged{})
		return
	}
	if o.framed(ev.Request) || o.run.breach != "" {
		return // its answer is on its way, or it is being stopped
	}
	j := o.judge(ev.Call, ev.Tool, ev.Source, ev.Input)
	delete(o.run.unjudged, ev.Call)
	switch {
	case j.forbidden():
		o.refuse(t, ev, j)
	case o.ownTool(ev) && !j.insists():
		o.let(t, ev, vyre.ByRule, policy.Verdict{})
	case j.verdict.Verdict == vyre.VerdictAllow && j.sure && !ev.Insists && !j.beyond(ev):
		o.let(t, ev, vyre.By(j.verdict.By), j.verdict)
	default:
		o.raise(t, ev, j)
	}
}

// let lets the agent go on, unasked. The use of each grant that it needed is counted.
func (o *owner) let(t *tx, ev agent.Ask, by vyre.By, v policy.Verdict) {
	t.durable()
	if err := t.say(agent.Answer{
		Request: ev.Request, Native: ev.Native, Kind: ev.Kind, Decision: vyre.Allow, Scope: vyre.ScopeOnce,
	}, "", ""); err != nil {
		o.raise(t, ev, judged{})
		return
	}
	o.settle(ev.Request)
	for _, id := range used(v) {
		t.c.Used = append(t.c.Used, vyre.GrantUse{Grant: id, At: o.e.now()})
	}
	o.decided(t, ev.Call, verdictOn{vyre.Allow, by, vyre.GrantID(v.Grant)})
}

// used lists the grants that a verdict rests on, once each.
func used(v policy.Verdict) []vyre.GrantID {
	var out []vyre.GrantID
	for _, p := range v.Parts {
		if id := vyre.GrantID(p.Grant); id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// refuse answers what nobody may allow.
func (o *owner) refuse(t *tx, ev agent.Ask, j judged) {
	t.durable()
	o.settle(ev.Request)
	if err := t.say(agent.Answer{
		Request: ev.Request, Native: ev.Native, Kind: ev.Kind, Decision: vyre.Deny, Scope: vyre.ScopeOnce, Message: refusal(j.verdict),
	}, "", ""); err != nil {
		o.log.Warn("a call could not be refused", "tool", ev.Tool, "error", err)
	}
	o.refused(t, ev.Call, ev.Tool, or(ev.Title, ev.Tool), j.verdict)
}

// refused tells that a call was refused and nobody asked: on its item, as a notice and
// in the log.
func (o *owner) refused(t *tx, call, tool, title string, v policy.Verdict) {
	o.decided(t, call, verdictOn{vyre.Deny, vyre.By(v.By), ""})
	it, told := o.book.items[call]
	t.event(vyre.ThreadRefused{Item: it.ID, Call: call, Tool: tool, Title: title, By: vyre.By(v.By), Why: v.Why})
	key := "refused:" + call
	if !told || call == "" {
		key = "refused:" + tool + ":" + title
	}
	o.item(t, agent.Item{
		Key: key, Kind: vyre.ItemNotice, Status: vyre.ItemCompleted,
		Title: "Refused, never asked: " + title, Text: "Refused, never asked: " + title + "\n" + v.Why,
	})
}

// refusal words it for the agent.
func refusal(v policy.Verdict) string {
	if v.By == policy.ByGate {
		return v.Why
	}
	return "Refused by Vyre, and nobody was asked: " + v.Why +
		" No answer can allow it. If it is needed, say so to the person, who can do it themself."
}

// ownTool reports whether a question is about one of our own tools that may be used
// without one. Only the protocol's word on where a tool comes from counts, never its
// name.
func (o *owner) ownTool(ev agent.Ask) bool {
	if ev.Own == "" || ev.Source != "vyre" {
		return false
	}
	for _, s := range o.run.opts.Tools {
		if s.Name == ev.Own {
			return s.Unasked
		}
	}
	return false
}

// verdictOn is what was decided here about a call.
type verdictOn struct {
	decision vyre.Decision
	by       vyre.By
	grant    vyre.GrantID
}

// decided notes a verdict on the item of a call, where it stands for every later daemon.
func (o *owner) decided(t *tx, call string, v verdictOn) {
	it, ok := o.book.items[call]
	if !ok {
		if o.run != nil && call != "" { // it is told of later
			if o.run.verdicts == nil {
				o.run.verdicts = map[string]verdictOn{}
			}
			o.run.verdicts[call] = v
		}
		return
	}
	it.Body = v.on(it)
	t.putItem(it)
	o.toolEvent(t, it)
}

// on is the body of an item with a verdict.
func (v verdictOn) on(it vyre.Item) []byte {
	b := toolBody(it)
	b.Decision, b.By, b.Grant = v.decision, v.by, v.grant
	return bodyOf(b)
}
