package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"vyre"
)

// seenEvery is how exactly it is known when a session last called.
const seenEvery = time.Minute

// Secrets are the two halves of a session, 32 random bytes each. A browser sends
// a cookie to every port of its host, so any server on this machine may get to
// see it; the proof is kept by the page, for its own origin alone. Neither is
// worth anything without the other.
type Secrets struct {
	Cookie string
	Proof  string
}

// Place is where a session is made.
type Place struct {
	Name string // what the browser calls itself, for the person who lists sessions
	Site string // the origin of the page
}

// Begin makes a session for the person and returns its secrets: new ones at every
// sign-in, so that nothing a browser was given before is worth more afterwards.
// How is code, passkey or pairing.
func (w *Web) Begin(ctx context.Context, how string, key vyre.PasskeyID, at Place) (Secrets, error) {
	now, s := w.now(), Secrets{Cookie: vyre.NewSecret(), Proof: vyre.NewSecret()}
	row := vyre.SignIn{
		ID: vyre.SignInID(vyre.NewID()), Hash: hash(s.Cookie), Proof: hash(s.Proof), Person: vyre.Owner,
		Name: at.Name, Site: at.Site, By: how, Passkey: key, Created: vyre.At(now), Seen: vyre.At(now),
	}
	if err := w.store.DropSignIns(ctx, old(now)); err != nil {
		return Secrets{}, err
	}
	err := w.store.Commit(ctx, &vyre.Commit{
		Durable: true, SignIns: []vyre.SignIn{row},
		Events: []vyre.Event{vyre.NewEvent("", "", vyre.SignInChanged{
			SignIn: row.ID, Name: row.Name, Act: "begun", How: how, By: vyre.Person(vyre.Owner, "web").String(),
		})},
	})
	if err != nil {
		return Secrets{}, err
	}
	return s, nil
}

// Caller returns the person whose session both secrets are of, on the page of an
// origin. Unauthenticated if there is none (any more).
func (w *Web) Caller(ctx context.Context, s Secrets, site string) (vyre.Caller, error) {
	row, err := w.find(ctx, s)
	if err != nil {
		return vyre.Caller{}, err
	}
	if row.Site != "" && row.Site != site { // made before sites were kept: any
		return vyre.Caller{}, notSignedIn()
	}
	if now := w.now(); now.Sub(row.Seen.Std()) >= seenEvery {
		_ = w.store.SeeSignIn(ctx, row.ID, vyre.At(now)) // a full disk must not keep the person out
	}
	c := vyre.Person(row.Person, "web")
	c.Proof, c.Level, c.Session = "session", w.level(), row.ID
	return c, nil
}

func (w *Web) find(ctx context.Context, s Secrets) (vyre.SignIn, error) {
	row, ok, err := w.store.SignIn(ctx, hash(s.Cookie), old(w.now()))
	if err != nil {
		return row, err
	}
	if !ok || subtle.ConstantTimeCompare(row.Proof, hash(s.Proof)) != 1 {
		return row, notSignedIn()
	}
	return row, nil
}

// SignOut ends a session. It takes both secrets, as Caller does: one that isn't
// there is unauthenticated.
func (w *Web) SignOut(ctx context.Context, s Secrets) error {
	row, err := w.find(ctx, s)
	if err != nil {
		return err
	}
	return w.end(ctx, row, vyre.Person(row.Person, "web"))
}

// End ends a session by its id: its calls and streams that run are cut at once.
// Errors: not_found.
func (w *Web) End(ctx context.Context, id vyre.SignInID, by vyre.Caller) error {
	list, err := w.List(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.ID == id {
			return w.end(ctx, s, by)
		}
	}
	return vyre.NotFound("sign-in", string(id))
}

// EndOf ends every session that rests on a passkey.
func (w *Web) EndOf(ctx context.Context, key vyre.PasskeyID, by vyre.Caller) error {
	list, err := w.List(ctx)
	if err != nil {
		return err
	}
	// What runs is cut first: the store takes no session of a passkey that is revoked, so
	// that no new call comes, whatever of the rows can't be removed.
	var errs []error
	for _, s := range list {
		if s.Passkey == key {
			w.held.end(s.ID)
			errs = append(errs, w.end(ctx, s, by))
		}
	}
	return errors.Join(errs...)
}

func (w *Web) end(ctx context.Context, s vyre.SignIn, by vyre.Caller) error {
	err := w.store.Commit(ctx, &vyre.Commit{
		Durable: true, SignOuts: []vyre.SignInID{s.ID},
		Events: []vyre.Event{vyre.NewEvent("", "", vyre.SignInChanged{SignIn: s.ID, Name: s.Name, Act: "ended", By: by.String()})},
	})
	if err == nil {
		w.held.end(s.ID)
	}
	return err
}

// List returns the sessions that hold, the newest first.
func (w *Web) List(ctx context.Context) ([]vyre.SignIn, error) {
	return w.store.SignIns(ctx, old(w.now()))
}

// Rest notes that a session rests on a passkey from now on: the one that it
// enrolled. Revoking the passkey ends it.
func (w *Web) Rest(ctx context.Context, id vyre.SignInID, key vyre.PasskeyID) error {
	return w.store.RestSignIn(ctx, id, key)
}

// Hold returns a context that ends with the session of a caller, for a request
// that is being served; release must be called.
func (w *Web) Hold(ctx context.Context, c vyre.Caller) (held context.Context, release func()) {
	return w.held.hold(ctx, c.Session)
}

// old is when a session that is over by now was made at the latest.
func old(now time.Time) vyre.Time { return vyre.At(now.Add(-SessionLife)) }

func notSignedIn() *vyre.Error {
	return vyre.Errorf(vyre.CodeUnauthenticated, "this page is not signed in")
}
