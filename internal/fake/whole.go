package fake

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
)

// whole is a sink that answers in one piece.
type whole struct {
	w      http.ResponseWriter
	model  string
	header http.Header
	blocks []map[string]any
}

func (s *whole) begin(h http.Header, _ usage) { s.header = h }

func (s *whole) open(kind, id, name string) {
	b := map[string]any{"type": kind}
	if kind == "tool_use" {
		b["id"], b["name"] = id, name
	}
	s.blocks = append(s.blocks, b)
}

func (s *whole) delta(text string) {
	b := s.blocks[len(s.blocks)-1]
	switch b["type"] {
	case "tool_use":
		b["input"] = json.RawMessage(text)
	case "thinking":
		old, _ := b["thinking"].(string)
		b["thinking"], b["signature"] = old+text, "c2NyaXB0ZWQ="
	default:
		old, _ := b["text"].(string)
		b["text"] = old + text
	}
}

func (s *whole) shut() {}

func (s *whole) end(stop string, u usage) {
	maps.Copy(s.w.Header(), s.header)
	s.w.Header().Set("Content-Type", "application/json")
	if s.blocks == nil {
		s.blocks = []map[string]any{}
	}
	_ = json.NewEncoder(s.w).Encode(map[string]any{
		"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": s.model,
		"content": s.blocks, "stop_reason": stop, "stop_sequence": nil, "usage": u,
	})
}

func (s *whole) fail(status int, kind, message string) { writeError(s.w, status, kind, message) }
