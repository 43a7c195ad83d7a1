package sqlite

import (
	"context"

	"vyre"
)

var passkeys = newTable("passkeys", "id", "id", "person", "name", "site", "handle", "credential", "record",
	"created", "used", "revoked", "revoked_by")

func passkeyArgs(p *vyre.Passkey) ([]any, error) {
	return []any{
		string(p.ID), p.Person, p.Name, p.Site, p.Handle, p.Credential, p.Record,
		int64(p.Created), int64(p.Used), int64(p.Revoked), p.RevokedBy,
	}, nil
}

func scanPasskey(r scanner) (p vyre.Passkey, err error) {
	return p, r.Scan((*string)(&p.ID), &p.Person, &p.Name, &p.Site, &p.Handle, &p.Credential, &p.Record,
		(*int64)(&p.Created), (*int64)(&p.Used), (*int64)(&p.Revoked), &p.RevokedBy)
}

// Passkeys returns every passkey that was enrolled, revoked ones too, the oldest
// first.
func (db *DB) Passkeys(ctx context.Context) ([]vyre.Passkey, error) {
	return list(ctx, db, scanPasskey, "SELECT "+passkeys.columns+" FROM passkeys ORDER BY created, id")
}

var signIns = newTable("web_sessions", "hash", "id", "hash", "proof", "person", "name", "site", "how", "passkey", "created", "seen")

func signInArgs(s *vyre.SignIn) ([]any, error) {
	return []any{
		string(s.ID), s.Hash, s.Proof, s.Person, s.Name, s.Site, s.By, string(s.Passkey), int64(s.Created), int64(s.Seen),
	}, nil
}

func scanSignIn(r scanner) (s vyre.SignIn, err error) {
	return s, r.Scan((*string)(&s.ID), &s.Hash, &s.Proof, &s.Person, &s.Name, &s.Site, &s.By, (*string)(&s.Passkey),
		(*int64)(&s.Created), (*int64)(&s.Seen))
}

// stands holds for a session that rests on no passkey, or on one that was not revoked: who
// signs in while a passkey is revoked, or dies between that and the end of its sessions,
// leaves none that is good.
const stands = " AND (passkey = '' OR passkey IN (SELECT id FROM passkeys WHERE revoked = 0))"

// SignIns returns the persons' sessions on the page that were made after old, the
// newest first.
func (db *DB) SignIns(ctx context.Context, old vyre.Time) ([]vyre.SignIn, error) {
	return list(ctx, db, scanSignIn, "SELECT "+signIns.columns+" FROM web_sessions WHERE created > ? ORDER BY created DESC, id", int64(old))
}

// SignIn returns the session of a cookie's hash, if it was made after old and the passkey
// that it rests on holds.
func (db *DB) SignIn(ctx context.Context, hash []byte, old vyre.Time) (vyre.SignIn, bool, error) {
	return one(ctx, db, scanSignIn, "SELECT "+signIns.columns+" FROM web_sessions WHERE hash = ? AND created > ?"+stands, hash, int64(old))
}

// SeeSignIn notes when a session last called. It rides along: what a power cut
// takes of it nobody misses.
func (db *DB) SeeSignIn(ctx context.Context, id vyre.SignInID, at vyre.Time) error {
	return db.submit(ctx, &job{apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE web_sessions SET seen = ? WHERE id = ?", int64(at), string(id))
	}})
}

// DropSignIns removes the sessions that were made at or before old: they are over.
func (db *DB) DropSignIns(ctx context.Context, old vyre.Time) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "DELETE FROM web_sessions WHERE created <= ?", int64(old))
	}})
}

// UsePasskey notes a touch of a passkey, with its record as it is now. Errors:
// not_found when it holds no more.
func (db *DB) UsePasskey(ctx context.Context, id vyre.PasskeyID, record []byte, at vyre.Time) error {
	return db.changePasskey(ctx, id, nil, "UPDATE passkeys SET record = ?, used = ? WHERE id = ? AND revoked = 0", record, int64(at), string(id))
}

// RenamePasskey gives a passkey that holds another name. Errors: not_found.
func (db *DB) RenamePasskey(ctx context.Context, id vyre.PasskeyID, name string, ev vyre.Event) error {
	return db.changePasskey(ctx, id, []vyre.Event{ev}, "UPDATE passkeys SET name = ? WHERE id = ? AND revoked = 0", name, string(id))
}

// RevokePasskey ends a passkey. Errors: not_found, also for one that was revoked.
func (db *DB) RevokePasskey(ctx context.Context, id vyre.PasskeyID, at vyre.Time, by string, ev vyre.Event) error {
	return db.changePasskey(ctx, id, []vyre.Event{ev}, "UPDATE passkeys SET revoked = ?, revoked_by = ? WHERE id = ? AND revoked = 0",
		int64(at), by, string(id))
}

// changePasskey changes one passkey that holds, so that no change undoes another:
// whoever touches one while it is revoked must not bring it back.
func (db *DB) changePasskey(ctx context.Context, id vyre.PasskeyID, evs []vyre.Event, text string, args ...any) error {
	return db.submit(ctx, &job{durable: true, events: len(evs), apply: func(ctx context.Context, w *writer) error {
		if err := w.appendEvents(ctx, evs); err != nil {
			return err
		}
		n, err := w.changed(ctx, text, args...)
		if err == nil && n == 0 {
			err = vyre.NotFound("passkey", string(id))
		}
		return err
	}})
}

// RestSignIn notes the passkey that a session rests on. One that is over stays so.
func (db *DB) RestSignIn(ctx context.Context, id vyre.SignInID, key vyre.PasskeyID) error {
	return db.submit(ctx, &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.exec(ctx, "UPDATE web_sessions SET passkey = ? WHERE id = ?", string(key), string(id))
	}})
}
