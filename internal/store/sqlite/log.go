package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"vyre"
)

// reserveAhead is how many numbers a mark reserves: each mark costs one fsync,
// and a crash skips at most this many numbers.
const reserveAhead = 10_000

// logState is where the log stands. The writer keeps it and puts an older copy
// back when a change is undone.
type logState struct {
	head     vyre.Seq // the last number given
	chain    hash     // the link of the newest event
	reserved vyre.Seq // numbers up to here may be in use after a power cut
}

// load reads where the log stands: the mark, and the newest link, which is that
// of the newest event or, if later ones were pruned, of the newest pruned run.
func (l *logState) load(ctx context.Context, c *sql.Conn) (floor vyre.Seq, err error) {
	if err := c.QueryRowContext(ctx, "SELECT reserved FROM log_mark").Scan((*int64)(&l.reserved)); err != nil {
		return 0, err
	}
	l.head = l.reserved
	var last int64
	var link []byte
	err = c.QueryRowContext(ctx, "SELECT seq, chain FROM events ORDER BY seq DESC LIMIT 1").Scan(&last, &link)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	copy(l.chain[:], link)
	var after []byte
	err = c.QueryRowContext(ctx, "SELECT last, hash_after FROM pruned ORDER BY first DESC LIMIT 1").Scan((*int64)(&floor), &after)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if int64(floor) > last {
		last = int64(floor)
		copy(l.chain[:], after)
	}
	if vyre.Seq(last) > l.reserved {
		return 0, vyre.Errorf(vyre.CodeInternal, "the log has events beyond its mark").
			WithHint("Restore the database from a backup: this one was changed by something else than vyre.")
	}
	return floor, nil
}

// reserve moves the mark so that at least n more numbers can be given. It runs
// in the transaction that needs them, which is then a durable one: the mark is
// on disk no later than anybody sees a number below it.
func (l *logState) reserve(ctx context.Context, w *writer, n int) error {
	return l.setMark(ctx, w, l.head+vyre.Seq(max(n, reserveAhead)))
}

func (l *logState) setMark(ctx context.Context, w *writer, to vyre.Seq) error {
	if err := w.exec(ctx, "UPDATE log_mark SET reserved = ?", int64(to)); err != nil {
		return err
	}
	l.reserved = to
	return nil
}

const insertEvent = `INSERT INTO events (seq, ts, kind, thread, turn, item, data, data_hash, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// appendEvents gives the events their numbers, their time and their links.
func (w *writer) appendEvents(ctx context.Context, evs []vyre.Event) error {
	if len(evs) == 0 {
		return nil
	}
	now := vyre.At(w.db.opt.Now())
	for i := range evs {
		e := &evs[i]
		if e.Data == nil {
			e.Data = json.RawMessage("null")
		}
		turn, err := turnNumber(e.Thread, e.Turn)
		if err != nil {
			return err
		}
		item, err := itemOf(e)
		if err != nil {
			return err
		}
		e.Seq, e.TS = w.log.head+1, now
		data := sha256.Sum256(e.Data)
		chain := link(w.log.chain, e, data)
		err = w.exec(ctx, insertEvent, int64(e.Seq), int64(e.TS), string(e.Kind), string(e.Thread), turn, item,
			[]byte(e.Data), data[:], chain[:])
		if err != nil {
			return err
		}
		w.log.head, w.log.chain = e.Seq, chain
	}
	w.fresh = append(w.fresh, evs...)
	return nil
}

// itemOf returns the item whose words the event holds, or nil.
func itemOf(e *vyre.Event) (any, error) {
	if e.Kind != vyre.EvThreadText {
		return nil, nil
	}
	var d struct {
		Item string `json:"item"`
	}
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "a %s event without readable data", e.Kind).Because(err)
	}
	if d.Item == "" {
		return nil, nil
	}
	return d.Item, nil
}

// turnNumber is how a turn is kept: its number within the thread, 0 for none.
func turnNumber(thread vyre.ThreadID, turn vyre.TurnID) (int64, error) {
	if turn == "" {
		return 0, nil
	}
	if n := turn.N(); n > 0 && turn == vyre.MakeTurnID(thread, n) {
		return int64(n), nil
	}
	return 0, vyre.Errorf(vyre.CodeInternal, "turn %q is not one of thread %q", turn, thread)
}

func turnID(thread vyre.ThreadID, n int64) vyre.TurnID {
	if n == 0 {
		return ""
	}
	return vyre.MakeTurnID(thread, int(n))
}

// Since returns up to limit events after a number, in order. It does not judge
// the number: the feed does. The data of a redacted event is null.
func (db *DB) Since(ctx context.Context, after vyre.Seq, limit int) ([]vyre.Event, error) {
	return list(ctx, db, scanEvent,
		"SELECT seq, ts, kind, thread, turn, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?", int64(after), limit)
}

// Holds reports whether n or n+1 is the number of an event: see feed.Log.
func (db *DB) Holds(ctx context.Context, n vyre.Seq) (bool, error) {
	found, _, err := one(ctx, db, func(r scanner) (ok bool, err error) { return ok, r.Scan(&ok) },
		"SELECT EXISTS (SELECT 1 FROM events WHERE seq IN (?, ?))", int64(n), int64(n)+1)
	return found, err
}

func scanEvent(r scanner) (vyre.Event, error) {
	var e vyre.Event
	var turn int64
	err := r.Scan((*int64)(&e.Seq), (*int64)(&e.TS), (*string)(&e.Kind), (*string)(&e.Thread), &turn, (*[]byte)(&e.Data))
	if err != nil {
		return e, fmt.Errorf("event: %w", err)
	}
	e.Turn = turnID(e.Thread, turn)
	if e.Data == nil {
		e.Data = json.RawMessage("null")
	}
	return e, nil
}
