package fake

import (
	"encoding/json"
	"regexp"
	"strings"
)

// request is what the server reads of a Messages request.
type request struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   json.RawMessage   `json:"system"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []message         `json:"messages"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

type block struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content content `json:"content"` // of a tool_result
}

// content is a string or a list of blocks.
type content []block

func (c *content) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content{{Type: "text", Text: s}}
		return nil
	}
	var bs []block
	if err := json.Unmarshal(b, &bs); err != nil {
		return err
	}
	*c = bs
	return nil
}

func (c content) text() string {
	var b strings.Builder
	for _, x := range c {
		if x.Type == "text" {
			b.WriteString(x.Text)
		}
	}
	return b.String()
}

// position is where a conversation stands.
type position struct {
	human   string // the message that decides
	results int    // tool results since
	last    string // text of the last one
}

// joined marks a message that the agent folded into a running turn.
const joined = "The user sent a new message while you were working:"

// background marks what an agent tells its model when a task ended; alone in a
// message, it is a turn that nobody sent.
const background = "<task-notification>"

// locate finds the person's last message and what followed it.
func (r *request) locate() position {
	var p position
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		results := p.results
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_result":
				p.results++
				p.last = b.Content.text()
			case b.Type != "text":
			case takesOver(b.Text), p.results == results && strings.Contains(b.Text, background):
				p = position{human: strings.TrimSpace(b.Text)}
			}
		}
	}
	return p
}

// takesOver reports whether a text block of a user message decides what follows.
func takesOver(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "<system-reminder>") || strings.HasPrefix(text, "[Request interrupted") {
		return false
	}
	if strings.Contains(text, joined) {
		_, ok := parse(text)
		return ok
	}
	return true
}

var workingFolder = regexp.MustCompile(`(?i)working directory: ([^\n"\\]+)`)

// cwd finds the agent's folder in what the agent told the model about it.
func (r *request) cwd() string {
	texts := []string{string(r.System)}
	for _, m := range r.Messages {
		texts = append(texts, m.Content.text())
	}
	for _, t := range texts {
		if m := workingFolder.FindStringSubmatch(t); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return "/tmp"
}
