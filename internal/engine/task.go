package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// task notes that work in the background began, went on or ended. It is kept with
// the thread, so that a later daemon doesn't take a session at work for one at rest.
func (o *owner) task(t *tx, ev agent.Task) {
	old, known := o.book.tasks[ev.ID]
	ev.Key, ev.Title = or(ev.Key, old.Key), or(old.Title, ev.Title)
	ev.State = or(ev.State, old.State)
	if known && !ev.Done && ev == old {
		return
	}
	item := vyre.ItemID("")
	if it, ok := o.book.items[ev.Key]; ok {
		item = it.ID
	}
	row := vyre.Task{ID: ev.ID, Thread: o.id, Title: ev.Title, State: ev.State, Key: ev.Key, Item: item, Started: o.e.now(), Done: ev.Done}
	if ev.Done {
		delete(o.book.tasks, ev.ID)
	} else {
		o.book.tasks[ev.ID] = ev
	}
	t.c.Tasks = put(t.c.Tasks, row, func(x vyre.Task) string { return x.ID })
	t.event(vyre.ThreadTask{Task: ev.ID, Title: ev.Title, State: ev.State, Done: ev.Done, Item: item})
	if ev.Done {
		t.after = append(t.after, func() { o.settleTask(ev.ID, nil) })
	}
}

// endTasks notes that the process is gone, and its work in the background with it.
func (o *owner) endTasks(t *tx) {
	for _, ev := range o.book.tasks {
		ev.Done, ev.State = true, "stopped"
		o.task(t, ev)
	}
	o.book.tasks = map[string]agent.Task{}
	gone := vyre.Errorf(vyre.CodeConflict, "the session ended, and its work in the background with it")
	for id := range o.tasking {
		t.after = append(t.after, func() { o.settleTask(id, gone) })
	}
}

func (o *owner) loadTasks(ctx context.Context) error {
	list, err := o.e.cfg.Store.Tasks(ctx, o.id)
	for _, x := range list {
		o.book.tasks[x.ID] = agent.Task{ID: x.ID, Key: x.Key, Title: x.Title, State: x.State}
	}
	return err
}

// taskWait is a caller that waits for the end of work in the background.
type taskWait struct {
	frame uint64
	req   *request
}

// StopTask ends work in the background and returns when the agent told its end.
// Errors: not_found for work that does not run; unavailable without a process;
// invalid where the agent can't do it; conflict when it refused.
func (e *Engine) StopTask(ctx context.Context, thread vyre.ThreadID, task string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if _, ok := o.book.tasks[task]; !ok {
			return false, vyre.NotFound("task", task).WithHint("threads.tasks lists what runs.")
		}
		if o.run == nil || !o.run.ready || o.run.stopping != "" {
			return false, vyre.Errorf(vyre.CodeUnavailable, "the thread has no process")
		}
		t := o.begin()
		t.durable()
		frame := o.book.next
		if err := t.say(agent.StopTask{Task: task}, "", ""); err != nil {
			t.rollback()
			return false, err
		}
		if err := t.commit(r.ctx); err != nil {
			return false, err
		}
		if o.tasking == nil {
			o.tasking = map[string][]taskWait{}
		}
		o.tasking[task] = append(o.tasking[task], taskWait{frame, r})
		return false, nil
	})
}

// settleTask tells everybody who waits for the end of a task.
func (o *owner) settleTask(id string, err error) {
	for _, w := range o.tasking[id] {
		w.req.done <- err
	}
	delete(o.tasking, id)
}

// taskReplied takes the agent's refusal to end a task.
func (o *owner) taskReplied(ev agent.Replied) {
	if ev.Err == "" {
		return // its end is told by itself
	}
	for id, list := range o.tasking {
		for _, w := range list {
			if w.frame == ev.ID {
				o.settleTask(id, vyre.Errorf(vyre.CodeConflict, "the agent did not end the task: %s", ev.Err))
				break
			}
		}
	}
}
