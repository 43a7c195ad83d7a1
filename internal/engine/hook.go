package engine

import (
	"slices"

	"vyre"
	"vyre/agent"
)

// Who listens at an agent's hooks. A hook that nobody needs is not registered, as
// each costs the agent a round trip.
//
//   - HookPreTool of a provider's subagent tools: the slots (slots.go), when
//     subagents are bounded at all.

// equipHost fills in what the host offers to a session and where it listens. A later
// daemon says the same when it takes the session over.
func (e *Engine) equipHost(p agent.Provider, th vyre.Thread, opts *agent.Options) {
	can := p.Info().Capabilities
	if can.Tools && e.cfg.Tools != nil && !opts.Bare && th.Purpose != vyre.PurposeJob {
		opts.Tools = e.cfg.Tools.Offer()
	}
	if can.Hooks && !opts.Bare && len(p.Info().SubagentTools) > 0 && e.slots.bounded(vyre.SlotSubagent) {
		opts.Hooks, opts.HookTools = []agent.HookKind{agent.HookPreTool}, p.Info().SubagentTools
	}
}

// hook takes an agent that waits at a hook. An answer that is on its way already
// is not said twice: what waits is told again to a daemon that takes over.
func (o *owner) hook(t *tx, ev agent.Hook) {
	if o.framed(ev.Request) {
		return
	}
	if ev.Kind == agent.HookPreTool && slices.Contains(o.run.provider.Info().SubagentTools, ev.Tool) {
		o.hookSlot(t, ev)
		return
	}
	o.pass(t, ev) // nobody listens here
}

// pass lets things go their way.
func (o *owner) pass(t *tx, ev agent.Hook) {
	o.replyHook(t, agent.HookReply{Request: ev.Request, Kind: ev.Kind})
}

func (o *owner) replyHook(t *tx, r agent.HookReply) {
	t.durable()
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
