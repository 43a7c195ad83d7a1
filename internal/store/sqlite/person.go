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

// TakeCode uses a code up and reports whether it was good at now. Of any number
// of callers at once, one gets true.
func (db *DB) TakeCode(ctx context.Context, hash []byte, now vyre.Time) (bool, error) {
	var n int64
	err := db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) (err error) {
		// Expired ones go in passing; then the code itself is there only if it is good.
		if err := w.exec(ctx, "DELETE FROM codes WHERE expires <= ?", int64(now)); err != nil {
			return err
		}
		n, err = w.changed(ctx, "DELETE FROM codes WHERE hash = ?", hash)
		return err
	}})
	return err == nil && n == 1, err
}

// PutWebSession keeps the hash of a page's session secret. name says what the
// page runs on, for the person.
func (db *DB) PutWebSession(ctx context.Context, hash []byte, person, name string, created vyre.Time) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "INSERT INTO web_sessions (hash, person, name, created) VALUES (?, ?, ?, ?)",
			hash, person, name, int64(created))
	}})
}

// WebSession returns whose session a secret's hash is, if it is one's.
func (db *DB) WebSession(ctx context.Context, hash []byte) (person string, ok bool, err error) {
	return one(ctx, db, func(r scanner) (p string, err error) { return p, r.Scan(&p) },
		"SELECT person FROM web_sessions WHERE hash = ?", hash)
}

// DeleteWebSession ends a page's session. One that is not there is no error.
func (db *DB) DeleteWebSession(ctx context.Context, hash []byte) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM web_sessions WHERE hash = ?", hash)
	}})
}
