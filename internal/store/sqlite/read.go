package sqlite

import (
	"context"

	"vyre"
)

// Thread returns one thread. Errors: not_found.
func (db *DB) Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error) {
	t, ok, err := one(ctx, db, scanThread, "SELECT "+threads.columns+" FROM threads WHERE id = ?", string(id))
	if err == nil && !ok {
		err = vyre.NotFound("thread", string(id))
	}
	return t, err
}

// ThreadByKey returns the thread that was started with a key, if there is one.
// No thread has the empty key.
func (db *DB) ThreadByKey(ctx context.Context, key string) (vyre.Thread, bool, error) {
	return one(ctx, db, scanThread, "SELECT "+threads.columns+" FROM threads WHERE key = ? AND key <> ''", key)
}

// Turn returns one turn, if it is there.
func (db *DB) Turn(ctx context.Context, id vyre.TurnID) (vyre.Turn, bool, error) {
	thread, n := splitTurn(id)
	return one(ctx, db, scanTurn, "SELECT "+turns.columns+" FROM turns WHERE thread = ? AND n = ?", thread, n)
}

// Item returns one item of a thread. Text of one that still streams is left out.
// Errors: not_found.
func (db *DB) Item(ctx context.Context, thread vyre.ThreadID, id vyre.ItemID) (vyre.Item, error) {
	r, ok, err := one(ctx, db, scanItem, "SELECT no, "+items.columns+" FROM items WHERE id = ? AND thread = ?", string(id), string(thread))
	if err == nil && !ok {
		err = vyre.NotFound("item", string(id))
	}
	return r.Item, err
}

// splitTurn gives a turn's key. A malformed id gives one that no row has.
func splitTurn(id vyre.TurnID) (thread string, n int64) {
	n = int64(id.N())
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == ':' {
			return string(id[:i]), n
		}
	}
	return "", 0
}

// Message returns one message of a thread, if it is there.
func (db *DB) Message(ctx context.Context, thread vyre.ThreadID, id vyre.MessageID) (vyre.Message, bool, error) {
	return one(ctx, db, scanMessage, "SELECT "+messages.columns+" FROM messages WHERE thread = ? AND id = ?", string(thread), string(id))
}

// The partial index on open messages is used where its own condition is spelled
// out beside the narrower one.
const openMessages = " FROM messages WHERE state IN ('queued', 'sent', 'taken') AND thread = ?"

// Queue returns the thread's messages in state queued, in order: by Order, then
// as they came.
func (db *DB) Queue(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error) {
	return list(ctx, db, scanMessage,
		"SELECT "+messages.columns+openMessages+" AND state = 'queued' ORDER BY place, no", string(thread))
}

// Unfinished returns the thread's messages in state sent or taken, as they came.
func (db *DB) Unfinished(ctx context.Context, thread vyre.ThreadID) ([]vyre.Message, error) {
	return list(ctx, db, scanMessage,
		"SELECT "+messages.columns+openMessages+" AND state IN ('sent', 'taken') ORDER BY no", string(thread))
}

// WorkingItems returns the items of a turn, and those of the thread that are
// still running, in order of first appearance, as they are stored: the words of
// a text item that still streams are in ItemText.
func (db *DB) WorkingItems(ctx context.Context, thread vyre.ThreadID, turn vyre.TurnID) ([]vyre.Item, error) {
	of, n := splitTurn(turn)
	if of != string(thread) {
		n = -1 // no turn of this thread: the running ones alone
	}
	rows, err := list(ctx, db, scanItem,
		"SELECT no, "+items.columns+" FROM items WHERE no IN (SELECT no FROM items WHERE thread = ?1 AND turn = ?2"+
			" UNION SELECT no FROM items WHERE thread = ?1 AND status = 'running') ORDER BY no", string(thread), n)
	return plainItems(rows), err
}

// NewestItem returns the thread's newest item of a kind that the conversation did not
// go back before, if there is one.
func (db *DB) NewestItem(ctx context.Context, thread vyre.ThreadID, kind vyre.ItemKind) (vyre.Item, bool, error) {
	r, ok, err := one(ctx, db, scanItem, "SELECT no, "+items.columns+
		" FROM items WHERE thread = ? AND kind = ? AND rewound = 0 ORDER BY no DESC LIMIT 1", string(thread), string(kind))
	return r.Item, ok, err
}

func plainItems(rows []itemRow) []vyre.Item {
	out := make([]vyre.Item, len(rows))
	for i := range rows {
		out[i] = rows[i].Item
	}
	return out
}

// UnsettledAsks returns the thread's asks in state open or answering, as they
// were raised.
func (db *DB) UnsettledAsks(ctx context.Context, thread vyre.ThreadID) ([]vyre.Ask, error) {
	rows, err := list(ctx, db, scanAsk,
		"SELECT no, "+asks.columns+" FROM asks WHERE state IN ('open', 'answering') AND thread = ? ORDER BY no", string(thread))
	return plainAsks(rows), err
}

func plainAsks(rows []askRow) []vyre.Ask {
	out := make([]vyre.Ask, len(rows))
	for i := range rows {
		out[i] = rows[i].Ask
	}
	return out
}

// Ask returns one ask. Errors: not_found.
func (db *DB) Ask(ctx context.Context, id vyre.AskID) (vyre.Ask, error) {
	a, ok, err := one(ctx, db, scanAsk, "SELECT no, "+asks.columns+" FROM asks WHERE id = ?", string(id))
	if err == nil && !ok {
		err = vyre.NotFound("ask", string(id))
	}
	return a.Ask, err
}

// OpenSessions returns every session that is not ended, oldest first.
func (db *DB) OpenSessions(ctx context.Context) ([]vyre.Session, error) {
	return list(ctx, db, scanSession, "SELECT "+sessions.columns+" FROM sessions WHERE state <> 'ended' ORDER BY started, id")
}

// Unsettled returns the threads without an open session that need an owner at a
// start: starting, running and waiting ones, those that wait for a limit to end,
// and those with a message queued or sent. An idle thread with nothing to send needs none.
func (db *DB) Unsettled(ctx context.Context) ([]vyre.ThreadID, error) {
	return list(ctx, db, func(r scanner) (id vyre.ThreadID, err error) { return id, r.Scan((*string)(&id)) },
		`SELECT id FROM threads WHERE state IN ('starting', 'running', 'waiting')
			AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.thread = threads.id AND s.state <> 'ended')
		UNION
		SELECT thread FROM messages m WHERE m.state IN ('queued', 'sent', 'taken') AND m.state IN ('queued', 'sent')
			AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.thread = m.thread AND s.state <> 'ended')
		UNION
		SELECT id FROM threads WHERE parked <> '' AND parked = 'limit'
			AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.thread = threads.id AND s.state <> 'ended')
		ORDER BY 1`)
}

// Frames returns a session's unacknowledged frames by number.
func (db *DB) Frames(ctx context.Context, s vyre.SessionID) ([]vyre.Frame, error) {
	return list(ctx, db, scanFrame, "SELECT "+frames.columns+" FROM frames WHERE session = ? ORDER BY n", string(s))
}

// Counts returns how many threads there are, and the size of the database in
// bytes, its write-ahead log included. How far the log reaches is Bounds: events
// are not counted, as that would walk them all.
func (db *DB) Counts(ctx context.Context) (threads, size int64, err error) {
	threads, _, err = one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) }, "SELECT count(*) FROM threads")
	return threads, db.Size(), err
}
