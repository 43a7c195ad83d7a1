package engine

import (
	"slices"

	"vyre/agent"
)

// tasksNow takes the agent's whole list of background work under one state. What
// is known of a task already stays: a list does not name its call.
func (o *owner) tasksNow(ev agent.Tasks) {
	for id, known := range o.book.tasks {
		gone := !slices.ContainsFunc(ev.List, func(t agent.Task) bool { return t.ID == id })
		if known.State == ev.State && gone {
			delete(o.book.tasks, id)
		}
	}
	for _, t := range ev.List {
		if _, ok := o.book.tasks[t.ID]; !ok {
			o.book.tasks[t.ID] = t
		}
	}
}
