package claude

import (
	"encoding/json"
	"slices"

	"vyre/agent"
)

// openRequest is something that the agent waits for: a hook, a call of one of our
// tools, or an answer that the protocol itself owes.
type openRequest struct {
	request string          // the agent's
	call    json.RawMessage // id of the call at the agent's MCP client, of a call
	event   agent.Event
}

// opened remembers the request until the echo of its answer, or its withdrawal.
func (p *protocol) opened(o openRequest) []agent.Event {
	p.answered(o.request) // an id that is used again
	p.open = append(p.open, o)
	return []agent.Event{o.event}
}

// answered forgets a request whose answer the agent echoed.
func (p *protocol) answered(request string) {
	p.open = slices.DeleteFunc(p.open, func(o openRequest) bool { return o.request == request })
	if len(p.open) == 0 {
		p.open = nil
	}
}

// withdrawn: the agent does not wait for this any more. It does not echo an answer
// that comes late.
func (p *protocol) withdrawn(request string) []agent.Event {
	i := slices.IndexFunc(p.open, func(o openRequest) bool { return o.request == request })
	if i < 0 {
		return nil
	}
	o := p.open[i]
	p.answered(request)
	switch ev := o.event.(type) {
	case agent.Hook:
		return []agent.Event{agent.HookWithdrawn{Request: ev.Request}}
	case agent.ToolCall:
		return []agent.Event{agent.ToolWithdrawn{Request: ev.Request}}
	}
	return nil
}

// stillOpen tells a new reader what waits for it. The agent's own list of open
// requests names only its questions.
func (p *protocol) stillOpen() []agent.Event {
	var evs []agent.Event
	for _, o := range p.open {
		evs = append(evs, o.event)
	}
	return evs
}

// owe answers a request in the protocol's own words.
func (p *protocol) owe(request string, reply []byte, err error) []agent.Event {
	if err != nil { // what is answered here is ours and can be written
		return []agent.Event{agent.Request{Request: request, Name: "mcp_message"}}
	}
	say := agent.Native{Line: reply[:len(reply)-1]}
	return p.opened(openRequest{request: request, event: agent.Reply{Say: say}})
}
