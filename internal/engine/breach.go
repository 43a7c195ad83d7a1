package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// A breach by protocol is a session that did what our answers do not allow: a call ran
// whose question was open or denied, or that nobody may make; a mode changed that nobody
// set (mode.go). A process below the agent that writes into its output looks the same.
// The session is stopped, its tree proven empty, the thread marked and the person told;
// only a person's message or resume brings it back. Nothing of the person's is touched.

// breach stops the session once what was read with it is written down.
func (o *owner) breach(t *tx, what string) {
	if o.run == nil || o.run.breach != "" {
		return
	}
	t.durable()
	o.run.breach = what
	o.book.thread.Reason, t.thread = vyre.StopBreach, true // a daemon that dies now is followed by one that stops it
	t.event(vyre.ThreadBreach{What: what})
}

// stopBreach stops a session that an earlier daemon saw a breach of and did not get
// to stop.
func (o *owner) stopBreach(ctx context.Context) {
	if o.run == nil || o.run.breach != "" || o.run.ending != nil || o.book.thread.Reason != vyre.StopBreach || !o.book.thread.State.Live() {
		return
	}
	o.run.breach = "a breach that the daemon before saw"
	_ = o.halt(ctx, vyre.StopBreach, o.run.breach, "") // tried again by itself
}

// afterBreach refuses what would wake a thread after a breach, unless a person wants it.
func (o *owner) afterBreach(person bool) error {
	if person || o.book.thread.Reason != vyre.StopBreach {
		return nil
	}
	return vyre.Errorf(vyre.CodePersonOnly, "the thread was stopped for a breach: only a person brings it back").
		WithHint("The person reads what happened, and sends a message or resumes it.")
}

// announced notes a call that the agent tells of for the first time: what was decided
// before, or that nobody judged it yet.
func (o *owner) announced(it *vyre.Item, fresh bool) {
	if !fresh || o.run == nil {
		return
	}
	if v, ok := o.run.verdicts[it.Key]; ok {
		it.Body = v.on(*it)
		delete(o.run.verdicts, it.Key)
		return
	}
	if o.e.cfg.Rules == nil || it.Status != vyre.ItemRunning {
		return
	}
	if o.run.unjudged == nil {
		o.run.unjudged = map[string]bool{}
	}
	o.run.unjudged[it.Key] = true
}

// ran looks at the result of a call: one that ran must have been let run.
func (o *owner) ran(t *tx, it vyre.Item, ev agent.ToolUpdate) {
	if o.run == nil || ev.Status == "" {
		return
	}
	unjudged := o.run.unjudged[ev.Key]
	if ev.Status != vyre.ItemRunning {
		defer delete(o.run.folders, ev.Key)
		defer delete(o.run.unjudged, ev.Key)
	}
	if !ev.Ran {
		return
	}
	b := toolBody(it)
	title := or(b.Title, b.Tool)
	a, waits := o.askOf(ev.Key)
	if waits && a.State == vyre.AskOpen {
		o.breach(t, "a call ran while its question was open: "+title)
		return
	}
	switch {
	case b.Decision == vyre.Deny, waits && a.Decision == vyre.Deny:
		o.breach(t, "a call ran that was denied: "+title)
	case unjudged:
		if j := o.judge(ev.Key, b.Tool, b.Source, b.Input); j.forbidden() {
			o.breach(t, "a call ran that nobody may make, and the agent did not ask: "+title)
		}
	}
}

// askOf is the unsettled ask about a call.
func (o *owner) askOf(call string) (vyre.Ask, bool) {
	for _, a := range o.book.asks {
		if call != "" && a.Call == call {
			return a, true
		}
	}
	return vyre.Ask{}, false
}

// wentBy is what a result says its call went ahead by. What was decided here stands;
// the agent only knows that its host said yes. Where nobody here decided and the agent
// says a person did, it was a rule that a person added for the session.
func (o *owner) wentBy(it vyre.Item, ev agent.ToolUpdate) vyre.By {
	if b := toolBody(it); b.Decision != "" {
		return b.By
	}
	if _, waits := o.askOf(ev.Key); ev.By == vyre.ByPerson && ev.Ran && !waits {
		return vyre.ByRule
	}
	return ev.By
}
