package claude

import (
	"math"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// lifecycle follows our messages through the agent.
func (p *protocol) lifecycle(l *lifecycleLine) []agent.Event {
	id := vyre.MessageID(l.Message)
	switch l.State {
	case "started":
		if p.running {
			p.parked = false
			p.live = append(p.live, id)
			return []agent.Event{agent.MessageTaken{Message: id}}
		}
		p.ended = nil
		p.pending = append(p.pending, id)
	case "completed":
		if forget(&p.live, id) || forget(&p.ended, id) || slices.Contains(p.pending, id) {
			return nil
		}
		// It is in the agent's history already and is not run again.
		return []agent.Event{
			agent.TurnStarted{Messages: []vyre.MessageID{id}},
			agent.TurnEnded{Messages: []vyre.MessageID{id}, Status: vyre.TurnCompleted},
		}
	case "cancelled":
		if forget(&p.live, id) || forget(&p.ended, id) {
			return nil
		}
		forget(&p.pending, id)
		return []agent.Event{agent.MessageDropped{Message: id}}
	}
	return nil
}

func forget(list *[]vyre.MessageID, id vyre.MessageID) bool {
	i := slices.Index(*list, id)
	if i < 0 {
		return false
	}
	if *list = slices.Delete(*list, i, i+1); len(*list) == 0 {
		*list = nil
	}
	return true
}

// work makes sure that the turn is told before what happens in it.
func (p *protocol) work(named []string) []agent.Event {
	if p.running {
		return nil
	}
	ids := p.pending
	for _, n := range named {
		if id := vyre.MessageID(n); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	p.running, p.live, p.pending, p.ended = true, slices.Clone(ids), nil, nil
	return []agent.Event{agent.TurnStarted{Messages: slices.Clone(ids)}}
}

// result ends the turn.
func (p *protocol) result(l *resultLine) []agent.Event {
	failedStart := !p.running && len(p.pending) == 0 && len(l.Messages) == 0 && l.IsError
	var evs []agent.Event
	if !failedStart {
		evs = p.work(l.Messages)
	}
	end := agent.TurnEnded{Status: vyre.TurnCompleted, Usage: usage(l)}
	end.Usage.ContextTokens = p.context
	for _, m := range l.Messages {
		end.Messages = append(end.Messages, vyre.MessageID(m))
	}
	switch {
	case strings.HasPrefix(l.Reason, "aborted_"):
		end.Status = vyre.TurnCanceled
	case l.IsError:
		end.Status = vyre.TurnFailed
		end.Error = failure(l)
		status := 0
		if l.APIStatus != nil {
			status = *l.APIStatus
		}
		end.Limit = l.APIError == "usage_limit_reached" || status == 429
		end.NoAuth = status == 401 || l.APIType == "authentication_error" || notSignedIn(l.Result)
	}
	return append(evs, p.close(end)...)
}

// close ends the turn, or parks it: a subagent in the background may have asked,
// and a turn is not over while a question of it is open.
func (p *protocol) close(end agent.TurnEnded) []agent.Event {
	var evs []agent.Event
	for _, r := range p.mainAsks() {
		delete(p.asks, r)
		evs = append(evs, agent.AskWithdrawn{Request: r, Why: "the turn ended"})
	}
	end = merge(p.held, end)
	p.held = nil
	if len(p.asks) > 0 {
		p.held, p.parked = &end, true
		return evs
	}
	p.running, p.parked, p.msg, p.summary, p.yes = false, false, nil, "", false
	p.context = 0
	p.ended, p.live = p.live, nil
	clear(p.tools)
	clear(p.steps)
	clear(p.tasks)
	p.dropAgents()
	return append(evs, end)
}

// dropAgents forgets the subagents that can't have outlived the turn: one that
// was cut off with it is not always told to have ended.
func (p *protocol) dropAgents() {
	outlive := map[string]runningAgent{}
	for id, a := range p.agents {
		if p.behind(id) {
			outlive[id] = a
		}
	}
	p.agents = outlive
}

// behind reports whether a subagent, or one that it was begun by, runs behind
// its call.
func (p *protocol) behind(id string) bool {
	for range len(p.agents) { // what names itself its parent ends too
		a, ok := p.agents[id]
		if !ok || a.behind {
			return ok
		}
		id = a.parent
	}
	return false
}

// unpark ends a turn that waited only for its questions.
func (p *protocol) unpark() []agent.Event {
	if !p.parked || len(p.asks) > 0 {
		return nil
	}
	return p.close(agent.TurnEnded{Status: vyre.TurnCompleted})
}

// merge joins the end of a parked turn with what came after it.
func merge(held *agent.TurnEnded, end agent.TurnEnded) agent.TurnEnded {
	if held == nil {
		return end
	}
	out := *held
	out.Messages = append(out.Messages, end.Messages...)
	if end.Status != vyre.TurnCompleted {
		out.Status, out.Error = end.Status, end.Error
	}
	out.Limit, out.NoAuth = out.Limit || end.Limit, out.NoAuth || end.NoAuth
	switch {
	case out.Usage == nil:
		out.Usage = end.Usage
	case end.Usage != nil:
		u := *out.Usage
		u.InputTokens += end.Usage.InputTokens
		u.OutputTokens += end.Usage.OutputTokens
		u.CacheReadTokens += end.Usage.CacheReadTokens
		u.CacheWriteTokens += end.Usage.CacheWriteTokens
		u.CostMicros += end.Usage.CostMicros
		u.ContextWindow = max(u.ContextWindow, end.Usage.ContextWindow)
		if end.Usage.ContextTokens > 0 {
			u.ContextTokens = end.Usage.ContextTokens
		}
		out.Usage = &u
	}
	return out
}

// mainAsks are the open questions of the main agent, in a fixed order.
func (p *protocol) mainAsks() []string {
	var out []string
	for r, a := range p.asks {
		if !a.sub {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	return out
}

func notSignedIn(text string) bool {
	return strings.Contains(text, "Please run /login") || strings.HasPrefix(text, "Invalid API key")
}

func failure(l *resultLine) string {
	if l.Result != "" {
		return l.Result
	}
	if len(l.Errors) > 0 {
		return strings.Join(l.Errors, "; ")
	}
	return "the agent ended the turn with " + l.Subtype
}

// filled notes how full the context window is, by the last request to the model.
func (p *protocol) filled(u tokensUsage) {
	if n := u.context(); n > 0 {
		p.context = n
	}
}

// usage is what the turn used. The cost in the line is cumulative for the
// process, so it is taken from what was used since the last result.
func usage(l *resultLine) *vyre.Usage {
	u := vyre.Usage{
		InputTokens: l.Usage.Input, OutputTokens: l.Usage.Output,
		CacheReadTokens: l.Usage.CacheRead, CacheWriteTokens: l.Usage.CacheWrite,
	}
	if len(l.Since) > 0 { // with subagents and side requests, which the main loop's figures leave out
		u = vyre.Usage{}
	}
	for _, m := range l.Since {
		u.InputTokens += m.Input
		u.OutputTokens += m.Output
		u.CacheReadTokens += m.CacheRead
		u.CacheWriteTokens += m.CacheWrite
		u.CostMicros += int64(math.Round(m.CostUSD * 1e6))
	}
	for _, m := range l.Models {
		u.ContextWindow = max(u.ContextWindow, m.ContextWindow)
	}
	return &u
}
