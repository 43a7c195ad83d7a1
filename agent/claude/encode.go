package claude

import (
	"bytes"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
)

// object is a JSON object to be written; keys come out sorted.
type object = map[string]any

// Encode implements agent.Protocol.
func (p *protocol) Encode(id uint64, s agent.Say) ([]byte, error) {
	switch s := s.(type) {
	case agent.Initialize:
		return p.initialize(id, s.Attach)
	case agent.Send:
		return send(s)
	case agent.Answer:
		return answer(s)
	case agent.Refuse:
		return line(object{"type": "control_response", "response": object{
			"subtype": "error", "request_id": s.Request, "error": s.Why,
		}})
	case agent.Interrupt:
		// What the agent took but has not begun comes back as dropped; it is in
		// our own queue's hands again.
		return control(id, whatInterrupt, object{"subtype": "interrupt", "cancel_queued": true})
	case agent.SetMode:
		mode, ok := nativeMode(s.Mode)
		if !ok {
			return nil, vyre.Invalid("mode", "there is no mode %q; the modes are ask, edits and plan", s.Mode)
		}
		return control(id, whatMode, object{"subtype": "set_permission_mode", "mode": mode})
	case agent.SetModel:
		req := object{"subtype": "set_model"}
		if s.Model != "" {
			req["model"] = s.Model
		}
		return control(id, whatModel, req)
	case agent.End:
		return control(id, whatEnd, object{"subtype": "end_session"})
	}
	return p.encodeMore(id, s)
}

// encodeMore writes what a session is told beside its turns.
func (p *protocol) encodeMore(id uint64, s agent.Say) ([]byte, error) {
	switch s := s.(type) {
	case agent.Cancel:
		return control(id, whatCancel, object{"subtype": "cancel_async_message", "message_uuid": string(agent.WireID(s.ID))})
	case agent.StopTask:
		return control(id, whatStopTask, object{"subtype": "stop_task", "task_id": s.Task})
	case agent.SetEffort:
		return setEffort(id, s.Effort)
	case agent.Compact:
		return send(agent.Send{ID: s.ID, Text: strings.TrimSpace("/compact " + s.Instructions)})
	case agent.HookReply:
		return hookReply(s)
	case agent.ToolReply:
		return toolReply(s)
	case agent.Native:
		return asItIs(s.Line)
	}
	return query(id, s)
}

// initialize never sends systemPrompt: even an empty one replaces the agent's own.
func (p *protocol) initialize(id uint64, attach bool) ([]byte, error) {
	req := object{"subtype": "initialize"}
	if p.opts.System != "" {
		req["appendSystemPrompt"] = p.opts.System
	}
	what := whatInit
	if attach {
		what = whatAttach
	}
	return control(id, what, req)
}

func send(s agent.Send) ([]byte, error) {
	content, err := contentOf(s)
	if err != nil {
		return nil, err
	}
	msg := object{
		"type": "user", "message": object{"role": "user", "content": content},
		"parent_tool_use_id": nil, "session_id": "", "uuid": string(agent.WireID(s.ID)),
		"priority": "later", // a turn of its own, also while another runs
	}
	if s.Steer {
		msg["priority"] = "next"
	}
	return line(msg)
}

func control(id uint64, what string, req object) ([]byte, error) {
	return line(object{"type": "control_request", "request_id": requestID(id, what), "request": req})
}

// asItIs gives back a line that a Reply event held.
func asItIs(l json.RawMessage) ([]byte, error) {
	if !json.Valid(l) || bytes.IndexByte(l, '\n') >= 0 {
		return nil, vyre.Invalid("line", "this is not one line of JSON")
	}
	return append(bytes.Clone(l), '\n'), nil
}

// line writes one object and its 0x0A. Text goes out as it is: no HTML escapes.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, vyre.Invalid("input", "it can't be written as JSON").Because(err)
	}
	return b.Bytes(), nil
}
