package engine

import (
	"vyre"
)

// final judges what a person is about to allow once more: its input may be theirs, and
// the disk may have changed since the question was raised. Errors: denied; the question
// stays open.
func (o *owner) final(a vyre.Ask, in AnswerInput) error {
	if a.Kind != vyre.AskTool || in.Decision != vyre.Allow {
		return nil
	}
	input := a.Input
	if in.Input != nil {
		input = in.Input
	}
	j := o.judge(a.Call, a.Tool, a.Source, input)
	if !j.forbidden() {
		return nil
	}
	return vyre.Errorf(vyre.CodeDenied, "this may not happen, whoever says yes: %s", j.verdict.Why).
		WithHint("The question stays open. Deny it or change its input; an edit of a file you can apply yourself (threads.apply).").
		WithDetail("by", j.verdict.By).WithDetail("why", j.verdict.Why)
}

// markAnswered notes a person's verdict that was delivered on the item of its call. The
// ask's own event tells of it, so the call is not told again.
func (o *owner) markAnswered(t *tx, a vyre.Ask) {
	it, ok := o.book.items[a.Call]
	if !ok || a.Call == "" {
		return
	}
	it.Body = verdictOn{a.Decision, vyre.ByPerson, ""}.on(it)
	t.putItem(it)
}

// grant makes grants of what the chosen option allows from now on, in the commit of the
// answer. What is granted already is not granted twice.
func (o *owner) grant(t *tx, a vyre.Ask, in AnswerInput) {
	if o.e.cfg.Rules == nil {
		return
	}
	var given []vyre.Grant
	th := o.book.thread
	project := or(th.Project, th.CWD)
	for _, s := range in.Grants {
		if o.e.cfg.Rules.Holds(project, s) {
			continue
		}
		given = append(given, vyre.Grant{
			ID: vyre.GrantID(vyre.NewID()), Project: project, GrantSpec: s, From: a.ID,
			By: in.By.String(), Proof: in.By.Proof, Level: in.By.Level, Created: o.e.now(),
		})
	}
	for _, g := range given {
		t.event(g.Event())
	}
	t.c.Grants = append(t.c.Grants, given...)
	t.after = append(t.after, func() { o.e.cfg.Rules.Given(given) })
}
