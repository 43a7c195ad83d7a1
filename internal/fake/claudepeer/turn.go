package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// run runs the messages, one turn each.
func (p *peer) run() {
	for m := range p.turns {
		t := &turn{p: p, m: m, stop: make(chan struct{})}
		p.mu.Lock()
		if p.stop, p.wait = t.stop, p.wait-1; p.cut {
			close(t.stop)
			p.stop, p.cut = nil, false
		}
		p.state("running")
		p.say(object{"type": "command_lifecycle", "command_uuid": m.ID, "state": "started"})
		p.say(object{"type": "system", "subtype": "init", "model": "peer-1", "permissionMode": p.mode, "claude_code_version": version, "user_message_uuids": []string{m.ID}})
		p.say(object{"type": "user", "uuid": m.ID, "isReplay": true, "parent_tool_use_id": nil, "message": object{"role": "user", "content": m.Text}})
		p.mu.Unlock()
		p.note("user", m.ID, m.Text)
		t.script()
		t.end()
	}
}

func (p *peer) state(s string) {
	p.say(object{"type": "system", "subtype": "session_state_changed", "state": s, "sdk_host_only": true})
}

// turn is one running turn.
type turn struct {
	p    *peer
	m    message
	stop chan struct{}
	said int // messages of the model so far
}

// cut reports whether the turn was interrupted.
func (t *turn) cut() bool {
	select {
	case <-t.stop:
		return true
	default:
		return false
	}
}

func (t *turn) script() {
	for l := range strings.SplitSeq(t.m.Text, "\n") {
		if t.cut() {
			return
		}
		verb, rest, _ := strings.Cut(l, " ")
		switch verb {
		case "say":
			t.words([]string{rest}, 0)
		case "words":
			n, every := count(rest)
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprintf("w%d ", i+1)
			}
			t.words(list, every)
		case "append":
			t.tool(rest)
		case "hold":
			<-t.stop
		}
	}
}

// count reads "N every D".
func count(s string) (n int, every time.Duration) {
	f := strings.Fields(s)
	if len(f) > 0 {
		n, _ = strconv.Atoi(f[0])
	}
	if len(f) == 3 && f[1] == "every" {
		every, _ = time.ParseDuration(f[2])
	}
	return n, every
}

func (t *turn) message() string {
	t.said++
	return fmt.Sprintf("msg_%s_%d", t.m.ID, t.said)
}

func (t *turn) stream(msg string, event object) object {
	return object{"type": "stream_event", "event": event, "parent_tool_use_id": nil, "api_message_id": msg}
}

func (t *turn) begin(msg string, block object) {
	t.p.tell(t.stream(msg, object{"type": "message_start", "message": object{
		"id": msg, "type": "message", "role": "assistant", "model": "peer-1", "content": []object{},
		"usage": object{"input_tokens": 10, "output_tokens": 1},
	}}))
	t.p.tell(t.stream(msg, object{"type": "content_block_start", "index": 0, "content_block": block}))
}

func (t *turn) finish(msg string) {
	t.p.tell(t.stream(msg, object{"type": "content_block_stop", "index": 0}))
	t.p.tell(t.stream(msg, object{"type": "message_stop"}))
}

// assistant is the whole message after its stream.
func (t *turn) assistant(msg string, block object) {
	t.p.tell(object{"type": "assistant", "parent_tool_use_id": nil, "message": object{
		"id": msg, "type": "message", "role": "assistant", "model": "peer-1", "content": []object{block},
		"usage": object{"input_tokens": 10, "output_tokens": 1},
	}})
}

// words streams pieces as one message.
func (t *turn) words(pieces []string, every time.Duration) {
	msg := t.message()
	t.begin(msg, object{"type": "text", "text": ""})
	var whole strings.Builder
	for _, w := range pieces {
		t.p.tell(t.stream(msg, object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": w}}))
		whole.WriteString(w)
		if every > 0 {
			timer := time.NewTimer(every)
			select {
			case <-timer.C:
			case <-t.stop:
				timer.Stop()
			}
		}
		if t.cut() {
			break
		}
	}
	t.assistant(msg, object{"type": "text", "text": whole.String()})
	t.finish(msg)
	t.p.note("assistant", msg, whole.String())
}

// tool asks, and does it when it may.
func (t *turn) tool(file string) {
	msg, call, request := t.message(), "toolu_"+id(), id()
	input := object{"command": "echo x >> " + file}
	t.begin(msg, object{"type": "tool_use", "id": call, "name": "Bash", "input": object{}})
	t.assistant(msg, object{"type": "tool_use", "id": call, "name": "Bash", "input": input})
	a := &ask{answer: make(chan string, 1), line: object{"type": "control_request", "request_id": request, "request": object{
		"subtype": "can_use_tool", "tool_name": "Bash", "display_name": "Bash", "input": input, "tool_use_id": call,
		"permission_suggestions": []object{},
	}}}
	t.p.mu.Lock()
	if !t.cut() {
		t.p.asks[request] = a
		t.p.state("requires_action")
		t.p.say(a.line)
	}
	t.p.mu.Unlock()
	t.finish(msg)
	result, failed := "the turn was interrupted", true
	select {
	case b := <-a.answer:
		t.p.tell(object{"type": "system", "subtype": "session_state_changed", "state": "running", "sdk_host_only": true})
		if result = "denied"; b == "allow" {
			result, failed = "done", appendLine(file) != nil
		}
	case <-t.stop:
	}
	t.p.tell(object{"type": "user", "parent_tool_use_id": nil, "message": object{"role": "user", "content": []object{
		{"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed},
	}}})
}

func appendLine(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("x\n"); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// end tells the result and what became of the message.
func (t *turn) end() {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	t.p.stop = nil
	result := object{
		"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "num_turns": t.said,
		"user_message_uuid": t.m.ID, "user_message_uuids": []string{t.m.ID}, "total_cost_usd": 0.001,
		"usage": object{"input_tokens": 10, "output_tokens": 10},
	}
	state := "completed"
	if t.cut() {
		result["subtype"], result["is_error"], result["terminal_reason"] = "error_during_execution", true, "aborted_streaming"
		state = "cancelled"
	}
	t.p.say(result)
	t.p.say(object{"type": "command_lifecycle", "command_uuid": t.m.ID, "state": state})
	t.p.state("idle")
}
