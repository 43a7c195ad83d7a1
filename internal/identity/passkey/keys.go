package passkey

import (
	"context"
	"net/url"
	"slices"
	"time"

	"vyre"
	"vyre/internal/registry"
)

// Store keeps passkeys. internal/store/sqlite implements it; errors are *vyre.Error.
type Store interface {
	// Passkeys lists all, revoked ones too, the oldest first.
	Passkeys(ctx context.Context) ([]vyre.Passkey, error)
	Commit(ctx context.Context, c *vyre.Commit) error
	// UsePasskey notes a touch, or is not_found when the passkey holds no more.
	UsePasskey(ctx context.Context, id vyre.PasskeyID, record []byte, at vyre.Time) error
	// RenamePasskey and RevokePasskey change one that holds, with the event that tells.
	RenamePasskey(ctx context.Context, id vyre.PasskeyID, name string, ev vyre.Event) error
	RevokePasskey(ctx context.Context, id vyre.PasskeyID, at vyre.Time, by string, ev vyre.Event) error
}

// Sessions are the persons' sessions on the page. identity.Web implements it.
type Sessions interface {
	EndOf(ctx context.Context, key vyre.PasskeyID, by vyre.Caller) error
	Rest(ctx context.Context, id vyre.SignInID, key vyre.PasskeyID) error
}

// Config is what Keys needs.
type Config struct {
	Store    Store
	Sessions Sessions
	Now      func() time.Time
	// Sites lists the origins of the page, http://localhost:<port> first.
	Sites func() []string
	// Always has every act that decides need a touch (asks.proof).
	Always bool
	// Enrols is the tool that a paired phone may call once without a touch.
	Enrols string
}

// Keys holds the passkeys of a home and what is under way with them.
type Keys struct {
	c       Config
	enrols  pending[enrolment]
	signIns pending[signIn]
	acts    acts
	pairs   pairs
}

// New returns the passkeys of a home.
func New(c Config) *Keys {
	k := &Keys{c: c}
	for _, p := range []interface{ clock(func() time.Time) }{&k.enrols, &k.signIns} {
		p.clock(c.Now)
	}
	k.pairs.free = map[vyre.SignInID]time.Time{}
	return k
}

var _ registry.Prover = (*Keys)(nil)

// hostOf is the host name that passkeys of an origin work on.
func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// site holds an origin that a page named to the ones that are ours.
func (k *Keys) site(origin string) error {
	if !slices.Contains(k.c.Sites(), origin) {
		return vyre.Invalid("site", "this is none of the addresses of this daemon").WithDetail("sites", k.c.Sites())
	}
	return nil
}

// List returns the passkeys that hold, the oldest first.
func (k *Keys) List(ctx context.Context) ([]vyre.Passkey, error) {
	all, err := k.c.Store.Passkeys(ctx)
	return slices.DeleteFunc(all, func(p vyre.Passkey) bool { return p.Revoked != 0 }), err
}

// Enrolled reports whether any passkey holds.
func (k *Keys) Enrolled(ctx context.Context) (bool, error) {
	list, err := k.List(ctx)
	return len(list) > 0, err
}

// Rename gives a passkey another name. Errors: not_found.
func (k *Keys) Rename(ctx context.Context, id vyre.PasskeyID, name string, by vyre.Caller) error {
	return k.c.Store.RenamePasskey(ctx, id, name, changed(id, name, "renamed", by))
}

// Revoke ends a passkey and every session that rests on it, at once. Errors:
// not_found.
func (k *Keys) Revoke(ctx context.Context, id vyre.PasskeyID, by vyre.Caller) error {
	list, err := k.List(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(p vyre.Passkey) bool { return p.ID == id })
	if i < 0 {
		return vyre.NotFound("passkey", string(id))
	}
	err = k.c.Store.RevokePasskey(ctx, id, vyre.At(k.c.Now()), by.String(), changed(id, list[i].Name, "revoked", by))
	if err != nil {
		return err
	}
	return k.c.Sessions.EndOf(ctx, id, by)
}

func changed(id vyre.PasskeyID, name, act string, by vyre.Caller) vyre.Event {
	return vyre.NewEvent("", "", vyre.PasskeyChanged{
		Passkey: id, Name: name, Act: act, By: by.String(), Proof: by.Proof, Level: by.Level,
	})
}
