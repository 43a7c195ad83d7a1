package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"vyre"
	"vyre/agent"
)

// native is what an answer needs to know of its question; it is kept with the
// ask, so that a later daemon can answer too.
type native struct {
	Tool  string          `json:"tool"`
	Call  string          `json:"call"`
	Input json.RawMessage `json:"input,omitempty"` // of a question: the answers go into it
	Rules []rule          `json:"rules,omitempty"` // what "for this session" would add
}

type rule struct {
	Tool    string  `json:"toolName"`
	Content *string `json:"ruleContent,omitempty"`
}

func (r rule) String() string {
	if r.Content == nil {
		return r.Tool
	}
	return r.Tool + "(" + *r.Content + ")"
}

// ask makes a question of a permission request and remembers that it is open.
func (p *protocol) ask(l *requestLine) agent.Ask {
	r := &l.Request
	kind := vyre.AskTool
	switch r.Tool {
	case "AskUserQuestion":
		kind = vyre.AskQuestion
	case "ExitPlanMode":
		kind = vyre.AskPlan
	}
	p.asks[l.RequestID] = openAsk{plan: kind == vyre.AskPlan, sub: r.AgentID != ""}

	input := r.Input
	if len(input) == 0 || !json.Valid(input) {
		input = json.RawMessage("{}")
	}
	n := native{Tool: r.Tool, Call: r.ToolUseID}
	var names []string
	if kind == vyre.AskTool && !r.NoRule {
		n.Rules = sessionRules(r.Suggestions)
		for _, x := range n.Rules {
			names = append(names, x.String())
		}
	}
	if kind == vyre.AskQuestion {
		n.Input = input
	}
	nb, err := json.Marshal(n)
	if err != nil {
		nb = []byte("{}")
	}
	return agent.Ask{
		Request: l.RequestID, Call: r.ToolUseID, Kind: kind, Tool: r.Tool,
		Title: askTitle(kind, r, input), Display: display(kind, r.Tool, input), Input: input,
		Source: askSource(r), Own: ownTool(r), AgentPath: p.agentPath(r.AgentID), Blocked: r.Blocked, Why: why(r), Insists: insists(r), Outside: r.ReasonType == "workingDir",
		SessionRules: names, Native: nb,
	}
}

// sessionRules are the allow rules that the agent suggests. Its other
// suggestions (another mode, more folders) would let through more than asked.
func sessionRules(suggestions []json.RawMessage) []rule {
	var out []rule
	for _, s := range suggestions {
		var v struct {
			Type     string `json:"type"`
			Behavior string `json:"behavior"`
			Rules    []rule `json:"rules"`
		}
		if json.Unmarshal(s, &v) != nil || v.Type != "addRules" || v.Behavior != "allow" {
			continue
		}
		for _, r := range v.Rules {
			if r.Tool != "" {
				out = append(out, r)
			}
		}
	}
	return out
}

// askSource says whose tool it is, as the protocol tells it.
func askSource(r *request) string {
	if r.MCPServer != nil {
		if r.MCPServer.Source == "sdk" && r.MCPServer.Name == "vyre" {
			return "vyre"
		}
		return "config:" + r.MCPServer.Name
	}
	return sourceOf(r.Tool)
}

// ownTool names the tool of ours that a question is about, or "".
func ownTool(r *request) string {
	if askSource(r) != "vyre" {
		return ""
	}
	name, _ := strings.CutPrefix(r.Tool, "mcp__"+serverName+"__")
	return name
}

// sourceOf guesses from a tool's name where the protocol says nothing: MCP
// tools are named mcp__<server>__<tool>.
func sourceOf(tool string) string {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return "builtin"
	}
	server, _, _ := strings.Cut(rest, "__")
	return "config:" + server
}

// insists reports whether the person's own rules or hooks, or the tool itself, want a
// person asked, and not only that nothing let the call pass.
func insists(r *request) bool {
	return len(r.AskRule) > 0 && string(r.AskRule) != "null" || r.ReasonType == "hook" || r.Interaction
}

func (p *protocol) agentPath(id string) []string {
	if id == "" {
		return nil
	}
	if a, ok := p.agents[id]; ok {
		return slices.Clone(a.path)
	}
	return []string{id}
}

func why(r *request) string {
	if r.Reason != "" {
		return r.Reason
	}
	switch r.ReasonType {
	case "":
		return ""
	case "mode":
		return "the session's mode"
	case "workingDir":
		return "outside the session's folder"
	}
	return r.ReasonType
}
