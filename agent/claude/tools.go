package claude

import (
	"bytes"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
)

// serverName is what the agent knows our tools' server by.
const serverName = "vyre"

// callRequest names a call: the agent's request and the id that its MCP client
// gave the call, as the answer needs both.
func callRequest(request string, id json.RawMessage) string { return request + "#" + string(id) }

// toolReply writes the result of a call of one of our tools.
func toolReply(r agent.ToolReply) ([]byte, error) {
	request, id, ok := strings.Cut(r.Request, "#")
	if !ok || !json.Valid([]byte(id)) {
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
	return mcpReply(request, json.RawMessage(id), result)
}

// mcpReply answers one message of the agent's MCP client.
func mcpReply(request string, id json.RawMessage, result any) ([]byte, error) {
	return success(request, object{"mcp_response": object{"jsonrpc": "2.0", "id": id, "result": result}})
}
