package main

import "encoding/json"

// line is what the host may say.
type line struct {
	Type      string `json:"type"`
	UUID      string `json:"uuid"`
	RequestID string `json:"request_id"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Request struct {
		Subtype string `json:"subtype"`
		Mode    string `json:"mode"`
	} `json:"request"`
	Response struct {
		RequestID string          `json:"request_id"`
		Response  json.RawMessage `json:"response"`
	} `json:"response"`
}

// take handles one line of the host's and says whether the session is over.
func (p *peer) take(b []byte) (over bool) {
	var l line
	if json.Unmarshal(b, &l) != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch l.Type {
	case "user":
		p.say(object{"type": "command_lifecycle", "command_uuid": l.UUID, "state": "queued"})
		p.wait++
		p.turns <- message{l.UUID, words(l.Message.Content)}
	case "control_request":
		p.control(l)
	case "control_response":
		p.answered(l)
	}
	return l.Request.Subtype == "end_session"
}

// words are a message's text: a string, or blocks of text.
func words(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		s += b.Text
	}
	return s
}

func (p *peer) control(l line) {
	reply := object{}
	outer := object{"subtype": "success", "request_id": l.RequestID}
	switch l.Request.Subtype {
	case "initialize":
		reply = object{
			"claude_code_version": version, "current_permission_mode": p.mode, "session_state": "idle", "hooks_applied": true,
			"commands": []object{}, "models": []object{{"value": "default", "displayName": "Default"}},
		}
		pending := []object{}
		for _, a := range p.asks {
			pending = append(pending, a.line)
		}
		outer["pending_permission_requests"], outer["pending_user_dialog_requests"] = pending, []object{}
	case "interrupt":
		p.interrupt()
		reply = object{"still_queued": []string{}, "cancelled": []string{}}
	case "set_permission_mode":
		p.mode = l.Request.Mode
		reply = object{"mode": p.mode}
	}
	outer["response"] = reply
	p.say(object{"type": "control_response", "response": outer})
}

// interrupt cuts the running turn: its asks are withdrawn first.
func (p *peer) interrupt() {
	for request := range p.asks {
		p.say(object{"type": "control_cancel_request", "request_id": request})
		delete(p.asks, request)
	}
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	} else {
		p.cut = p.wait > 0
	}
}

// answered settles an ask and echoes the answer, as the agent does.
func (p *peer) answered(l line) {
	a := p.asks[l.Response.RequestID]
	if a == nil {
		return
	}
	delete(p.asks, l.Response.RequestID)
	p.say(object{"type": "control_response", "response": object{
		"subtype": "success", "request_id": l.Response.RequestID, "response": l.Response.Response,
	}})
	var v struct{ Behavior string }
	_ = json.Unmarshal(l.Response.Response, &v)
	a.answer <- v.Behavior
}
