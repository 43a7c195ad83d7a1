package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"vyre"
	"vyre/agent"
)

// absorb takes what the agent said: decodes it, applies it to the book, and
// commits it together with the offset up to which it was read.
func (o *owner) absorb(ctx context.Context, b batch) {
	o.run.readAll = b.eof || b.err != nil
	if len(b.lines) > 0 {
		o.absorbLines(ctx, b.lines)
	}
	if o.run != nil && (b.eof || b.err != nil) {
		if b.err != nil && ctx.Err() == nil {
			o.log.Error("the agent's output could not be read", "error", b.err)
		}
		if ctx.Err() == nil {
			o.gone(ctx)
		}
	}
}

func (o *owner) absorbLines(ctx context.Context, lines []Line) {
	r := o.run
	t := o.record()
	before := o.book.mark
	var ready *agent.Ready
	for _, l := range lines {
		evs := o.decode(r, l)
		if l.End <= o.book.mark.Committed {
			o.listen(evs)
			continue // an earlier daemon committed it; only the protocol had to see it again
		}
		for _, ev := range evs {
			rd, isReady := ev.(agent.Ready)
			_, owed := ev.(agent.Reply)
			switch {
			case r.ready, owed:
				o.apply(t, ev)
			case isReady:
				ready = &rd
			default: // before its handshake an agent has nothing to say to a thread
				o.log.Debug("the agent spoke before its handshake")
			}
		}
		o.book.mark.Committed = l.End
		if r.proto.Clean() && o.book.turn == nil {
			o.book.mark.Checkpoint = l.End
		}
	}
	o.freeSlots(t)
	if o.book.mark != before {
		mark := o.book.mark
		t.c.Spool = &mark
	}
	if len(t.c.Items) > 0 && len(t.c.Events) == 0 {
		o.log.Error("items changed without an event")
	}
	o.insist(ctx, t)
	if ctx.Err() != nil {
		return
	}
	r.proc.Committed(o.book.mark.Committed)
	if o.book.mark.Checkpoint != before.Checkpoint {
		r.proc.Release(o.book.mark.Checkpoint)
	}
	if ready != nil {
		o.started(ctx, *ready)
	}
	if r.breach != "" {
		o.log.Error("a breach; the session is stopped", "what", r.breach)
		_ = o.halt(ctx, vyre.StopBreach, r.breach, "") // tried again by itself
		return
	}
	o.strike(ctx)
	o.turnOver(ctx)
}

func (o *owner) decode(r *run, l Line) []agent.Event {
	if l.Cut > 0 {
		b, err := json.Marshal(string(l.Bytes))
		if err != nil {
			b = []byte("null")
		}
		return []agent.Event{agent.Raw{Name: fmt.Sprintf("a line of %d bytes, cut", l.Cut), JSON: b}}
	}
	return r.proto.Decode(l.Bytes)
}

// apply makes one event of the agent's part of the change.
func (o *owner) apply(t *tx, ev agent.Event) {
	switch ev := ev.(type) {
	case agent.TurnStarted:
		if len(ev.Messages) == 0 && (o.book.turn == nil || o.book.taken) {
			o.agentTurn(t)
		}
		o.took(t, ev.Messages)
	case agent.MessageTaken:
		o.took(t, []vyre.MessageID{ev.Message})
	case agent.MessageDropped:
		o.dropped(t, ev.Message)
	case agent.Text:
		o.text(t, ev)
	case agent.Item:
		o.item(t, ev)
	case agent.PlanStep:
		o.planStep(t, ev)
	case agent.ToolUpdate:
		o.toolUpdate(t, ev)
	case agent.Ask:
		o.asked(t, ev)
	case agent.AskWithdrawn:
		o.withdraw(t, ev)
	case agent.TurnEnded:
		o.turnEnded(t, ev)
	case agent.Raw:
		o.item(t, agent.Item{
			Key: fmt.Sprintf("raw:%d:%d", o.book.mark.Committed, len(t.c.Items)), Kind: vyre.ItemRaw,
			Status: vyre.ItemCompleted, Title: ev.Name, Text: ev.Name, Body: ev.JSON,
		})
	default:
		o.applySession(t, ev)
	}
}

// applySession takes what is about the session rather than the turn.
func (o *owner) applySession(t *tx, ev agent.Event) {
	th := &o.book.thread
	switch ev := ev.(type) {
	case agent.Ready:
		o.heard(ev)
		if ev.Attached {
			o.run.unsure = false
			o.reconcile(t, ev)
			if ev.Mode != "" {
				o.modeChanged(t, agent.ModeChanged{Mode: ev.Mode})
			}
		}
	case agent.ModeChanged:
		o.modeChanged(t, ev)
	case agent.ModelChanged:
		if ev.Model != "" && ev.Model != th.Model {
			th.Model, t.thread = ev.Model, true
			t.event(vyre.ThreadModel{Model: ev.Model, By: "agent"})
		}
	case agent.Limit:
		t.event(vyre.ThreadLimit{Status: ev.Status, Window: ev.Window, ResetsAt: ev.ResetsAt})
		o.noteLimit(t, ev)
	case agent.Task:
		o.task(t, ev)
	case agent.Tasks:
		o.tasksNow(t, ev)
	case agent.Hook:
		o.hook(t, ev)
	case agent.HookWithdrawn:
		o.hookWithdrawn(t, ev.Request)
	case agent.ToolCall:
		o.toolCall(t, ev)
	case agent.ToolWithdrawn:
		o.toolWithdrawn(ev.Request)
	case agent.Reply:
		if err := t.say(ev.Say, "", ""); err != nil {
			o.log.Warn("the agent could not be answered", "error", err)
		}
	case agent.Replied:
		o.replied(ev)
		o.taskReplied(ev)
		o.recalled(ev)
	case agent.Request:
		if err := t.say(agent.Refuse{Request: ev.Request, Why: "Vyre does not offer " + ev.Name}, "", ""); err != nil {
			o.log.Warn("a request of the agent could not be refused", "name", ev.Name, "error", err)
		}
	case agent.NativeID:
		if ev.ID != "" && ev.ID != th.NativeID {
			th.NativeID, t.thread = ev.ID, true
		}
	}
}
