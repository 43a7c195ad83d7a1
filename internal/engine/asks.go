package engine

import (
	"context"
	"strings"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/policy"
)

// raise opens a question, with what would let its like pass from now on.
func (o *owner) raise(t *tx, ev agent.Ask, j judged) {
	o.agentTurn(t)
	a := vyre.Ask{
		ID: vyre.NewAskID(), Thread: o.id, Turn: o.turnID(), Kind: ev.Kind, Tool: ev.Tool, Title: ev.Title,
		Display: ev.Display, Input: ev.Input, Source: ev.Source, AgentPath: ev.AgentPath,
		Blocked: ev.Blocked, Why: ev.Why, Options: optionsOf(ev, j), State: vyre.AskOpen, Created: o.e.now(),
		Session: o.run.session.ID, Request: ev.Request, Call: ev.Call, Native: ev.Native,
	}
	if a.AgentPath == nil {
		a.AgentPath = []string{}
	}
	if ev.Kind == vyre.AskTool && len(j.Acts) > 0 {
		a.Alike = j.alike(ev.Input)
	}
	if j.insists() {
		a.Why = j.verdict.Why
	}
	o.e.cfg.Redact.Now().Ask(&a) // the digest is of what is shown
	a.Digest = vyre.DigestOf(a)
	first := len(o.book.asks) == 0
	t.durable()
	t.putAsk(a)
	t.event(vyre.AskRaised{Ask: a.ID, Kind: a.Kind, Tool: a.Tool, Title: a.Title})
	if first {
		t.move(vyre.MoveAskRaised, "")
	}
}

// Ids of the options of an ask.
const (
	OptionAllowOnce    = "allow_once"
	OptionAllowSession = "allow_session"
	OptionAllowProject = "allow_project"      // grants the exact call
	OptionAllowLike    = "allow_project_like" // grants a reviewed beginning of it
	OptionDeny         = "deny"
	OptionDenyStop     = "deny_stop"
	OptionAnswer       = "answer"
	OptionApprove      = "approve"
	OptionApproveEdits = "approve_edits"
)

func optionsOf(ev agent.Ask, j judged) []vyre.AskOption {
	deny := vyre.AskOption{ID: OptionDeny, Label: "Deny", Kind: vyre.Deny}
	stop := vyre.AskOption{ID: OptionDenyStop, Label: "Deny and stop the turn", Kind: vyre.Deny}
	switch ev.Kind {
	case vyre.AskQuestion:
		return []vyre.AskOption{{ID: OptionAnswer, Label: "Answer", Kind: vyre.Allow}, deny, stop}
	case vyre.AskPlan:
		return []vyre.AskOption{
			{ID: OptionApprove, Label: "Approve, ask before each change", Kind: vyre.Allow},
			{ID: OptionApproveEdits, Label: "Approve, edit files unasked", Kind: vyre.Allow},
			{ID: OptionDeny, Label: "Keep planning", Kind: vyre.Deny},
		}
	case vyre.AskTool, vyre.AskMode, vyre.AskTrust:
	}
	out := []vyre.AskOption{{ID: OptionAllowOnce, Label: "Allow once", Kind: vyre.Allow, Scope: vyre.ScopeOnce}}
	if offered(ev.SessionRules) && !j.insists() {
		out = append(out, vyre.AskOption{
			ID: OptionAllowSession, Label: "Allow in this session", Kind: vyre.Allow,
			Scope: vyre.ScopeSession, Rule: strings.Join(ev.SessionRules, ", "),
		})
	}
	return append(append(out, standing(ev, j)...), deny, stop)
}

// standing are the options that give grants, in the exact words of what they allow.
func standing(ev agent.Ask, j judged) []vyre.AskOption {
	if !j.sure || ev.Insists {
		return nil
	}
	var out []vyre.AskOption
	for i, o := range policy.Offers(j.Call, j.verdict) {
		id := OptionAllowProject
		if i > 0 {
			id = OptionAllowLike
		}
		rules := make([]string, len(o.Grants))
		for k, g := range o.Grants {
			rules[k] = g.Words()
		}
		out = append(out, vyre.AskOption{
			ID: id, Label: o.Label, Kind: vyre.Allow, Scope: vyre.ScopeProject, Rule: strings.Join(rules, "; "), Grants: o.Grants,
		})
	}
	return out
}

// offered reports whether every rule that would be added may be: one wide rule
// among narrow ones spoils them all.
func offered(rules []string) bool {
	for _, r := range rules {
		if !policy.SessionRule(r) {
			return false
		}
	}
	return len(rules) > 0
}

// withdraw takes the agent's word that it wants no answer any more.
func (o *owner) withdraw(t *tx, ev agent.AskWithdrawn) {
	for _, a := range o.book.asks {
		if a.Request == ev.Request {
			o.cancelAsk(t, a, ev.Why)
		}
	}
}

// withdrawAll settles every ask of a turn that is over. An answer that was on
// its way may have arrived although its acknowledgement is not here yet: what
// the shim has accepted counts.
func (o *owner) withdrawAll(t *tx, why string) {
	for _, a := range o.book.asks {
		if a.State == vyre.AskAnswering && o.arrived(a.ID) {
			o.answerDelivered(t, a.ID)
			continue
		}
		o.cancelAsk(t, a, why)
	}
}

// withdrawOpen cancels the asks that nobody has answered; answers on their way
// go on.
func (o *owner) withdrawOpen(t *tx, why string) {
	for _, a := range o.book.asks {
		if a.State == vyre.AskOpen {
			o.cancelAsk(t, a, why)
		}
	}
}

// arrived reports whether the frame that answers an ask was taken by the shim.
func (o *owner) arrived(id vyre.AskID) bool {
	if o.run == nil {
		return false
	}
	for n, f := range o.book.frames {
		if f.Ask == id {
			ctx, cancel := context.WithTimeout(o.e.ctx, acceptedWait)
			defer cancel()
			last, err := o.run.proc.Accepted(ctx)
			return err == nil && last >= n
		}
	}
	return true // no frame left: it was acknowledged
}

func (o *owner) cancelAsk(t *tx, a vyre.Ask, why string) {
	o.settle(a.Request)
	a.State, a.Withdrew, a.At = vyre.AskCancelled, why, o.e.now()
	a.Decision, a.Scope, a.Message, a.By = "", "", "", ""
	t.durable()
	t.putAsk(a)
	t.event(vyre.AskCancelledData{Ask: a.ID, Why: why})
	t.after = append(t.after, func() { o.settleAnswers(a.ID, withdrawn(a)) })
	if len(o.book.asks) == 0 {
		t.move(vyre.MoveAsksClosed, "")
	}
}

func withdrawn(a vyre.Ask) error {
	return vyre.Errorf(vyre.CodeConflict, "the question was withdrawn: %s", a.Withdrew).
		WithHint("Nothing was decided and nothing ran by this answer.").
		WithDetail("state", a.State).WithDetail("why", a.Withdrew).WithDetail("at", a.At)
}

// acceptedWait bounds how long a shim is asked what it took; it may be stopped.
const acceptedWait = 2 * time.Second

// reconcile compares the asks in the book with those that a live agent says are
// still open, after the reader changed.
func (o *owner) reconcile(t *tx, ev agent.Ready) {
	open := map[string]bool{}
	for _, x := range ev.Open {
		open[x.Request] = true
	}
	known := map[string]bool{}
	for _, a := range o.book.asks {
		known[a.Request] = true
		if a.State == vyre.AskOpen && !open[a.Request] {
			o.cancelAsk(t, a, "the agent does not wait for it any more")
		}
	}
	for _, x := range ev.Open {
		// The agent may have written its list before our answer reached it.
		if !known[x.Request] && !o.run.settled[x.Request] {
			o.asked(t, x)
		}
	}
	o.run.settled = nil
}

// settle remembers that a request needs no answer any more, while the agent's list
// of open ones is on its way.
func (o *owner) settle(request string) {
	if o.run != nil && o.run.settled != nil {
		o.run.settled[request] = true
	}
}
