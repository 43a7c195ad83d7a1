package engine

import (
	"maps"
	"slices"

	"vyre/agent"
)

// tasksNow takes the agent's whole list of background work under one state. What
// is known of a task already stays: a list does not name its call.
func (o *owner) tasksNow(t *tx, ev agent.Tasks) {
	for _, id := range slices.Sorted(maps.Keys(o.book.tasks)) {
		known := o.book.tasks[id]
		gone := !slices.ContainsFunc(ev.List, func(x agent.Task) bool { return x.ID == id })
		if known.State == ev.State && gone {
			known.Done, known.State = true, "completed"
			o.task(t, known)
		}
	}
	for _, x := range ev.List {
		if _, ok := o.book.tasks[x.ID]; !ok {
			o.task(t, x)
		}
	}
}
