package sqlite

import (
	"context"
	"strings"

	"vyre"
)

// copyThread copies what a thread shows into another. A copied item's id is the
// beginning of the old one and the new thread's: the same for every reader, and
// different in every thread.
func (w *writer) copyThread(ctx context.Context, m *vyre.CopyMark) error {
	if m == nil {
		return nil
	}
	const id = "substr(%, 1, 26) || '-' || ?2"
	item, parent := strings.Replace(id, "%", "i.id", 1), strings.Replace(id, "%", "i.parent", 1)
	// A large output is named in the body by its item; there the copy is meant.
	body := "CASE WHEN EXISTS (SELECT 1 FROM outputs o WHERE o.item = i.id)" +
		" THEN CAST(replace(CAST(i.body AS TEXT), i.id, " + item + ") AS BLOB) ELSE i.body END"
	from := " FROM items i WHERE i.thread = ?1 AND i.turn < ?3 AND i.rewound = 0 AND i.status <> 'running'"
	tail := strings.ReplaceAll(string(m.To), "-", "")
	args := []any{string(m.From), tail[:min(len(tail), 24)], int64(m.Before), string(m.To), w.log.head}
	return inOrder(
		func() error {
			return w.exec(ctx, "INSERT INTO items (id, thread, turn, kind, status, text, body, parent, rev, created, key, rewound)"+
				" SELECT "+item+", ?4, i.turn, i.kind, i.status, i.text, "+body+", CASE i.parent WHEN '' THEN '' ELSE "+parent+" END,"+
				" ?5, i.created, i.key, 0"+from+" ORDER BY i.no", args...)
		},
		func() error {
			return w.exec(ctx, "INSERT INTO outputs (item, bytes, created) SELECT "+item+", o.bytes, o.created"+
				" FROM items i JOIN outputs o ON o.item = i.id WHERE i.thread = ?1 AND i.turn < ?3 AND i.rewound = 0 AND i.status <> 'running'", args[:3]...)
		},
		func() error {
			return w.exec(ctx, "INSERT INTO output_parts (item, n, bytes) SELECT "+item+", p.n, p.bytes"+
				" FROM items i JOIN output_parts p ON p.item = i.id WHERE i.thread = ?1 AND i.turn < ?3 AND i.rewound = 0 AND i.status <> 'running'", args[:3]...)
		},
		func() error {
			return w.exec(ctx, "INSERT INTO messages (thread, id, text, state, turn, via, sent_by, place, created, attachments, hash, tries)"+
				" SELECT ?2, id, text, 'done', turn, via, sent_by, place, created, attachments, hash, tries FROM messages m"+
				" WHERE m.thread = ?1 AND m.turn > 0 AND m.turn < ?3 AND m.state IN ('done', 'taken', 'unknown')"+
				" AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.thread = m.thread AND t.n = m.turn AND t.rewound = 1) ORDER BY m.no",
				string(m.From), string(m.To), int64(m.Before))
		},
	)
}

// CountFrom counts a thread's turns from a number on that are part of the
// conversation, and their items.
func (db *DB) CountFrom(ctx context.Context, thread vyre.ThreadID, turn int) (turns, items int64, err error) {
	count := func(text string) (n int64, err error) {
		n, _, err = one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) }, text, string(thread), int64(turn))
		return n, err
	}
	// Copied turns have items alone.
	if turns, err = count("SELECT count(*) FROM (SELECT n FROM turns WHERE thread = ?1 AND n >= ?2 AND rewound = 0" +
		" UNION SELECT turn FROM items WHERE thread = ?1 AND turn >= ?2 AND rewound = 0)"); err != nil {
		return 0, 0, err
	}
	items, err = count("SELECT count(*) FROM items WHERE thread = ? AND turn >= ? AND rewound = 0")
	return turns, items, err
}

// FirstSaid returns the item of the first message of a turn, if it has one.
func (db *DB) FirstSaid(ctx context.Context, thread vyre.ThreadID, turn vyre.TurnID) (vyre.Item, bool, error) {
	row, ok, err := one(ctx, db, scanItem, "SELECT no, "+items.columns+
		" FROM items WHERE thread = ? AND turn = ? AND kind = 'user' ORDER BY no LIMIT 1", string(thread), int64(turn.N()))
	return row.Item, ok, err
}
