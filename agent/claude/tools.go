package claude

import (
	"bytes"
	"encoding/json"
	"slices"

	"vyre"
	"vyre/agent"
)

// serverName is what the agent knows our tools' server by.
const serverName = "vyre"

// callRequest names a call: the agent's request and the id that its MCP client
// gave the call, as the answer needs both.
func callRequest(request string, id json.RawMessage) string {
	b, err := json.Marshal([]any{request, id})
	if err != nil {
		return "" // both came out of JSON
	}
	return string(b)
}

func parseCallRequest(s string) (request string, id json.RawMessage, ok bool) {
	var parts []json.RawMessage
	if json.Unmarshal([]byte(s), &parts) != nil || len(parts) != 2 {
		return "", nil, false
	}
	err := json.Unmarshal(parts[0], &request)
	return request, parts[1], err == nil
}

const (
	mcpVersion = "2025-11-25" // of the protocol, as the pinned agent asks for it

	// A call may wait for a person or another thread, and is part of its turn.
	callMillis = 7 * 24 * 3600 * 1000
)

// offer names our tools in initialize: one server inside this process. What its
// handshake would say is sent along, so that no round trip is needed.
func offer(req object, tools []agent.ToolSpec) {
	req["sdkMcpServers"] = []string{serverName}
	req["sdkMcpServerConfigs"] = object{serverName: object{"timeout": callMillis, "disableAutoBackground": true}}
	req["sdkMcpServerManifests"] = object{serverName: object{
		"initializeResult": serverInfo(mcpVersion), "toolsListResult": toolList(tools),
	}}
}

func serverInfo(version string) object {
	return object{
		"protocolVersion": version, "capabilities": object{"tools": object{}},
		"serverInfo": object{"name": serverName, "version": "1"},
	}
}

func toolList(tools []agent.ToolSpec) object {
	list := []object{}
	for _, t := range tools {
		schema := t.Schema
		if fieldsOf(schema) == nil {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		x := object{
			"name": t.Name, "description": t.Description, "inputSchema": schema,
			// else the model gets the names alone and has to look a tool up to use it
			"_meta": object{"anthropic/alwaysLoad": true},
		}
		if t.ReadOnly {
			x["annotations"] = object{"readOnlyHint": true}
		}
		list = append(list, x)
	}
	return object{"tools": list}
}

// mcp serves the agent's MCP client. All but the calls is answered here.
func (p *protocol) mcp(l *requestLine) []agent.Event {
	m := mcpLine{request: l.RequestID}
	if l.Request.Server != serverName || json.Unmarshal(l.Request.Message, &m) != nil {
		return []agent.Event{agent.Request{Request: l.RequestID, Name: "mcp_message"}}
	}
	switch m.Method {
	case "initialize":
		version := m.Params.Protocol
		if version == "" {
			version = mcpVersion
		}
		return p.oweMCP(&m, serverInfo(version))
	case "tools/list":
		return p.oweMCP(&m, toolList(p.opts.Tools))
	case "ping":
		return p.oweMCP(&m, object{})
	case "tools/call":
		return p.toolCall(&m)
	case "notifications/cancelled":
		return append(p.callCanceled(m.Params.Canceled), p.oweNothing(&m)...)
	}
	if len(m.ID) == 0 { // another notification, or an answer to nothing
		return p.oweNothing(&m)
	}
	return p.oweError(&m, -32601, "method not found")
}

func (p *protocol) toolCall(m *mcpLine) []agent.Event {
	known := slices.ContainsFunc(p.opts.Tools, func(t agent.ToolSpec) bool { return t.Name == m.Params.Name })
	if !known || len(m.ID) == 0 {
		return p.oweError(m, -32602, "there is no such tool")
	}
	input := m.Params.Arguments
	if fieldsOf(input) == nil {
		input = json.RawMessage("{}")
	}
	return p.opened(openRequest{request: m.request, call: m.ID, event: agent.ToolCall{
		Request: callRequest(m.request, m.ID), Tool: m.Params.Name, Call: m.Params.Meta.Call, Input: input,
	}})
}

// callCanceled: the turn of a call was cut. The agent does not withdraw the call's
// request itself.
func (p *protocol) callCanceled(id json.RawMessage) []agent.Event {
	for _, o := range p.open {
		if len(o.call) > 0 && bytes.Equal(o.call, id) {
			return p.withdrawn(o.request)
		}
	}
	return nil
}

func (p *protocol) oweMCP(m *mcpLine, result object) []agent.Event {
	if len(m.ID) == 0 {
		return p.oweNothing(m)
	}
	reply, err := mcpReply(m.request, m.ID, result)
	return p.owe(m.request, reply, err)
}

// oweNothing answers a notification, as the official SDK does.
func (p *protocol) oweNothing(m *mcpLine) []agent.Event {
	reply, err := mcpReply(m.request, json.RawMessage("0"), object{})
	return p.owe(m.request, reply, err)
}

func (p *protocol) oweError(m *mcpLine, code int, message string) []agent.Event {
	id := m.ID
	if len(id) == 0 {
		id = json.RawMessage("0")
	}
	reply, err := success(m.request, object{"mcp_response": object{
		"jsonrpc": "2.0", "id": id, "error": object{"code": code, "message": message},
	}})
	return p.owe(m.request, reply, err)
}

// toolReply writes the result of a call of one of our tools.
func toolReply(r agent.ToolReply) ([]byte, error) {
	request, id, ok := parseCallRequest(r.Request)
	if !ok {
		return nil, vyre.Invalid("request", "this names no call of a tool")
	}
	text := string(r.Output)
	if len(bytes.TrimSpace(r.Output)) > 0 {
		if !json.Valid(r.Output) {
			return nil, vyre.Invalid("output", "the output of a tool is JSON")
		}
		var s string
		if json.Unmarshal(r.Output, &s) == nil {
			text = s
		}
	}
	result := object{"content": []object{{"type": "text", "text": text}}}
	if r.Failed {
		result["isError"] = true
	}
	return mcpReply(request, id, result)
}

// mcpReply answers one message of the agent's MCP client.
func mcpReply(request string, id json.RawMessage, result any) ([]byte, error) {
	return success(request, object{"mcp_response": object{"jsonrpc": "2.0", "id": id, "result": result}})
}
