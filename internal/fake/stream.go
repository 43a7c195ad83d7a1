package fake

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// stream is a sink of server-sent events.
type stream struct {
	w     http.ResponseWriter
	model string
	extra http.Header // of an error before the beginning

	begun bool
	index int
	kind  string
}

func (s *stream) begin(h http.Header, u usage) {
	s.begun = true
	maps.Copy(s.w.Header(), h)
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Request-Id", "req_"+rand.Text())
	s.w.WriteHeader(http.StatusOK)
	u.Out = 1
	s.send("message_start", map[string]any{"message": map[string]any{
		"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": s.model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": u,
	}})
}

func (s *stream) open(kind, id, name string) {
	s.kind = kind
	b := map[string]any{"type": kind}
	switch kind {
	case "tool_use":
		b["id"], b["name"], b["input"] = id, name, map[string]any{}
	case "thinking":
		b["thinking"], b["signature"] = "", ""
	default:
		b["text"] = ""
	}
	s.send("content_block_start", map[string]any{"index": s.index, "content_block": b})
}

func (s *stream) delta(text string) {
	d := map[string]any{"type": "text_delta", "text": text}
	switch s.kind {
	case "tool_use":
		for _, part := range halves(text) {
			s.send("content_block_delta", map[string]any{
				"index": s.index, "delta": map[string]any{"type": "input_json_delta", "partial_json": part},
			})
		}
		return
	case "thinking":
		d = map[string]any{"type": "thinking_delta", "thinking": text}
	}
	s.send("content_block_delta", map[string]any{"index": s.index, "delta": d})
}

func (s *stream) shut() {
	if s.kind == "thinking" {
		s.send("content_block_delta", map[string]any{
			"index": s.index, "delta": map[string]any{"type": "signature_delta", "signature": "c2NyaXB0ZWQ="},
		})
	}
	s.send("content_block_stop", map[string]any{"index": s.index})
	s.index++
}

func (s *stream) end(stop string, u usage) {
	s.send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": u.Out},
	})
	s.send("message_stop", map[string]any{})
}

func (s *stream) fail(status int, kind, message string) {
	if !s.begun {
		maps.Copy(s.w.Header(), s.extra)
		writeError(s.w, status, kind, message)
		return
	}
	s.send("error", map[string]any{"error": map[string]string{"type": kind, "message": message}})
}

// send writes one event and pushes it out.
func (s *stream) send(event string, data map[string]any) {
	data["type"] = event
	b, err := json.Marshal(data)
	if err != nil {
		return
	}
	_, _ = s.w.Write([]byte("event: " + event + "\ndata: " + string(b) + "\n\n"))
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// halves cuts a tool's input in two, as a model streams it in pieces.
func halves(s string) []string {
	if len(s) < 4 || len(s) > 1<<20 {
		return []string{s}
	}
	i := strings.LastIndexByte(s[:len(s)/2+1], '"')
	if i <= 0 {
		return []string{s}
	}
	return []string{s[:i], s[i:]}
}
