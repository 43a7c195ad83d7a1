package sqlite

import (
	"context"
	"strings"

	"vyre"
)

var tasks = newTable("tasks", "thread, id", "thread", "id", "title", "state", "item", "key", "started")

// putTask leaves a task the moment of its beginning.
var putTask = strings.Replace(tasks.put, ", started = excluded.started", "", 1)

func taskArgs(t *vyre.Task) ([]any, error) {
	return []any{string(t.Thread), t.ID, t.Title, t.State, string(t.Item), t.Key, int64(t.Started)}, nil
}

func scanTask(r scanner) (vyre.Task, error) {
	var t vyre.Task
	err := r.Scan((*string)(&t.Thread), &t.ID, &t.Title, &t.State, (*string)(&t.Item), &t.Key, (*int64)(&t.Started))
	return t, err
}

// putTasks keeps the work that goes on and forgets what is done.
func (w *writer) putTasks(ctx context.Context, list []vyre.Task) error {
	for i := range list {
		if list[i].Done {
			if err := w.exec(ctx, "DELETE FROM tasks WHERE thread = ? AND id = ?", string(list[i].Thread), list[i].ID); err != nil {
				return err
			}
			continue
		}
		if err := put(ctx, w, putTask, list[i:i+1], taskArgs); err != nil {
			return err
		}
	}
	return nil
}

// Tasks returns the thread's work in the background, in order of its beginning.
func (db *DB) Tasks(ctx context.Context, thread vyre.ThreadID) ([]vyre.Task, error) {
	return list(ctx, db, scanTask, "SELECT "+tasks.columns+" FROM tasks WHERE thread = ? ORDER BY started, id", string(thread))
}
