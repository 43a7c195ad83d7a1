package claude

import (
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
