package engine

import (
	"encoding/json"
	"slices"

	"vyre"
	"vyre/agent"
)

// planKey is the driver key of the plan that is kept a step at a time: one item a
// turn, which begins with what the thread's newest plan has.
const planKey = "plan"

// planStep applies one step to the thread's plan.
func (o *owner) planStep(t *tx, ev agent.PlanStep) {
	it, fresh := o.entry(planKey, "", vyre.ItemPlan)
	var p agent.Plan
	body := it.Body
	if fresh {
		old, ok, err := o.e.cfg.Store.NewestItem(o.e.ctx, o.id, vyre.ItemPlan)
		if err != nil {
			o.log.Warn("the thread's plan can't be read", "error", err)
		}
		if ok {
			body = old.Body
		}
	}
	if len(body) > 0 && json.Unmarshal(body, &p) != nil {
		p = agent.Plan{} // a driver's own form
	}
	p.Entries = withStep(p.Entries, ev)
	b, err := json.Marshal(p)
	if err != nil {
		panic("engine: a plan is plain data: " + err.Error())
	}
	it.Body, it.Status = b, vyre.ItemCompleted
	t.putItem(it)
	t.event(planEvent(it))
}

func withStep(list []agent.PlanEntry, ev agent.PlanStep) []agent.PlanEntry {
	list = slices.Clone(list)
	i := slices.IndexFunc(list, func(e agent.PlanEntry) bool { return e.ID == ev.ID })
	switch {
	case ev.Removed && i >= 0:
		return slices.Delete(list, i, i+1)
	case ev.Removed:
		return orNone(list)
	case i < 0:
		return append(list, agent.PlanEntry{ID: ev.ID, Text: ev.Text, Status: or(ev.Status, "pending")})
	}
	list[i].Text, list[i].Status = or(ev.Text, list[i].Text), or(ev.Status, list[i].Status)
	return list
}

func orNone(list []agent.PlanEntry) []agent.PlanEntry {
	if list == nil {
		return []agent.PlanEntry{}
	}
	return list
}
