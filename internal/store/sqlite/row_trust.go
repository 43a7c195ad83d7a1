package sqlite

import (
	"context"

	"vyre"
)

// putTrust keeps decisions on folders; one without a decision takes what there is away.
func (w *writer) putTrust(ctx context.Context, list []vyre.TrustDecision) error {
	for _, d := range list {
		if d.Decision == "" {
			if err := w.exec(ctx, "DELETE FROM trust WHERE path = ? AND provider = ? AND digest = ?", d.Path, d.Provider, d.Digest); err != nil {
				return err
			}
			continue
		}
		if err := w.exec(ctx, "INSERT INTO trust (path, provider, digest, decision, decided_by, level, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?)"+
			" ON CONFLICT (path, provider, digest) DO UPDATE SET decision = excluded.decision, decided_by = excluded.decided_by,"+
			" level = excluded.level, decided_at = excluded.decided_at",
			d.Path, d.Provider, d.Digest, string(d.Decision), d.By, d.Level, int64(d.At)); err != nil {
			return err
		}
	}
	return nil
}

const trustColumns = "path, provider, digest, decision, decided_by, level, decided_at"

func scanTrust(r scanner) (d vyre.TrustDecision, err error) {
	return d, r.Scan(&d.Path, &d.Provider, &d.Digest, (*string)(&d.Decision), &d.By, &d.Level, (*int64)(&d.At))
}

// Trust returns what was decided on just these files of a folder, or false.
func (db *DB) Trust(ctx context.Context, path, provider, digest string) (vyre.TrustDecision, bool, error) {
	return one(ctx, db, scanTrust, "SELECT "+trustColumns+" FROM trust WHERE path = ? AND provider = ? AND digest = ?", path, provider, digest)
}

// Trusts returns the decisions on a folder, or on all of them for "", by path and then
// the newest first.
func (db *DB) Trusts(ctx context.Context, path string) ([]vyre.TrustDecision, error) {
	var f filter
	f.addText("path", path)
	return list(ctx, db, scanTrust, "SELECT "+trustColumns+" FROM trust"+f.String()+" ORDER BY path, decided_at DESC, digest", f.args...)
}

// OpenTrustAsks returns the asks on folders that nobody has answered, of all threads.
func (db *DB) OpenTrustAsks(ctx context.Context) ([]vyre.Ask, error) {
	rows, err := list(ctx, db, scanAsk, "SELECT no, "+asks.columns+" FROM asks WHERE state IN ('open', 'answering') AND kind = 'trust' ORDER BY no")
	return plainAsks(rows), err
}
