package sqlite

import (
	"context"

	"vyre"
)

// Commit makes the change atomic and returns when it is as durable as c asks.
// It gives c.Events their Seq and TS in place, and c.Items their Rev; after an
// error they have none. Errors: no_space; conflict when a thread's key is taken;
// not_found for a spool mark of a session that is not there; unavailable when
// the store stops; timeout when ctx ended before the writer had the change;
// internal. The first commit of a call takes the call's audit entry along.
func (db *DB) Commit(ctx context.Context, c *vyre.Commit) error {
	if len(c.Items) > 0 && len(c.Events) == 0 {
		return vyre.Errorf(vyre.CodeInternal, "a change of items without an event that tells of it")
	}
	note := vyre.AuditOf(ctx)
	if note.Take() {
		c.Audit = append(c.Audit, note.Entry)
		if err := db.commit(ctx, c); err != nil {
			note.Leave()
			c.Audit = c.Audit[:len(c.Audit)-1]
			return err
		}
		return nil
	}
	return db.commit(ctx, c)
}

func (db *DB) commit(ctx context.Context, c *vyre.Commit) error {
	db.opt.Clean(c)
	return db.submit(ctx, &job{
		durable: c.Durable,
		events:  len(c.Events),
		apply:   func(ctx context.Context, w *writer) error { return w.commit(ctx, c) },
		undo:    func() { forget(c) },
	})
}

// forget takes back what a change that failed was given.
func forget(c *vyre.Commit) {
	for i := range c.Events {
		c.Events[i].Seq, c.Events[i].TS = 0, 0
	}
	for i := range c.Items {
		c.Items[i].Rev = 0
	}
}

// commit writes parents before children, so that the foreign keys hold at each
// statement, and the events first, as items carry the number of the last one.
func (w *writer) commit(ctx context.Context, c *vyre.Commit) error {
	if err := w.appendEvents(ctx, c.Events); err != nil {
		return err
	}
	for i := range c.Items {
		c.Items[i].Rev = w.log.head
	}
	return inOrder(
		func() error { return put(ctx, w, threads.put, c.Threads, threadArgs) },
		func() error { return put(ctx, w, turns.put, c.Turns, turnArgs) },
		func() error { return put(ctx, w, items.put, c.Items, itemArgs) },
		func() error { return w.putOutputs(ctx, c.Outputs) },
		func() error { return put(ctx, w, sessions.put, c.Sessions, sessionArgs) },
		func() error { return put(ctx, w, asks.put, c.Asks, askArgs) },
		func() error { return put(ctx, w, messages.put, c.Messages, messageArgs) },
		func() error { return put(ctx, w, frames.put, c.Frames, frameArgs) },
		func() error { return put(ctx, w, deleteFrame, c.Acked, frameRefArgs) },
		func() error { return w.forgetSessions(ctx, c.Forget) },
		func() error { return w.moveSpool(ctx, c.Spool) },
		func() error { return w.writeVault(ctx, c.Vault) },
		func() error { return put(ctx, w, vaultGrants.put, c.Holders, vaultGrantArgs) },
		func() error { return put(ctx, w, deleteVaultGrant, c.Unheld, vaultGrantKey) },
		func() error { return put(ctx, w, vaultRequests.put, c.Requests, vaultRequestArgs) },
		func() error { return w.takeItem(ctx, c.Taken) },
		func() error { return w.putTasks(ctx, c.Tasks) },
		func() error { return w.rewind(ctx, c.Rewind) },
		func() error { return w.copyThread(ctx, c.Copy) },
		func() error { return w.putSlots(ctx, c.Slots) },
		func() error { return w.putCalls(ctx, c.Calls) },
		func() error { return put(ctx, w, grants.put, c.Grants, grantArgs) },
		func() error { return w.countGrants(ctx, c.Used) },
		func() error { return put(ctx, w, passkeys.put, c.Passkeys, passkeyArgs) },
		func() error { return put(ctx, w, signIns.put, c.SignIns, signInArgs) },
		func() error {
			return put(ctx, w, "DELETE FROM web_sessions WHERE id = ?", c.SignOuts, func(id *vyre.SignInID) ([]any, error) { return []any{string(*id)}, nil })
		},
		func() error { return w.putTrust(ctx, c.Trust) },
		func() error { return w.putGate(ctx, c.Gate) },
		func() error { return w.setModel(ctx, c.Model) },
		func() error { return w.addPrompt(ctx, c.Prompt) },
		func() error { return w.addAudit(ctx, c.Audit) },
		func() error { return w.deleteThread(ctx, c.Delete) },
	)
}

// inOrder calls until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// put runs one statement for each row.
func put[T any](ctx context.Context, w *writer, text string, rows []T, args func(*T) ([]any, error)) error {
	for i := range rows {
		a, err := args(&rows[i])
		if err != nil {
			return err
		}
		if err := w.exec(ctx, text, a...); err != nil {
			return err
		}
	}
	return nil
}

// forgetSessions removes the rows of sessions that never came to be.
func (w *writer) forgetSessions(ctx context.Context, ids []vyre.SessionID) error {
	for _, id := range ids {
		if err := w.exec(ctx, "DELETE FROM frames WHERE session = ?", string(id)); err != nil {
			return err
		}
		if err := w.exec(ctx, "DELETE FROM sessions WHERE id = ?", string(id)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) moveSpool(ctx context.Context, m *vyre.SpoolMark) error {
	if m == nil {
		return nil
	}
	n, err := w.changed(ctx, "UPDATE sessions SET committed = ?, checkpoint = ? WHERE id = ?",
		m.Committed, m.Checkpoint, string(m.Session))
	if err == nil && n == 0 {
		err = vyre.NotFound("session", string(m.Session))
	}
	return err
}
