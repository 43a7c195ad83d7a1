package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"strconv"

	"vyre"
)

const auditColumns = "n, at, tool, effect, caller, proof, level, thread, about, result, count"

func scanAudit(r scanner) (vyre.AuditEntry, error) {
	var e vyre.AuditEntry
	err := r.Scan(auditFields(&e)...)
	return e, err
}

func auditFields(e *vyre.AuditEntry) []any {
	return []any{
		&e.N, (*int64)(&e.At), &e.Tool, (*string)(&e.Effect), &e.Caller, &e.Proof, &e.Level,
		(*string)(&e.Thread), &e.About, &e.Result, &e.Count,
	}
}

// auditLink makes the chain's next link. Every text has its length before it.
func auditLink(before []byte, e *vyre.AuditEntry) hash {
	b := append([]byte("vyre-audit-1\x00"), before...)
	for _, n := range [...]int64{e.N, int64(e.At), e.Count} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	for _, s := range [...]string{e.Tool, string(e.Effect), e.Caller, e.Proof, e.Level, string(e.Thread), e.About, e.Result} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return sha256.Sum256(b)
}

// addAudit gives the entries their numbers, their time and their links.
func (w *writer) addAudit(ctx context.Context, list []vyre.AuditEntry) error {
	if len(list) == 0 {
		return nil
	}
	var last int64
	before := make([]byte, sha256.Size)
	err := w.conn.QueryRowContext(ctx, "SELECT n, chain FROM audit ORDER BY n DESC LIMIT 1").Scan(&last, &before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	now := vyre.At(w.db.opt.Now())
	for i := range list {
		e := list[i]
		last++
		e.N, e.At, e.Count = last, now, max(e.Count, 1)
		link := auditLink(before, &e)
		err := w.exec(ctx, "INSERT INTO audit ("+auditColumns+", chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			e.N, int64(e.At), e.Tool, string(e.Effect), e.Caller, e.Proof, e.Level, string(e.Thread), e.About, e.Result, e.Count, link[:])
		if err != nil {
			return err
		}
		before = link[:]
	}
	return nil
}

// AuditQuery says which entries. Empty fields do not narrow.
type AuditQuery struct {
	Tool, Caller, Result string
	Thread               vyre.ThreadID
	After, Before        vyre.Time // after (or at) the one, before the other; 0 is no bound
	Limit                int       // 0: 100; at most 1000
	Next                 string
}

// Audit returns entries, the newest first, and where the next page begins. Errors:
// invalid for a cursor that no list gave.
func (db *DB) Audit(ctx context.Context, q AuditQuery) ([]vyre.AuditEntry, string, error) {
	var f filter
	f.addText("tool", q.Tool)
	f.addText("result", q.Result)
	f.addText("thread", string(q.Thread))
	if q.Caller != "" { // person:owner is also person:owner:cli
		f.add("(caller = ? OR (caller >= ? AND caller < ?))", q.Caller, q.Caller+":", q.Caller+";")
	}
	if q.After != 0 {
		f.add("at >= ?", int64(q.After))
	}
	if q.Before != 0 {
		f.add("at < ?", int64(q.Before))
	}
	if q.Next != "" {
		parts, err := readCursor("next", q.Next, 1)
		if err != nil {
			return nil, "", err
		}
		n, err := cursorNumber("next", parts[0])
		if err != nil {
			return nil, "", err
		}
		f.add("n < ?", n)
	}
	limit := pageLimit(q.Limit)
	rows, err := list(ctx, db, scanAudit, "SELECT "+auditColumns+" FROM audit"+f.String()+" ORDER BY n DESC LIMIT ?", append(f.args, limit+1)...)
	if err != nil || len(rows) <= limit {
		return rows, "", err
	}
	rows = rows[:limit]
	return rows, makeCursor(strconv.FormatInt(rows[limit-1].N, 10)), nil
}

// verifyAudit walks the chain of the audit.
func verifyAudit(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "SELECT "+auditColumns+", chain FROM audit ORDER BY n")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	before := make([]byte, sha256.Size)
	for want := int64(1); rows.Next(); want++ {
		var e vyre.AuditEntry
		var chain []byte
		if err := rows.Scan(append(auditFields(&e), &chain)...); err != nil {
			return err
		}
		link := auditLink(before, &e)
		if e.N != want || !bytes.Equal(link[:], chain) {
			return damaged("entry %d of the audit does not follow from the one before it", e.N)
		}
		before = chain
	}
	return rows.Err()
}
