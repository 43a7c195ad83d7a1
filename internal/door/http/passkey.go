package httpdoor

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"vyre"
	"vyre/internal/identity/passkey"
)

// Keys are the passkeys, as this door uses them before anybody is signed in.
// internal/identity/passkey implements it.
type Keys interface {
	BeginSignIn(ctx context.Context, site string) (json.RawMessage, error)
	FinishSignIn(ctx context.Context, site string, assertion []byte) (vyre.Passkey, error)
	Claim(secret, site, device string) (claim string, p passkey.Pairing, err error)
	ClaimOf(ctx context.Context, claim, since string) (passkey.Pairing, error)
	Take(claim string) error
	Free(id vyre.SignInID)
}

// pairWait bounds one held request of a phone.
const pairWait = 25 * time.Second

type none struct{}

// options is what a browser needs for a ceremony.
type options struct {
	Options json.RawMessage `json:"options"`
}

func (d *Door) beginPasskey(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	if _, ok := read[none](d, w, r); !ok {
		return
	}
	out, err := d.o.Keys.BeginSignIn(r.Context(), d.hosts[r.Host])
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	d.api.Reply(w, r, options{out})
}

// passkeyInput is the body of POST /v1/sign-in/passkey.
type passkeyInput struct {
	Assertion json.RawMessage `json:"assertion"`
}

func (d *Door) passkey(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	in, ok := read[passkeyInput](d, w, r)
	if !ok {
		return
	}
	at := d.place(r)
	key, err := d.o.Keys.FinishSignIn(r.Context(), at.Site, in.Assertion)
	if err != nil {
		d.api.Fail(w, r, d.o.Web.Wrong(err))
		return
	}
	secrets, err := d.o.Web.Begin(r.Context(), "passkey", key.ID, at)
	d.signedIn(w, r, secrets, err)
}

// claimInput is the body of POST /v1/pair/claim: what the code held.
type claimInput struct {
	Secret string `json:"secret"`
}

// claimOutput gives the phone what it goes on with, and the digits to show.
type claimOutput struct {
	Claim   string    `json:"claim"`
	Digits  string    `json:"digits"`
	Expires vyre.Time `json:"expires"`
}

func (d *Door) claim(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	in, ok := read[claimInput](d, w, r)
	if !ok {
		return
	}
	at := d.place(r)
	claim, p, err := d.o.Keys.Claim(in.Secret, at.Site, at.Name)
	if err != nil {
		d.api.Fail(w, r, d.o.Web.Wrong(err))
		return
	}
	d.api.Reply(w, r, claimOutput{claim, p.Digits, vyre.At(p.Expires)})
}

// claimWaitInput is the body of POST /v1/pair/wait and /v1/pair/take.
type claimWaitInput struct {
	Claim string `json:"claim"`
	Since string `json:"since,omitempty"`
}

type claimState struct {
	State string `json:"state"`
	Why   string `json:"why"`
}

func (d *Door) claimWait(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	in, ok := read[claimWaitInput](d, w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), pairWait)
	defer cancel()
	p, err := d.o.Keys.ClaimOf(ctx, in.Claim, in.Since)
	if err != nil {
		d.api.Fail(w, r, d.o.Web.Wrong(err))
		return
	}
	d.api.Reply(w, r, claimState{p.State, p.Why})
}

// claimTake gives a phone its session, once the person confirmed its digits on the
// device that was signed in already.
func (d *Door) claimTake(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	in, ok := read[claimWaitInput](d, w, r)
	if !ok {
		return
	}
	if err := d.o.Keys.Take(in.Claim); err != nil {
		d.api.Fail(w, r, d.o.Web.Wrong(err))
		return
	}
	at := d.place(r)
	secrets, err := d.o.Web.Begin(r.Context(), "pairing", "", at)
	if err == nil {
		var c vyre.Caller
		if c, err = d.o.Web.Caller(r.Context(), secrets, at.Site); err == nil {
			d.o.Keys.Free(c.Session)
		}
	}
	d.signedIn(w, r, secrets, err)
}
