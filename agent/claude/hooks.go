package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// hookNames are the agent's words for its hooks.
var hookNames = map[agent.HookKind]string{
	agent.HookPreTool:      "PreToolUse",
	agent.HookPostTool:     "PostToolUse",
	agent.HookPrompt:       "UserPromptSubmit",
	agent.HookStop:         "Stop",
	agent.HookSubagentStop: "SubagentStop",
	agent.HookPreCompact:   "PreCompact",
}

const (
	callbackPrefix = "vyre-"
	callbackWakes  = "vyre-wakes" // a Stop hook of our own, which tells what is scheduled

	// An unanswered PreToolUse refuses its call, so a hook may wait for as long as
	// anybody could want: a week.
	hookSeconds = 7 * 24 * 3600
	// Nothing depends on the answer to our own, and it must not hold up a session for
	// long that works on while no daemon is there.
	wakesSeconds = 60
)

// hookTable is what initialize names: which hooks call back, and as what.
func hookTable(o agent.Options) object {
	table := object{}
	for kind, name := range hookNames {
		var matchers []object
		if slices.Contains(o.Hooks, kind) {
			m := object{"hookCallbackIds": []string{callbackPrefix + string(kind)}, "timeout": hookSeconds}
			if len(o.HookTools) > 0 && (kind == agent.HookPreTool || kind == agent.HookPostTool) {
				m["matcher"] = strings.Join(o.HookTools, "|")
			}
			matchers = append(matchers, m)
		}
		if kind == agent.HookStop && !o.Bare {
			matchers = append(matchers, object{"hookCallbackIds": []string{callbackWakes}, "timeout": wakesSeconds})
		}
		if matchers != nil {
			table[name] = matchers
		}
	}
	return table
}

// hook makes an event of a hook that calls back.
func (p *protocol) hook(l *requestLine) []agent.Event {
	var in hookInput
	if len(l.Request.Input) > 0 && json.Unmarshal(l.Request.Input, &in) != nil {
		in = hookInput{}
	}
	if l.Request.Callback == callbackWakes {
		reply, err := success(l.RequestID, object{})
		return append([]agent.Event{scheduled(in.Crons)}, p.owe(l.RequestID, reply, err)...)
	}
	kind := agent.HookKind(strings.TrimPrefix(l.Request.Callback, callbackPrefix))
	if _, ok := hookNames[kind]; !ok {
		return []agent.Event{agent.Request{Request: l.RequestID, Name: "hook_callback"}}
	}
	h := agent.Hook{Request: l.RequestID, Kind: kind, AgentID: in.AgentID}
	switch kind {
	case agent.HookPreTool, agent.HookPostTool:
		h.Call, h.Tool, h.Input, h.CWD, h.Source = in.ToolUseID, in.Tool, in.Input, in.CWD, sourceOf(in.Tool)
	case agent.HookPrompt:
		h.Text = in.Prompt
	case agent.HookStop, agent.HookSubagentStop:
		h.Text = in.LastWords
	case agent.HookPreCompact:
	}
	var evs []agent.Event
	if kind == agent.HookPrompt { // it comes before the turn's own first words
		evs = p.work(nil)
	}
	return append(evs, p.opened(openRequest{request: l.RequestID, event: h})...)
}

// unheard is how the agent tells that nobody answered our own Stop hook in time. It
// is no news to a person: the turn ended, and the next one's hook tells the same.
const unheard = "Stop says: The app driving this session didn't respond"

// scheduled is all that the agent will wake up for. It is gone with the process,
// unless the agent keeps it in its own files.
func scheduled(crons []cron) agent.Tasks {
	t := agent.Tasks{State: agent.TaskScheduled, List: []agent.Task{}}
	for _, c := range crons {
		t.List = append(t.List, agent.Task{ID: c.ID, Title: c.Schedule + "  " + c.Prompt, State: agent.TaskScheduled})
	}
	return t
}

// hookReply writes the answer to a hook. An allowed call still goes through the
// session's own permissions: a hook that says "allow" to the agent would skip the
// question to the person, so that word is never sent.
func hookReply(r agent.HookReply) ([]byte, error) {
	name, ok := hookNames[r.Kind]
	if !ok {
		return nil, vyre.Invalid("kind", "there is no hook of kind %q", r.Kind)
	}
	body, specific := object{}, object{}
	why := r.Why
	if why == "" {
		why = deniedByHook
	}
	switch r.Decision {
	case "", vyre.Allow:
		if r.Ask && r.Kind == agent.HookPreTool { // measured: it becomes a question of its own
			specific["permissionDecision"], specific["permissionDecisionReason"] = "ask", why
		}
	case vyre.Deny:
		switch r.Kind {
		case agent.HookPreTool:
			specific["permissionDecision"], specific["permissionDecisionReason"] = "deny", why
		case agent.HookPrompt, agent.HookStop, agent.HookSubagentStop:
			body["decision"], body["reason"] = "block", why
		default:
			return nil, vyre.Invalid("decision", "a hook of kind %q can't deny anything", r.Kind)
		}
	default:
		return nil, vyre.Invalid("decision", "a decision is allow or deny")
	}
	if r.Context != "" && r.Kind != agent.HookPreCompact {
		specific["additionalContext"] = r.Context
	}
	if len(specific) > 0 {
		specific["hookEventName"] = name
		body["hookSpecificOutput"] = specific
	}
	return success(r.Request, body)
}

const deniedByHook = "This was not allowed here."

// success answers a request of the agent.
func success(request string, body object) ([]byte, error) {
	return line(object{"type": "control_response", "response": object{
		"subtype": "success", "request_id": request, "response": body,
	}})
}
