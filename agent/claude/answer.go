package claude

import (
	"encoding/json"
	"maps"

	"vyre"
	"vyre/agent"
)

const deniedPlainly = "The person denied this."

// answer writes the reply to a permission request.
func answer(a agent.Answer) ([]byte, error) {
	var n native
	if len(a.Native) > 0 && json.Unmarshal(a.Native, &n) != nil {
		return nil, vyre.Invalid("ask", "what is kept with this question is not of this agent")
	}
	body, err := verdict(a, n)
	if err != nil {
		return nil, err
	}
	if n.Call != "" {
		body["toolUseID"] = n.Call
	}
	return line(object{"type": "control_response", "response": object{
		"subtype": "success", "request_id": a.Request, "response": body,
	}})
}

func verdict(a agent.Answer, n native) (object, error) {
	switch a.Decision {
	case vyre.Deny:
		msg := a.Message
		if msg == "" {
			msg = deniedPlainly
		}
		body := object{"behavior": "deny", "message": msg}
		if a.Stop {
			body["interrupt"] = true
		}
		return body, nil
	case vyre.Allow:
	default:
		return nil, vyre.Invalid("decision", "a decision is allow or deny")
	}
	body := object{"behavior": "allow"}
	input, err := updatedInput(a, n)
	if err != nil {
		return nil, err
	}
	if input != nil { // left out, the call runs with the input it asked with
		body["updatedInput"] = input
	}
	ups, err := permissionUpdates(a, n)
	if err != nil {
		return nil, err
	}
	if len(ups) > 0 {
		body["updatedPermissions"] = ups
	}
	return body, nil
}

// updatedInput is the call's new input, or nil where it stays as it was.
func updatedInput(a agent.Answer, n native) (json.RawMessage, error) {
	input := a.Input
	if input != nil && fieldsOf(input) == nil {
		return nil, vyre.Invalid("input", "the input of a call is an object")
	}
	if a.Kind != vyre.AskQuestion || len(a.Answers) == 0 {
		return input, nil
	}
	if input == nil {
		input = n.Input
	}
	f := maps.Clone(fieldsOf(input))
	if f == nil {
		f = fields{}
	}
	b, err := json.Marshal(a.Answers)
	if err != nil {
		return nil, vyre.Invalid("answers", "they can't be written as JSON").Because(err)
	}
	f["answers"] = b
	return json.Marshal(f)
}

// permissionUpdates are the only changes of rules that this driver ever sends:
// rules of the agent's own suggestion, and one of our modes, both for this
// session alone. Nothing is written into the agent's files.
func permissionUpdates(a agent.Answer, n native) ([]object, error) {
	var out []object
	if a.Scope == vyre.ScopeSession && len(n.Rules) > 0 {
		out = append(out, object{
			"type": "addRules", "rules": n.Rules, "behavior": "allow", "destination": "session",
		})
	}
	if a.Mode != "" {
		mode, ok := nativeMode(a.Mode)
		if !ok {
			return nil, vyre.Invalid("mode", "there is no mode %q; the modes are ask, edits and plan", a.Mode)
		}
		out = append(out, object{"type": "setMode", "mode": mode, "destination": "session"})
	}
	return out, nil
}
