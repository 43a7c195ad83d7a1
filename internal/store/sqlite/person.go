package sqlite

import (
	"context"

	"vyre"
)

// PutCode keeps the hash of a one-time sign-in code until it is taken or has
// expired. Durable when it returns, as all of a person's sign-in is.
func (db *DB) PutCode(ctx context.Context, hash []byte, expires vyre.Time) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "INSERT INTO codes (hash, expires) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET expires = excluded.expires",
			hash, int64(expires))
	}})
}

// TakeCode uses a code up and reports whether it was there, to expire after now and
// no later than latest. Of any number
// of callers at once, one gets true. A wrong code costs a read and no write:
// anyone may try one.
func (db *DB) TakeCode(ctx context.Context, hash []byte, now, latest vyre.Time) (bool, error) {
	_, there, err := one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) },
		"SELECT expires FROM codes WHERE hash = ? AND expires > ? AND expires <= ?", hash, int64(now), int64(latest))
	if err != nil || !there {
		return false, err
	}
	var n int64
	err = db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) (err error) {
		// Expired ones go in passing; then the code itself is there only if it is good.
		if err := w.exec(ctx, "DELETE FROM codes WHERE expires <= ? OR expires > ?", int64(now), int64(latest)); err != nil {
			return err
		}
		n, err = w.changed(ctx, "DELETE FROM codes WHERE hash = ?", hash)
		return err
	}})
	return err == nil && n == 1, err
}
