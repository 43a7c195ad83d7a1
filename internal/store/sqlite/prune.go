package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"vyre"
)

// pruneAtOnce is how many events go in one transaction, so that nobody waits long.
const pruneAtOnce = 500

// pruneWords drops the words of items that are whole, said before a moment.
func (db *DB) pruneWords(ctx context.Context, before vyre.Time) (int, error) {
	seqs, err := db.prunable(ctx, before)
	if err != nil {
		return 0, err
	}
	slices.Sort(seqs) // neighbours meet in one transaction and leave one record
	return len(seqs), db.dropAll(ctx, seqs)
}

// dropAll drops events, sorted by number, in transactions of bounded size.
func (db *DB) dropAll(ctx context.Context, seqs []vyre.Seq) error {
	for chunk := range slices.Chunk(seqs, pruneAtOnce) {
		err := db.submit(ctx, &job{
			apply: func(ctx context.Context, w *writer) error { return w.drop(ctx, chunk) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prunable finds words. An item that still runs keeps all its words, and so does
// one whose text never came whole: nothing else has it.
func (db *DB) prunable(ctx context.Context, before vyre.Time) ([]vyre.Seq, error) {
	return list(ctx, db, func(r scanner) (s vyre.Seq, err error) { return s, r.Scan((*int64)(&s)) },
		`SELECT e.seq FROM events e
		WHERE e.item IS NOT NULL AND e.ts < ?
		AND NOT EXISTS (SELECT 1 FROM items i WHERE i.id = e.item AND (i.status = 'running' OR i.text = ''))
		AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.thread = e.thread AND t.n = e.turn AND t.status = 'started')`,
		int64(before))
}

// prunedRun is a row of the table pruned: neighbouring events that are gone.
type prunedRun struct {
	first, last   vyre.Seq
	before, after []byte
}

// drop deletes events and leaves, for each run of them, what the chain needs. The
// floor rises before the commit: a reader that finds them gone sees a floor that
// says so. If the commit fails it may be too high until the next start, and then
// a reader is sent to the present state that could have been served.
func (w *writer) drop(ctx context.Context, seqs []vyre.Seq) error {
	for len(seqs) > 0 {
		n := 1
		for n < len(seqs) && seqs[n] == seqs[n-1]+1 {
			n++
		}
		if err := w.dropRun(ctx, seqs[0], seqs[n-1]); err != nil {
			return err
		}
		w.db.raiseFloor(seqs[n-1])
		seqs = seqs[n:]
	}
	return nil
}

func (db *DB) raiseFloor(to vyre.Seq) {
	if int64(to) > db.floor.Load() { // only the writer sets it
		db.floor.Store(int64(to))
	}
}

func (w *writer) dropRun(ctx context.Context, first, last vyre.Seq) error {
	before, err := w.linkBefore(ctx, first)
	if err != nil {
		return err
	}
	run := prunedRun{first: first, last: last, before: before}
	err = w.conn.QueryRowContext(ctx, "SELECT chain FROM events WHERE seq = ?", int64(last)).Scan(&run.after)
	if err != nil {
		return err
	}
	if err := w.exec(ctx, "DELETE FROM events WHERE seq BETWEEN ? AND ?", int64(first), int64(last)); err != nil {
		return err
	}
	return w.putRun(ctx, run)
}

// linkBefore returns the link that the run starting at first goes on from.
func (w *writer) linkBefore(ctx context.Context, first vyre.Seq) ([]byte, error) {
	var seq, gone int64
	zero := hash{}
	chain, after := zero[:], []byte(nil)
	err := w.conn.QueryRowContext(ctx, "SELECT seq, chain FROM events WHERE seq < ? ORDER BY seq DESC LIMIT 1", int64(first)).Scan(&seq, &chain)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	err = w.conn.QueryRowContext(ctx, "SELECT last, hash_after FROM pruned WHERE first < ? ORDER BY first DESC LIMIT 1", int64(first)).Scan(&gone, &after)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if gone > seq {
		return after, nil
	}
	return chain, nil
}

// putRun writes the record, as one with the records that it touches.
func (w *writer) putRun(ctx context.Context, run prunedRun) error {
	var left, right prunedRun
	err := w.conn.QueryRowContext(ctx, "SELECT first, hash_before FROM pruned WHERE last = ? AND first < ?", int64(run.first-1), int64(run.first)).
		Scan((*int64)(&left.first), &left.before)
	switch {
	case err == nil:
		run.first, run.before = left.first, left.before
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	err = w.conn.QueryRowContext(ctx, "SELECT last, hash_after FROM pruned WHERE first = ?", int64(run.last+1)).
		Scan((*int64)(&right.last), &right.after)
	switch {
	case err == nil:
		run.last, run.after = right.last, right.after
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if err := w.exec(ctx, "DELETE FROM pruned WHERE first BETWEEN ? AND ?", int64(run.first), int64(run.last)); err != nil {
		return err
	}
	return w.exec(ctx, "INSERT INTO pruned (first, last, hash_before, hash_after) VALUES (?, ?, ?, ?)",
		int64(run.first), int64(run.last), run.before, run.after)
}
