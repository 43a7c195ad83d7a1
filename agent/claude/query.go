package claude

import (
	"encoding/json"

	"vyre/agent"
)

// query writes what asks the agent something.
func query(id uint64, s agent.Say) ([]byte, error) {
	switch s := s.(type) {
	case agent.RewindFiles:
		what, req := whatRewind, object{"subtype": "rewind_files", "user_message_id": string(agent.WireID(s.Message))}
		if s.DryRun {
			what, req["dry_run"] = whatDryRun, true
		}
		return control(id, what, req)
	case agent.GetContext:
		// In full it has every tool's description counted by the model's service.
		return control(id, whatContext, object{"subtype": "get_context_usage", "detail": "summary"})
	case agent.GetFiles:
		return control(id, whatFiles, object{"subtype": "file_suggestions", "query": s.Query})
	case agent.GetServers:
		return control(id, whatServers, object{"subtype": "mcp_status"})
	}
	return nil, agent.ErrUnsupported
}

// replied reads the answer to a request, by what it was about.
func replied(id uint64, what string, body json.RawMessage) agent.Replied {
	var v any
	var err string
	switch what {
	case whatCancel:
		err = cancelRefused(body)
	case whatRewind, whatDryRun:
		v, err = rewound(body)
	case whatContext:
		v, err = contextUsage(body)
	case whatFiles:
		v, err = suggestions(body)
	case whatServers:
		v, err = servers(body)
	}
	r := agent.Replied{ID: id, Err: err}
	if v == nil || err != "" {
		return r
	}
	b, bad := json.Marshal(v)
	if bad != nil {
		r.Err = notUnderstood
		return r
	}
	r.Body = b
	return r
}

const notUnderstood = "the agent's answer was not understood"

func cancelRefused(body json.RawMessage) string {
	var v struct {
		Cancelled bool `json:"cancelled"`
	}
	if json.Unmarshal(body, &v) != nil {
		return notUnderstood
	}
	if !v.Cancelled {
		return "the message does not wait there any more"
	}
	return ""
}

func rewound(body json.RawMessage) (any, string) {
	var v struct {
		Can        bool     `json:"canRewind"`
		Error      string   `json:"error"`
		Files      []string `json:"filesChanged"`
		Insertions int      `json:"insertions"`
		Deletions  int      `json:"deletions"`
	}
	if json.Unmarshal(body, &v) != nil {
		return nil, notUnderstood
	}
	if !v.Can {
		if v.Error == "" {
			v.Error = "the agent can't put the files back"
		}
		return nil, v.Error
	}
	out := agent.FilesRewound{Files: []string{}, Insertions: v.Insertions, Deletions: v.Deletions}
	out.Files = append(out.Files, v.Files...)
	return out, ""
}

// contextUsage leaves out what the window does not hold: what is free, kept free,
// or would be loaded on demand.
func contextUsage(body json.RawMessage) (any, string) {
	var v struct {
		Total int64 `json:"totalTokens"`
		Max   int64 `json:"maxTokens"`
		Parts []struct {
			Name   string `json:"name"`
			Tokens int64  `json:"tokens"`
			Kind   string `json:"kind"`
		} `json:"categories"`
	}
	if json.Unmarshal(body, &v) != nil {
		return nil, notUnderstood
	}
	out := agent.ContextUsage{Tokens: v.Total, Window: v.Max, Parts: []agent.ContextShare{}}
	for _, p := range v.Parts {
		if p.Kind == "used" {
			out.Parts = append(out.Parts, agent.ContextShare{Name: p.Name, Tokens: p.Tokens})
		}
	}
	return out, ""
}

func suggestions(body json.RawMessage) (any, string) {
	var v struct {
		Suggestions []struct {
			Path string `json:"path"`
		} `json:"suggestions"`
	}
	if json.Unmarshal(body, &v) != nil {
		return nil, notUnderstood
	}
	out := []string{}
	for _, s := range v.Suggestions {
		if s.Path != "" {
			out = append(out, s.Path)
		}
	}
	return out, ""
}

func servers(body json.RawMessage) (any, string) {
	var v struct {
		Servers []struct {
			Name   string            `json:"name"`
			Status string            `json:"status"`
			Source string            `json:"source"`
			Scope  string            `json:"scope"`
			Error  string            `json:"error"`
			Tools  []json.RawMessage `json:"tools"`
			Config struct {
				Type string `json:"type"`
			} `json:"config"`
		} `json:"mcpServers"`
	}
	if json.Unmarshal(body, &v) != nil {
		return nil, notUnderstood
	}
	out := []agent.ServerStatus{}
	for _, s := range v.Servers {
		source := "config:" + s.Name
		if s.Name == serverName && (s.Source == "sdk" || s.Config.Type == "sdk") {
			source = "vyre"
		}
		out = append(out, agent.ServerStatus{
			Name: s.Name, Status: s.Status, Source: source, Error: s.Error, Tools: len(s.Tools),
		})
	}
	return out, ""
}
