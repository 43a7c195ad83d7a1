package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"

	"vyre"
)

// deleteThread removes a thread's rows, children before parents, and the data of
// its events that came before this commit: the chain goes over the data's hash alone,
// so it still verifies. The event that tells of the deletion keeps its own.
func (w *writer) deleteThread(ctx context.Context, id vyre.ThreadID) error {
	if id == "" {
		return nil
	}
	if err := w.spendKey(ctx, id); err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM frames WHERE session IN (SELECT id FROM sessions WHERE thread = ?)",
		"DELETE FROM sessions WHERE thread = ?",
		"DELETE FROM tasks WHERE thread = ?",
		"DELETE FROM slots WHERE thread = ?",
		"DELETE FROM calls WHERE thread = ?",
		"DELETE FROM vault_requests WHERE thread = ?",
		"DELETE FROM vault_grants WHERE kind = 'thread' AND holder = ?",
		"DELETE FROM messages WHERE thread = ?",
		"DELETE FROM asks WHERE thread = ?",
		"DELETE FROM items WHERE thread = ?",
		"DELETE FROM gate WHERE thread = ?",
		"DELETE FROM turns WHERE thread = ?",
		"DELETE FROM threads WHERE id = ?",
		"UPDATE events SET data = NULL, item = NULL WHERE thread = ? AND kind <> '" + string(vyre.EvThreadDeleted) + "'",
	} {
		if err := w.exec(ctx, text, string(id)); err != nil {
			return err
		}
	}
	return nil
}

// spendKey keeps the hash of the key that a thread was started with, and nothing else
// of it, so that a retry which comes after its deletion begins no second thread.
func (w *writer) spendKey(ctx context.Context, id vyre.ThreadID) error {
	var key string
	err := w.conn.QueryRowContext(ctx, "SELECT key FROM threads WHERE id = ?", string(id)).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) || err == nil && key == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return w.exec(ctx, "INSERT INTO spent_keys (hash) VALUES (?) ON CONFLICT DO NOTHING", keyHash(key))
}

func keyHash(key string) []byte {
	h := sha256.Sum256([]byte(key))
	return h[:]
}

// KeySpent reports whether a key began a thread that was deleted.
func (db *DB) KeySpent(ctx context.Context, key string) (bool, error) {
	_, spent, err := one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) },
		"SELECT 1 FROM spent_keys WHERE hash = ?", keyHash(key))
	return spent, err
}

// Holdings is what a thread has in the store.
type Holdings struct {
	Items, Turns, Asks, Messages, Events int64
	Attachments                          []string // ids that no other thread's messages name
}

// Holdings counts what would go with a thread. Errors: not_found.
func (db *DB) Holdings(ctx context.Context, id vyre.ThreadID) (h Holdings, err error) {
	if _, err := db.Thread(ctx, id); err != nil {
		return h, err
	}
	for _, c := range []struct {
		n    *int64
		text string
	}{
		{&h.Items, "SELECT count(*) FROM items WHERE thread = ?"},
		{&h.Turns, "SELECT count(*) FROM turns WHERE thread = ?"},
		{&h.Asks, "SELECT count(*) FROM asks WHERE thread = ?"},
		{&h.Messages, "SELECT count(*) FROM messages WHERE thread = ?"},
		{&h.Events, "SELECT count(*) FROM events WHERE thread = ? AND data IS NOT NULL"},
	} {
		n, _, err := one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) }, c.text, string(id))
		if err != nil {
			return h, err
		}
		*c.n = n
	}
	h.Attachments, err = list(ctx, db, scanWord, attachedIDs+" WHERE m.attachments IS NOT NULL AND m.thread = ?1 EXCEPT "+
		attachedIDs+" WHERE m.attachments IS NOT NULL AND m.thread <> ?1", string(id))
	return h, err
}

const attachedIDs = "SELECT json_extract(j.value, '$.attachment') FROM messages m, json_each(CAST(m.attachments AS TEXT)) j"

func scanWord(r scanner) (s string, err error) { return s, r.Scan(&s) }

// LaunchedWith returns the threads whose launch options name a word, which is what
// tells copies of a conversation. It walks the threads.
func (db *DB) LaunchedWith(ctx context.Context, word string) ([]vyre.Thread, error) {
	return list(ctx, db, scanThread, "SELECT "+threads.columns+" FROM threads WHERE instr(CAST(launch AS TEXT), ?) > 0 ORDER BY id", word)
}

// AttachmentsInUse returns the ids of the attachments that a message names.
func (db *DB) AttachmentsInUse(ctx context.Context) (map[string]bool, error) {
	ids, err := list(ctx, db, scanWord, attachedIDs+" WHERE m.attachments IS NOT NULL")
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}

// Worktrees returns the work trees that threads have, with the thread that has each.
func (db *DB) Worktrees(ctx context.Context) (map[string]vyre.ThreadID, error) {
	rows, err := list(ctx, db, func(r scanner) (x [2]string, err error) { return x, r.Scan(&x[0], &x[1]) },
		"SELECT worktree, id FROM threads WHERE worktree <> '' ORDER BY created DESC")
	out := make(map[string]vyre.ThreadID, len(rows))
	for _, x := range rows {
		out[x[0]] = vyre.ThreadID(x[1])
	}
	return out, err
}
