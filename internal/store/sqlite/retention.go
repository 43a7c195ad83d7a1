package sqlite

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"vyre"
)

// Retention says for each class of what may go how long it is kept. Zero keeps
// it for ever, except Words: zero is a day. What a person made is in no class:
// threads, messages, items' words, asks and answers stay until they are deleted.
type Retention struct {
	Words   time.Duration // words of ended turns as events; the items hold the text
	Events  time.Duration // every other event
	Raw     time.Duration // bodies of messages that nobody here knows; their names stay
	Outputs time.Duration // large outputs of tools; their beginnings stay in the items
}

const (
	pruneEvery = time.Hour      // the first time one interval after the start: a start has better things to do
	keepWords  = 24 * time.Hour // unless Retention says otherwise
	rawAtOnce  = 200            // bodies in one transaction
	partsOnce  = 32             // parts of an output in one transaction, 8 MB
)

// Pruned counts what went.
type Pruned struct {
	Words, Events, Raw, Outputs int
}

// Any reports whether anything went.
func (p Pruned) Any() bool { return p != Pruned{} }

// prune drops what is not needed any more, each time the timer says so.
func (db *DB) prune(ctx context.Context) {
	for {
		tick, release := db.opt.Timer(pruneEvery)
		select {
		case <-ctx.Done():
			release()
			return
		case <-tick:
		}
		r := db.opt.Retention
		if r.Words == 0 {
			r.Words = keepWords
		}
		if _, err := db.Prune(ctx, r); err != nil && ctx.Err() == nil {
			db.opt.Log.Warn("pruning failed", slog.String("error", err.Error()))
		}
	}
}

// Prune drops what is older than keep says, by the settled clock; zero drops
// nothing of a class. It works in small transactions, so that a commit never
// waits long for it. What it had dropped before an error is counted.
func (db *DB) Prune(ctx context.Context, keep Retention) (done Pruned, err error) {
	now := db.settled.now()
	for _, class := range []struct {
		keep time.Duration
		n    *int
		drop func(context.Context, vyre.Time) (int, error)
	}{
		{keep.Words, &done.Words, db.pruneWords},
		{keep.Outputs, &done.Outputs, db.pruneOutputs},
		{keep.Raw, &done.Raw, db.pruneRaw},
		{keep.Events, &done.Events, db.pruneEvents},
	} {
		if class.keep <= 0 {
			continue
		}
		if *class.n, err = class.drop(ctx, vyre.At(now.Add(-class.keep))); err != nil {
			return done, err
		}
	}
	return done, nil
}

// pruneEvents drops the oldest events up to the first that is young enough: the
// log is in order of its numbers, whatever its clock said. One from the future was
// written while the clock was wrong: it stays, and does not keep what comes after.
// Words that nothing else has stay.
func (db *DB) pruneEvents(ctx context.Context, before vyre.Time) (n int, err error) {
	type row struct {
		seq   vyre.Seq
		ts    vyre.Time
		words bool
	}
	future := vyre.At(db.settled.now().Add(believed))
	for after := vyre.Seq(0); ; {
		rows, err := list(ctx, db, func(r scanner) (x row, err error) { return x, r.Scan((*int64)(&x.seq), (*int64)(&x.ts), &x.words) },
			"SELECT seq, ts, item IS NOT NULL FROM events WHERE seq > ? ORDER BY seq LIMIT ?", int64(after), pruneAtOnce)
		if err != nil {
			return n, err
		}
		var seqs []vyre.Seq
		last := len(rows) < pruneAtOnce
		for _, x := range rows {
			if x.ts >= before && x.ts <= future {
				last = true
				break
			}
			if after = x.seq; !x.words && x.ts < before { // words have a rule of their own
				seqs = append(seqs, x.seq)
			}
		}
		if err := db.dropAll(ctx, seqs); err != nil {
			return n, err
		}
		if n += len(seqs); last {
			return n, nil
		}
	}
}

// pruneRaw takes the bodies off old messages that nobody here knows.
func (db *DB) pruneRaw(ctx context.Context, before vyre.Time) (n int, err error) {
	nos, err := list(ctx, db, func(r scanner) (no int64, err error) { return no, r.Scan(&no) },
		"SELECT no FROM items WHERE kind = 'raw' AND body IS NOT NULL AND created < ?", int64(before))
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(nos, rawAtOnce) {
		err := db.submit(ctx, &job{apply: func(ctx context.Context, w *writer) error {
			for _, no := range chunk {
				if err := w.exec(ctx, "UPDATE items SET body = NULL WHERE no = ?", no); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			return n, err
		}
		n += len(chunk)
	}
	return n, nil
}

// pruneOutputs removes old large outputs, each from its end: one that is half
// gone still reads from its beginning.
func (db *DB) pruneOutputs(ctx context.Context, before vyre.Time) (n int, err error) {
	ids, err := list(ctx, db, func(r scanner) (id string, err error) { return id, r.Scan(&id) },
		"SELECT item FROM outputs WHERE created < ? ORDER BY created", int64(before))
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		for left := true; left; {
			err := db.submit(ctx, &job{apply: func(ctx context.Context, w *writer) error {
				gone, err := w.changed(ctx, `DELETE FROM output_parts WHERE item = ?1 AND n IN
					(SELECT n FROM output_parts WHERE item = ?1 ORDER BY n DESC LIMIT ?2)`, id, partsOnce)
				if left = gone == partsOnce; err != nil || left {
					return err
				}
				return w.exec(ctx, "DELETE FROM outputs WHERE item = ?", id)
			}})
			if err != nil {
				return n, err
			}
		}
		n++
	}
	return n, nil
}
