package claude

import (
	"encoding/json"

	"vyre"
	"vyre/agent"
)

var _ agent.Brokered = (*Provider)(nil)

// Brokering implements agent.Brokered. What is sent with which credential was measured
// on 2.1.332: a key as x-api-key; a setup token as a bearer, with the beta it needs
// named by the agent itself. Nothing but messages is asked of an address that is not
// the vendor's own.
func (*Provider) Brokering() agent.Brokering {
	return agent.Brokering{
		Env: "ANTHROPIC_BASE_URL", Base: "https://api.anthropic.com",
		Asks: []string{"POST /v1/messages", "POST /v1/messages/count_tokens"},
		Keys: map[agent.CredentialKind]agent.BrokerKey{
			agent.CredentialAPIKey:     {Header: "X-Api-Key", Like: "sk-ant-api03-"},
			agent.CredentialOAuthToken: {Header: "Authorization", Prefix: "Bearer ", Like: "sk-ant-oat01-"},
		},
		Count: countUsage,
	}
}

// countUsage reads the usage of a message: whole, at a stream's start, or what a
// stream's end says of its output. The last two overlap: the end's count is of all of it.
func countUsage(part []byte, u *vyre.Usage) {
	type usage struct {
		Input      int64 `json:"input_tokens"`
		Output     int64 `json:"output_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
	}
	var l struct {
		Type    string `json:"type"`
		Usage   usage  `json:"usage"`
		Message struct {
			Usage usage `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(part, &l) != nil {
		return
	}
	switch l.Type {
	case "message_start":
		l.Usage = l.Message.Usage
		l.Usage.Output = 0
	case "message_delta":
		l.Usage = usage{Output: l.Usage.Output}
	case "message":
	default:
		return
	}
	u.InputTokens += l.Usage.Input
	u.OutputTokens += l.Usage.Output
	u.CacheReadTokens += l.Usage.CacheRead
	u.CacheWriteTokens += l.Usage.CacheWrite
}
