package session

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/internal/registry"
)

// Registry is where the calls go. *registry.Registry implements it.
type Registry interface {
	Call(ctx context.Context, c vyre.Caller, name string, input json.RawMessage) (json.RawMessage, error)
	Tool(name string) (registry.Entry, bool)
}

// Spec is one tool as a session is offered it.
type Spec struct {
	Name, Description string
	Schema            json.RawMessage // of the input, an object
	ReadOnly          bool
	Unasked           bool // it may be used without a question to a person
}

// Door offers tools to sessions.
type Door struct{ reg Registry }

// New makes the door. The registry may still be empty; it is asked when a session
// starts.
func New(r Registry) *Door { return &Door{reg: r} }

// Offer lists what a session is offered. A tool that is not there is left out.
func (d *Door) Offer() []Spec {
	var out []Spec
	for _, x := range table {
		e, ok := d.reg.Tool(x.tool)
		if !ok {
			continue
		}
		schema, err := json.Marshal(e.In())
		if err != nil {
			continue // reg.CheckSchemas is a test of its own
		}
		out = append(out, Spec{
			Name: wireName(x.tool), Description: e.Summary, Schema: withoutThread(schema),
			ReadOnly: e.Effect == vyre.EffectRead, Unasked: x.unasked,
		})
	}
	return out
}

// Call runs a tool for the thread whose session asks. Errors: not_found for what is
// not offered, then the registry's.
func (d *Door) Call(ctx context.Context, thread vyre.ThreadID, name string, input json.RawMessage) (json.RawMessage, error) {
	for _, x := range table {
		if wireName(x.tool) != name {
			continue
		}
		e, ok := d.reg.Tool(x.tool)
		if !ok {
			break
		}
		return d.reg.Call(ctx, vyre.Caller{Kind: vyre.CallerThread, ID: string(thread), Proof: "session"}, x.tool, withThread(e, input, thread))
	}
	return nil, vyre.NotFound("tool", name)
}

// wireName is a tool's name as agents take it: they allow no dots.
func wireName(tool string) string { return strings.ReplaceAll(tool, ".", "_") }

// withThread fills in whose session speaks, over whatever the input says.
func withThread(e registry.Entry, input json.RawMessage, thread vyre.ThreadID) json.RawMessage {
	schema, err := json.Marshal(e.In())
	if err != nil || !hasThread(schema) {
		return input
	}
	fields := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(input)) > 0 && json.Unmarshal(input, &fields) != nil {
		return input // not an object: the registry says so
	}
	id, err := json.Marshal(thread)
	if err != nil {
		return input
	}
	fields["thread"] = id
	out, err := json.Marshal(fields)
	if err != nil {
		return input
	}
	return out
}

type shape struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

func hasThread(schema json.RawMessage) bool {
	var s shape
	return json.Unmarshal(schema, &s) == nil && s.Properties["thread"] != nil
}

// withoutThread is a schema whose caller does not name the thread.
func withoutThread(schema json.RawMessage) json.RawMessage {
	if !hasThread(schema) {
		return schema
	}
	var all map[string]json.RawMessage
	var s shape
	if json.Unmarshal(schema, &all) != nil || json.Unmarshal(schema, &s) != nil {
		return schema
	}
	delete(s.Properties, "thread")
	required := []string{}
	for _, r := range s.Required {
		if r != "thread" {
			required = append(required, r)
		}
	}
	var err1, err2 error
	all["properties"], err1 = json.Marshal(s.Properties)
	all["required"], err2 = json.Marshal(required)
	out, err3 := json.Marshal(all)
	if err1 != nil || err2 != nil || err3 != nil {
		return schema
	}
	return out
}
