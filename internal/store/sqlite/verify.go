package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"vyre"
)

// Verify checks the file (SQLite's quick_check), that the chain goes through every
// event and every pruned run from the first to the newest, and that of the audit
// through every entry. It reads all of both, of one moment, and holds nobody up.
// Errors: internal, saying which event or entry is the first that does not fit.
func (db *DB) Verify(ctx context.Context) error { return db.fault(verify(ctx, db.reading)) }

func verify(ctx context.Context, from *sql.DB) error {
	tx, err := from.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only read
	if err := quickCheck(ctx, tx); err != nil {
		return err
	}
	runs, err := prunedRuns(ctx, tx)
	if err != nil {
		return err
	}
	if err := verifyChain(ctx, tx, runs); err != nil {
		return err
	}
	return verifyAudit(ctx, tx)
}

func damaged(format string, args ...any) *vyre.Error {
	return vyre.Errorf(vyre.CodeInternal, format, args...).
		WithHint("Restore the database from a backup; keep this one to find out what changed it.")
}

func quickCheck(ctx context.Context, tx *sql.Tx) error {
	var said string
	if err := tx.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return damaged("the database is damaged").Because(err)
	}
	if said != "ok" {
		return damaged("the database is damaged").Because(fmt.Errorf("quick_check: %s", said))
	}
	return nil
}

func prunedRuns(ctx context.Context, tx *sql.Tx) ([]prunedRun, error) {
	rows, err := tx.QueryContext(ctx, "SELECT first, last, hash_before, hash_after FROM pruned ORDER BY first")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	var out []prunedRun
	for rows.Next() {
		var r prunedRun
		if err := rows.Scan((*int64)(&r.first), (*int64)(&r.last), &r.before, &r.after); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// walk is how far a check of the chain has come.
type walk struct {
	link hash
	last vyre.Seq
	runs []prunedRun // still ahead
}

// skip goes over the pruned runs that end before seq.
func (k *walk) skip(seq vyre.Seq) error {
	for len(k.runs) > 0 && k.runs[0].first < seq {
		r := k.runs[0]
		if !bytes.Equal(r.before, k.link[:]) || r.first <= k.last || r.last >= seq {
			return damaged("the log does not fit what was pruned at event %d", r.first)
		}
		copy(k.link[:], r.after)
		k.last, k.runs = r.last, k.runs[1:]
	}
	return nil
}

func verifyChain(ctx context.Context, tx *sql.Tx, runs []prunedRun) error {
	rows, err := tx.QueryContext(ctx, "SELECT seq, ts, kind, thread, turn, data, data_hash, chain FROM events ORDER BY seq")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	k := walk{runs: runs}
	for rows.Next() {
		if err := k.step(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var reserved vyre.Seq
	if err := tx.QueryRowContext(ctx, "SELECT reserved FROM log_mark").Scan((*int64)(&reserved)); err != nil {
		return err
	}
	if err := k.skip(reserved + 1); err != nil {
		return err
	}
	if len(k.runs) > 0 || k.last > reserved {
		return damaged("the log goes on beyond its mark, %d", reserved)
	}
	return nil
}

func (k *walk) step(r scanner) error {
	var e vyre.Event
	var turn int64
	var data, chain []byte
	err := r.Scan((*int64)(&e.Seq), (*int64)(&e.TS), (*string)(&e.Kind), (*string)(&e.Thread), &turn, (*[]byte)(&e.Data), &data, &chain)
	if err != nil {
		return err
	}
	e.Turn = turnID(e.Thread, turn)
	if err := k.skip(e.Seq); err != nil {
		return err
	}
	var kept hash
	copy(kept[:], data)
	if e.Data != nil && sha256.Sum256(e.Data) != kept {
		return damaged("the data of event %d was changed", e.Seq)
	}
	k.link, k.last = link(k.link, &e, kept), e.Seq
	if !bytes.Equal(k.link[:], chain) {
		return damaged("event %d does not follow from the one before it", e.Seq)
	}
	return nil
}
