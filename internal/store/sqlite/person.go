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

// PutWebSession keeps the hashes of the two secrets of a page's session: its
// cookie's and its proof's. name says what the page runs on, for the person.
// Sessions that were made at or before old are over and go in passing.
func (db *DB) PutWebSession(ctx context.Context, hash, proof []byte, person, name string, created, old vyre.Time) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		if err := w.exec(ctx, "DELETE FROM web_sessions WHERE created <= ?", int64(old)); err != nil {
			return err
		}
		return w.exec(ctx, "INSERT INTO web_sessions (hash, proof, person, name, created) VALUES (?, ?, ?, ?, ?)",
			hash, proof, person, name, int64(created))
	}})
}

// WebSession returns whose session a cookie's hash is, if it is one's that was
// made after old, and the hash of the proof that must come with the cookie.
func (db *DB) WebSession(ctx context.Context, hash []byte, old vyre.Time) (person string, proof []byte, ok bool, err error) {
	type row struct {
		person string
		proof  []byte
	}
	got, ok, err := one(ctx, db, func(r scanner) (v row, err error) { return v, r.Scan(&v.person, &v.proof) },
		"SELECT person, proof FROM web_sessions WHERE hash = ? AND created > ?", hash, int64(old))
	return got.person, got.proof, ok, err
}

// DeleteWebSession ends the session of a cookie's hash. One that is not there is
// no error.
func (db *DB) DeleteWebSession(ctx context.Context, hash []byte) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM web_sessions WHERE hash = ?", hash)
	}})
}
