package engine

import (
	"slices"

	"vyre"
	"vyre/agent"
)

// Who listens at an agent's hooks. A hook that nobody needs is not registered, as
// each costs the agent a round trip.
//
//   - HookPreTool of every tool: the floor, which also holds for calls that the agent's
//     own rules, modes and hooks would let through unasked. It costs a commit that is not
//     waited for on the disk.
//   - HookPreTool of a provider's subagent tools: the slots (slots.go), when
//     subagents are bounded at all.

// equipHost fills in what the host offers to a session and where it listens. A later
// daemon says the same when it takes the session over.
func (e *Engine) equipHost(p agent.Provider, th vyre.Thread, opts *agent.Options) {
	can := p.Info().Capabilities
	if can.Tools && e.cfg.Tools != nil && !opts.Bare && th.Purpose != vyre.PurposeJob {
		opts.Tools = e.cfg.Tools.Offer()
	}
	switch {
	case !can.Hooks || opts.Bare:
	case e.cfg.Rules != nil:
		opts.Hooks = []agent.HookKind{agent.HookPreTool}
	case len(p.Info().SubagentTools) > 0 && e.slots.bounded(vyre.SlotSubagent):
		opts.Hooks, opts.HookTools = []agent.HookKind{agent.HookPreTool}, p.Info().SubagentTools
	}
}

// hook takes an agent that waits at a hook. An answer that is on its way already
// is not said twice: what waits is told again to a daemon that takes over.
func (o *owner) hook(t *tx, ev agent.Hook) {
	if o.framed(ev.Request) || o.run.breach != "" {
		return
	}
	if ev.Kind != agent.HookPreTool {
		o.pass(t, ev) // nobody listens here
		return
	}
	j := o.judgeHook(ev)
	switch {
	case j.forbidden():
		o.replyHook(t, agent.HookReply{Request: ev.Request, Kind: ev.Kind, Decision: vyre.Deny, Why: refusal(j.verdict)})
		o.refused(t, ev.Call, ev.Tool, o.titleOf(ev), j.verdict)
	case j.insists():
		o.replyHook(t, agent.HookReply{Request: ev.Request, Kind: ev.Kind, Ask: true, Why: j.verdict.Why})
	case slices.Contains(o.run.provider.Info().SubagentTools, ev.Tool) && o.e.slots.bounded(vyre.SlotSubagent):
		o.hookSlot(t, ev)
	default:
		o.pass(t, ev)
	}
}

// judgeHook judges a call before anything else does, and keeps where it runs for the
// question that may follow.
func (o *owner) judgeHook(ev agent.Hook) judged {
	if ev.CWD != "" && ev.Call != "" {
		if o.run.folders == nil {
			o.run.folders = map[string]string{}
		}
		o.run.folders[ev.Call] = ev.CWD
	}
	delete(o.run.unjudged, ev.Call)
	return o.judge(ev.Call, ev.Tool, ev.Source, ev.Input)
}

// titleOf names a call for people.
func (o *owner) titleOf(ev agent.Hook) string {
	if it, ok := o.book.items[ev.Call]; ok {
		return or(toolBody(it).Title, ev.Tool)
	}
	return ev.Tool
}

// pass lets things go their way. Nothing is acknowledged by it to anybody but the
// agent, which a power cut ends too, so it does not wait for the disk.
func (o *owner) pass(t *tx, ev agent.Hook) {
	o.sayHook(t, agent.HookReply{Request: ev.Request, Kind: ev.Kind})
}

func (o *owner) replyHook(t *tx, r agent.HookReply) {
	t.durable()
	o.sayHook(t, r)
}

func (o *owner) sayHook(t *tx, r agent.HookReply) {
	if err := t.say(r, "", ""); err != nil {
		o.log.Warn("a hook could not be answered", "kind", string(r.Kind), "error", err)
	}
}

// hookWithdrawn: the agent does not wait there any more, as its turn was cut.
func (o *owner) hookWithdrawn(t *tx, request string) {
	for call, h := range o.run.hooks {
		if h.Request == request {
			delete(o.run.hooks, call)
			o.tellSlots(t, o.e.slots.release(func(s vyre.Slot) bool { return s.Thread == o.id && s.Call == call }))
		}
	}
}

// framed reports whether an answer to a request is written down and not
// acknowledged yet.
func (o *owner) framed(request string) bool {
	for _, f := range o.book.frames {
		if f.Request == request {
			return true
		}
	}
	return false
}
