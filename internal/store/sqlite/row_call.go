package sqlite

import (
	"context"

	"vyre"
)

// putCalls notes the calls that begin and forgets those that are over.
func (w *writer) putCalls(ctx context.Context, list []vyre.CallMark) error {
	for _, c := range list {
		text, args := "INSERT INTO calls (thread, request, tool) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			[]any{string(c.Thread), c.Request, c.Tool}
		if c.Done {
			text, args = "DELETE FROM calls WHERE thread = ? AND request = ?", args[:2]
		}
		if err := w.exec(ctx, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// Calls returns the calls of a thread that began and are not over.
func (db *DB) Calls(ctx context.Context, thread vyre.ThreadID) ([]vyre.CallMark, error) {
	return list(ctx, db, func(r scanner) (c vyre.CallMark, err error) {
		return c, r.Scan((*string)(&c.Thread), &c.Request, &c.Tool)
	}, "SELECT thread, request, tool FROM calls WHERE thread = ? ORDER BY request", string(thread))
}
