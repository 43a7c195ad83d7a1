package engine

import (
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
)

// entry returns the item of a key, making it if this is its first appearance.
func (o *owner) entry(key, parent string, kind vyre.ItemKind) (it vyre.Item, fresh bool) {
	if it, ok := o.book.items[key]; ok {
		return it, false
	}
	turn := o.turnID()
	it = vyre.Item{
		ID: vyre.ItemIDFor(o.id, turn, key), Thread: o.id, Turn: turn, Kind: kind,
		Status: vyre.ItemRunning, Key: key, Created: o.e.now(),
	}
	if parent != "" {
		p, ok := o.book.items[parent]
		if ok {
			it.Parent = p.ID
		}
	}
	return it, true
}

// text appends words. The row is written once at the start and once at the end;
// in between the words live in the log.
func (o *owner) text(t *tx, ev agent.Text) {
	it, fresh := o.entry(ev.Key, ev.Parent, ev.Kind)
	if fresh {
		t.putItem(it)
	}
	text, offset := o.hear(ev)
	t.words(it, text, offset)
}

// words puts the words of an item together from what is in the log and what this
// change adds: an agent that was cut off never told them whole.
func (o *owner) words(t *tx, it vyre.Item) string {
	said, err := o.e.cfg.Store.ItemText(o.e.ctx, it.ID)
	if err != nil {
		o.log.Error("the words of an item can't be read", "item", string(it.ID), "error", err)
	}
	var b strings.Builder
	b.WriteString(said)
	for _, e := range t.c.Events {
		var d vyre.ThreadText
		if e.Kind == vyre.EvThreadText && json.Unmarshal(e.Data, &d) == nil && d.Item == it.ID {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// closed ends an item. One of words that the agent never told whole gets those it
// streamed.
func (o *owner) closed(t *tx, it vyre.Item, as vyre.ItemStatus) vyre.Item {
	it.Status = as
	o.said(t, it)
	if it.Text == "" && (it.Kind == vyre.ItemText || it.Kind == vyre.ItemReasoning) {
		it.Text = o.words(t, it)
	}
	return it
}

func (o *owner) item(t *tx, ev agent.Item) {
	it, fresh := o.entry(ev.Key, ev.Parent, ev.Kind)
	if ev.Text != "" {
		it.Text = ev.Text
	}
	if it.Status = ev.Status; it.Status != vyre.ItemRunning {
		it = o.closed(t, it, ev.Status)
	}
	title := ev.Title
	switch {
	case ev.Tool != nil:
		it.Body = mergeTool(it.Body, t.byReference(it.ID, *ev.Tool))
		o.announced(&it, fresh)
	case ev.Body != nil:
		it.Body = ev.Body
	}
	t.putItem(it)
	if ev.Tool != nil {
		o.toolEvent(t, it)
		return
	}
	if it.Kind == vyre.ItemPlan {
		t.event(planEvent(it))
		return
	}
	t.event(vyre.ThreadItem{Item: it.ID, Kind: it.Kind, Status: it.Status, Title: title, Parent: it.Parent})
}

func planEvent(it vyre.Item) vyre.ThreadPlan {
	ev := vyre.ThreadPlan{Item: it.ID}
	var p agent.Plan
	if json.Unmarshal(it.Body, &p) != nil {
		return ev // a driver's own form: the item still holds it
	}
	ev.Total = len(p.Entries)
	for _, e := range p.Entries {
		if e.Status == "completed" {
			ev.Done++
		}
	}
	return ev
}

func (o *owner) toolEvent(t *tx, it vyre.Item) {
	b := toolBody(it)
	t.event(vyre.ThreadTool{
		Item: it.ID, Call: b.Call, Tool: b.Tool, Title: b.Title, Status: it.Status, Parent: it.Parent, By: b.By,
		Decision: b.Decision, Grant: b.Grant,
	})
}

func (o *owner) toolUpdate(t *tx, ev agent.ToolUpdate) {
	it, ok := o.book.items[ev.Key]
	if !ok {
		return // a result for a call that was never announced has nothing to show
	}
	if ev.Status != "" {
		it.Status = ev.Status
	}
	o.ran(t, it, ev)
	it.Body = mergeTool(it.Body, t.byReference(it.ID, vyre.ToolBody{Output: ev.Output, By: o.wentBy(it, ev)}))
	t.putItem(it)
	if it.Kind == vyre.ItemTool || it.Kind == vyre.ItemSubagent {
		o.toolEvent(t, it)
		return
	}
	t.event(vyre.ThreadItem{Item: it.ID, Kind: it.Kind, Status: it.Status, Parent: it.Parent})
}

// closeItems closes what the agent left open in a turn. What runs in the
// background outlives its turn.
func (o *owner) closeItems(t *tx, turn vyre.TurnID, as vyre.ItemStatus) {
	for key, it := range o.book.items {
		if it.Turn != turn {
			continue
		}
		if it.Status == vyre.ItemRunning && !o.background(key) {
			it = o.closed(t, it, as)
			t.putItem(it)
			if it.Kind == vyre.ItemTool || it.Kind == vyre.ItemSubagent {
				o.toolEvent(t, it)
			} else {
				t.event(vyre.ThreadItem{Item: it.ID, Kind: it.Kind, Status: it.Status, Parent: it.Parent})
			}
		}
		if it.Status != vyre.ItemRunning {
			delete(o.book.items, key)
		}
	}
}

// background reports whether a call runs on after its turn.
func (o *owner) background(key string) bool {
	for _, t := range o.book.tasks {
		if t.Key == key {
			return true
		}
	}
	return false
}

func toolBody(it vyre.Item) vyre.ToolBody {
	var b vyre.ToolBody
	if len(it.Body) > 0 {
		// Bodies of tool items are written by mergeTool alone.
		_ = json.Unmarshal(it.Body, &b)
	}
	return b
}

// mergeTool lays the filled fields of b over what is there.
func mergeTool(old json.RawMessage, b vyre.ToolBody) json.RawMessage {
	m := toolBody(vyre.Item{Body: old})
	m.Call = or(b.Call, m.Call)
	m.Tool = or(b.Tool, m.Tool)
	m.Title = or(b.Title, m.Title)
	m.Source = or(b.Source, m.Source)
	m.By = vyre.By(or(string(b.By), string(m.By)))
	if len(b.Input) > 0 {
		m.Input = b.Input
	}
	if len(b.Output) > 0 {
		m.Output, m.OutputRef = b.Output, b.OutputRef
	}
	return bodyOf(m)
}

func bodyOf(m vyre.ToolBody) json.RawMessage {
	out, err := json.Marshal(m)
	if err != nil { // a driver handed on JSON that is none
		m.Input, m.Output, m.OutputRef = nil, nil, nil
		out, _ = json.Marshal(m)
	}
	return out
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
