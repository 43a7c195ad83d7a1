package claude

import (
	"encoding/json"
	"strconv"
	"strings"

	"vyre"
	"vyre/agent"
)

// assistant handles a whole block of the agent's answer: one block a line.
func (p *protocol) assistant(parent string, l *messageLine) []agent.Event {
	var evs []agent.Event
	if parent == "" {
		evs = p.work(nil)
	}
	if l.IsAPIError || l.Error != "" {
		return append(evs, p.apiError(parent, l)...)
	}
	if parent == "" && p.msg != nil && p.msg.id != l.Message.ID { // the stream was given up for a whole answer
		evs = append(evs, p.abandon()...)
	}
	if parent == "" {
		p.filled(l.Message.Usage)
	}
	for i, b := range l.Message.Content {
		switch b.Type {
		case "text":
			evs = append(evs, p.words(parent, l, i, b.Type, b.Text)...)
		case "thinking":
			evs = append(evs, p.words(parent, l, i, b.Type, b.Thinking)...)
		case "tool_use", "server_tool_use":
			evs = append(evs, p.call(parent, b)...)
		}
	}
	return evs
}

func (p *protocol) apiError(parent string, l *messageLine) []agent.Event {
	var text strings.Builder
	for _, b := range l.Message.Content {
		text.WriteString(b.Text)
	}
	evs := p.abandon()
	return append(evs, agent.Item{
		Key: l.UUID, Parent: parent, Kind: vyre.ItemError, Status: vyre.ItemFailed, Title: errorTitle(l.Error), Text: text.String(),
	})
}

// words completes a text or thinking block.
func (p *protocol) words(parent string, l *messageLine, i int, block, text string) []agent.Event {
	kind, _ := textKind(block)
	it := agent.Item{Parent: parent, Kind: kind, Status: vyre.ItemCompleted, Text: text}
	if l.Aborted {
		it.Status = vyre.ItemCanceled
	}
	var b *streamBlock
	if parent == "" && p.msg != nil && p.msg.id == l.Message.ID {
		b = p.msg.settle(block, "")
	}
	switch {
	case b != nil:
		it.Key = b.key
	case text == "":
		return nil
	default: // not streamed: a subagent's, or the agent's own words
		it.Key = l.UUID + "/" + strconv.Itoa(i)
	}
	if text == "" && b.offset == 0 {
		return nil
	}
	return []agent.Event{it}
}

// call announces a tool call, or completes what its streamed beginning said.
func (p *protocol) call(parent string, b block) []agent.Event {
	if b.ID == "" {
		return nil
	}
	if parent == "" && p.msg != nil {
		p.msg.settle("tool_use", b.ID)
	}
	p.tools[b.ID] = struct{}{}
	p.noteStep(b.ID, b.Name, b.Input)
	evs := []agent.Event{toolItem(parent, b.ID, b.Name, b.Input)}
	if b.Name == "TodoWrite" {
		if plan, ok := todos(b.Input); ok {
			evs = append(evs, agent.Item{
				Key: "todos", Parent: parent, Kind: vyre.ItemPlan, Status: vyre.ItemCompleted, Title: "Plan", Body: plan,
			})
		}
	}
	return evs
}

// toolItem is the item of a call that has begun; input is nil until it is whole.
func toolItem(parent, id, name string, input json.RawMessage) agent.Item {
	kind := vyre.ItemTool
	if name == "Agent" || name == "Task" { // the wire says Agent; the tool list says Task
		kind = vyre.ItemSubagent
	}
	title := toolTitle(name, input)
	return agent.Item{
		Key: id, Parent: parent, Kind: kind, Status: vyre.ItemRunning, Title: title,
		Tool: &vyre.ToolBody{Call: id, Tool: name, Title: title, Source: sourceOf(name), Input: input},
	}
}

// todos makes a plan's body of a TodoWrite's input.
func todos(input json.RawMessage) (json.RawMessage, bool) {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(input, &in) != nil {
		return nil, false
	}
	plan := agent.Plan{Entries: []agent.PlanEntry{}}
	for _, t := range in.Todos {
		plan.Entries = append(plan.Entries, agent.PlanEntry{Text: t.Content, Status: t.Status})
	}
	b, err := json.Marshal(plan)
	return b, err == nil
}

// errorTitle words the kind of a failed model request; the vendor's "unknown"
// says nothing.
func errorTitle(kind string) string {
	if kind == "" || kind == "unknown" {
		return "The model request failed"
	}
	return "The model request failed: " + strings.ReplaceAll(kind, "_", " ")
}
