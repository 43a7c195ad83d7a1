package claude

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"vyre"
	"vyre/agent"
)

// protocol is one session's memory: only what later lines need to be
// understood. Everything in it belongs to something in flight, so that it is
// empty between turns and a checkpoint is found there.
type protocol struct {
	opts agent.Options

	running bool                // a turn was told and has not ended
	parked  bool                // only open questions of subagents keep it from ending
	held    *agent.TurnEnded    // how it ended, if it did before they were closed
	pending []vyre.MessageID    // taken, their turn not told yet
	live    []vyre.MessageID    // messages of the running turn, not completed yet
	ended   []vyre.MessageID    // of the turn that ended, their completed to come
	msg     *modelMessage       // what the model streams
	tools   map[string]struct{} // calls without a result
	steps   map[string]stepCall // those of them that change the plan
	asks    map[string]openAsk
	tasks   map[string]string       // tasks in the foreground of a call: that call's key
	agents  map[string]runningAgent // subagents, by the id that their asks carry
	summary string                  // key of the compaction whose summary comes next
	yes     bool                    // an answer of ours changes the mode, which has not followed yet
	open    []openRequest           // hooks, calls of our tools and replies owed, in their order
	context int64                   // tokens of the turn's last request to the model
}

type openAsk struct {
	plan bool
	sub  bool // asked by a subagent, which may outlive the turn
}

type runningAgent struct {
	call   string
	path   []string
	parent string // task of the agent that began it, or empty
	behind bool   // it runs behind its call
}

func newProtocol(o agent.Options) *protocol {
	return &protocol{
		opts:  o,
		tools: map[string]struct{}{}, steps: map[string]stepCall{}, asks: map[string]openAsk{},
		tasks: map[string]string{}, agents: map[string]runningAgent{},
	}
}

// Clean implements agent.Protocol.
func (p *protocol) Clean() bool {
	return !p.running && !p.yes && p.msg == nil && p.summary == "" &&
		len(p.pending)+len(p.live)+len(p.ended)+len(p.tools)+len(p.steps)+len(p.asks)+len(p.tasks)+len(p.agents)+len(p.open) == 0
}

// Decode implements agent.Protocol.
func (p *protocol) Decode(line []byte) []agent.Event {
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	line = bytes.TrimRight(line, "\r")
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var h head
	if err := json.Unmarshal(line, &h); err != nil || h.Type == "" {
		return raw("", line)
	}
	evs, ok := p.dispatch(h, line)
	if !ok {
		name := h.Type
		if h.Subtype != "" {
			name += "/" + h.Subtype
		}
		return raw(name, line)
	}
	return evs
}

// dispatch decodes one line; ok is false for one that nobody here knows.
func (p *protocol) dispatch(h head, line []byte) (evs []agent.Event, ok bool) {
	switch h.Type {
	case "stream_event":
		return decode(line, p.stream)
	case "assistant":
		return decode(line, func(l *messageLine) []agent.Event { return p.assistant(h.parent(), l) })
	case "user":
		return decode(line, func(l *messageLine) []agent.Event { return p.user(h.parent(), l) })
	case "system":
		return p.system(h.Subtype, line)
	case "result":
		return decode(line, p.result)
	case "command_lifecycle":
		return decode(line, p.lifecycle)
	case "control_request":
		return decode(line, p.request)
	case "control_response":
		return decode(line, p.response)
	case "control_cancel_request":
		return p.cancelled(h.RequestID), true
	case "rate_limit_event":
		return decode(line, p.rateLimit)
	case "conversation_reset":
		return decode(line, p.reset)
	case "keep_alive", "tool_progress", "prompt_suggestion":
		return nil, true
	}
	return nil, false
}

// decode reads line as an L and hands it to f. A line that is no L is unknown.
func decode[L any](line []byte, f func(*L) []agent.Event) ([]agent.Event, bool) {
	var l L
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, false
	}
	return f(&l), true
}

// raw keeps a line whole; one that is not JSON becomes a string.
func raw(name string, line []byte) []agent.Event {
	r := agent.Raw{Name: name}
	if json.Valid(line) {
		r.JSON = slices.Clone(line)
	} else {
		b, err := json.Marshal(string(line))
		if err != nil {
			b = []byte(`""`)
		}
		r.JSON = b
	}
	return []agent.Event{r}
}
