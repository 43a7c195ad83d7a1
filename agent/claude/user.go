package claude

import (
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
)

// user handles what stands on the user's side of the conversation: results of
// calls, echoes of our messages and words that the agent put there itself.
func (p *protocol) user(parent string, l *messageLine) []agent.Event {
	var evs []agent.Event
	for _, b := range l.Message.Content {
		switch b.Type {
		case "tool_result":
			if b.ToolUseID != "" {
				delete(p.tools, b.ToolUseID)
				u := update(b, l.Meta)
				evs = append(append(evs, u), p.stepDone(u)...)
			}
		case "text":
			evs = append(evs, p.userText(parent, l, b.Text)...)
		}
	}
	return evs
}

// update is what the result of a call says.
func update(b block, meta []resultMeta) agent.ToolUpdate {
	u := agent.ToolUpdate{Key: b.ToolUseID, Status: vyre.ItemCompleted, Output: output(b.Content), Ran: !b.IsError}
	if b.IsError {
		u.Status = vyre.ItemFailed
	}
	for _, m := range meta {
		if m.ID != b.ToolUseID {
			continue
		}
		if m.NonExecution == "user-rejected" { // the turn was cut, not this call answered
			u.Status = vyre.ItemCanceled
		}
		u.By = by(m)
		u.Ran = m.NonExecution == "" && (u.Ran || m.Decision.Decision == "accept")
	}
	return u
}

// by says what a call went ahead (or was refused) by.
func by(m resultMeta) vyre.By {
	d := m.Decision
	switch {
	case strings.HasPrefix(d.Source, "user_"):
		return vyre.ByPerson
	case d.Source == "hook":
		return vyre.ByHook
	case d.Source != "config":
		return ""
	}
	switch d.Reason {
	case "mode":
		return vyre.ByMode
	case "rule":
		return vyre.ByRule
	}
	if d.Decision == "accept" { // "", other, subcommandResults: it only reads
		return vyre.ByReadonly
	}
	return vyre.ByRule
}

// output is a result's text, or its blocks where it is more than text.
func output(c json.RawMessage) json.RawMessage {
	if len(c) == 0 {
		return nil
	}
	if c[0] == '"' {
		return c
	}
	var bs []block
	if json.Unmarshal(c, &bs) != nil {
		return c
	}
	var text strings.Builder
	for i, b := range bs {
		if b.Type != "text" {
			return c
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(b.Text)
	}
	s, err := json.Marshal(text.String())
	if err != nil {
		return c
	}
	return s
}

const (
	localStdout = "<local-command-stdout>"
	localStderr = "<local-command-stderr>"
)

// userText tells words on the user's side that no person wrote.
func (p *protocol) userText(parent string, l *messageLine, text string) []agent.Event {
	if parent != "" { // a subagent's prompt: it is in the call
		return nil
	}
	if s, ok := localOutput(text); ok {
		if s == "" || strings.HasPrefix(s, "Set model to") { // the answer to our own request
			return nil
		}
		return append(p.work(nil), notice(l.UUID, s))
	}
	if p.summary != "" {
		key := p.summary
		p.summary = ""
		return []agent.Event{agent.Item{
			Key: key, Kind: vyre.ItemCompaction, Status: vyre.ItemCompleted, Title: "Conversation compacted", Text: text,
		}}
	}
	if l.IsReplay || strings.HasPrefix(text, "[Request interrupted") {
		return nil
	}
	return append(p.work(nil), notice(l.UUID, text))
}

func localOutput(text string) (string, bool) {
	for _, tag := range []string{localStdout, localStderr} {
		if rest, ok := strings.CutPrefix(text, tag); ok {
			end := "</" + tag[1:]
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), end)), true
		}
	}
	return "", false
}

func notice(key, text string) agent.Item {
	return agent.Item{Key: key, Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Text: text}
}
