package claude

import (
	"strconv"

	"vyre"
	"vyre/agent"
)

// modelMessage is the message that the model is streaming.
type modelMessage struct {
	id     string
	blocks []streamBlock
}

type streamBlock struct {
	index  int
	kind   string // text, thinking, tool_use, …
	key    string
	offset int  // bytes of UTF-8 told so far
	whole  bool // its assistant line has come
	closed bool // its stream has ended
}

func (m *modelMessage) block(index int) *streamBlock {
	for i := range m.blocks {
		if m.blocks[i].index == index {
			return &m.blocks[i]
		}
	}
	return nil
}

// settle finds the block that an assistant line completes: the line comes just
// before the block's end and does not say its index.
func (m *modelMessage) settle(kind, toolID string) *streamBlock {
	for _, closed := range []bool{false, true} {
		for i := range m.blocks {
			b := &m.blocks[i]
			if !b.whole && b.closed == closed && b.kind == kind && (kind != "tool_use" || b.key == toolID) {
				b.whole = true
				return b
			}
		}
	}
	return nil
}

// stream handles one event of the model's stream. Only the main agent's come.
func (p *protocol) stream(l *streamLine) []agent.Event {
	e := &l.Event
	switch e.Type {
	case "content_block_delta":
		return p.delta(e.Index, e.Delta.Text+e.Delta.Thinking)
	case "message_start":
		evs := p.work(nil)
		evs = append(evs, p.abandon()...)
		p.msg = &modelMessage{id: e.Message.ID}
		p.filled(e.Message.Usage)
		return evs
	case "content_block_start":
		return p.begin(e.Index, e.Block.Type, e.Block.ID, e.Block.Name)
	case "content_block_stop":
		p.finish(e.Index)
	case "message_stop": // also of a message that was cut off: its blocks end without an assistant line
		return p.abandon()
	}
	return nil
}

func (p *protocol) delta(index int, text string) []agent.Event {
	if p.msg == nil || text == "" {
		return nil
	}
	b := p.msg.block(index)
	if b == nil || b.whole {
		return nil
	}
	kind, ok := textKind(b.kind)
	if !ok {
		return nil
	}
	ev := agent.Text{Key: b.key, Kind: kind, Offset: b.offset, Text: text}
	b.offset += len(text)
	return []agent.Event{ev}
}

func textKind(block string) (vyre.ItemKind, bool) {
	switch block {
	case "text":
		return vyre.ItemText, true
	case "thinking":
		return vyre.ItemReasoning, true
	}
	return "", false
}

func (p *protocol) begin(index int, kind, id, name string) []agent.Event {
	if p.msg == nil || p.msg.block(index) != nil {
		return nil
	}
	b := streamBlock{index: index, kind: kind, key: p.msg.id + "/" + strconv.Itoa(index)}
	var evs []agent.Event
	if kind == "tool_use" && id != "" {
		b.key = id
		p.tools[id] = struct{}{}
		evs = []agent.Event{toolItem("", id, name, nil)}
	}
	p.msg.blocks = append(p.msg.blocks, b)
	return evs
}

func (p *protocol) finish(index int) {
	if p.msg == nil {
		return
	}
	if b := p.msg.block(index); b != nil {
		b.closed = true
	}
}

// abandon ends the message and closes what it left half: the model will begin
// again with a new one.
func (p *protocol) abandon() []agent.Event {
	if p.msg == nil {
		return nil
	}
	var evs []agent.Event
	for _, b := range p.msg.blocks {
		kind, isText := textKind(b.kind)
		switch {
		case b.whole:
		case isText && b.offset > 0:
			evs = append(evs, agent.Item{Key: b.key, Kind: kind, Status: vyre.ItemCanceled})
		case b.kind == "tool_use":
			delete(p.tools, b.key)
			evs = append(evs, agent.ToolUpdate{Key: b.key, Status: vyre.ItemCanceled})
		}
	}
	p.msg = nil
	return evs
}
