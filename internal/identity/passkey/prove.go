package passkey

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vyre"
	"vyre/internal/registry"
)

// What a caller's Proof says where this package had a word in it.
const (
	// Touched: a passkey was touched for this very act.
	Touched = "passkey"
	// NoneEnrolled: a touch would have been asked for, but there is no passkey yet.
	NoneEnrolled = "none enrolled"
	// Paired: the phone of a pairing that the person confirmed elsewhere.
	Paired = "pairing"
)

// Prove implements registry.Prover. A touch that came with the call is held against
// it whether it was needed or not; else it is looked up whether one is.
func (k *Keys) Prove(ctx context.Context, a registry.Act) (vyre.Caller, error) {
	if a.Caller.Touch != "" {
		return k.touched(ctx, a)
	}
	c, needed, err := k.needs(ctx, a)
	if err != nil || !needed {
		return c, err
	}
	shown, err := a.Describe(ctx)
	if err != nil {
		return c, err
	}
	x, err := k.raise(a, shown)
	if err != nil {
		return c, err
	}
	if err := k.tell(ctx, x); err != nil {
		return c, err
	}
	return c, k.ask(ctx, x)
}

// tell says on the log that an act of a terminal waits: a page shows it.
func (k *Keys) tell(ctx context.Context, x Act) error {
	if x.By.Surface == "web" {
		return nil
	}
	return k.c.Store.Commit(ctx, &vyre.Commit{Events: []vyre.Event{vyre.NewEvent("", "", vyre.ActRaised{
		Act: x.ID, Tool: x.Tool, Title: x.Shown.Title, By: x.By.String(),
	})}})
}

// needs says whether a call needs a touch, and else what the claim rests on.
func (k *Keys) needs(ctx context.Context, a registry.Act) (vyre.Caller, bool, error) {
	t, c := a.Tool, a.Caller
	doubtful := c.Surface != "web" && c.Doubt != ""
	if !t.Presence && !doubtful && !(t.Decides && k.c.Always) {
		return c, false, nil
	}
	there, err := k.Enrolled(ctx)
	switch {
	case err != nil:
		return c, false, err
	case there && t.Name == k.c.Enrols && k.pairs.use(c.Session, k.c.Now()):
		c.Proof = Paired
		return c, false, nil
	case there:
		return c, true, nil
	case t.Presence && c.Surface != "web" && (doubtful || c.Level < "L2"):
		return c, false, vyre.Errorf(vyre.CodePersonSessionRequired, "%s: this machine can't tell well enough that a person is at this terminal", t.Name).
			WithHint("Do it on the page (`vyre open`), or enrol a passkey there and touch it for this.")
	}
	c.Proof = NoneEnrolled
	return c, false, nil
}

// ask says that an act waits for a touch, and where it can be given.
func (k *Keys) ask(ctx context.Context, x Act) error {
	sites, err := k.touchable(ctx)
	if err != nil {
		return err
	}
	err2 := vyre.Errorf(vyre.CodePresenceRequired, "%s needs a touch of a passkey", x.Tool).
		WithDetail("act", x.ID).WithDetail("ticket", x.Ticket).WithDetail("expires", vyre.At(x.Expires))
	if len(sites) == 0 { // passkeys of an address that is not configured any more
		return err2.WithHint("No passkey works on this daemon's addresses: configure the earlier name again, or revoke the passkeys that are left.")
	}
	url := sites[0] + "/act/" + x.ID
	return err2.WithDetail("url", url).WithDetail("sites", sites).
		WithHint("Open " + url + " where you are signed in, read what would be done, and touch your passkey there.")
}

// touched holds a touch against the call that it came with.
func (k *Keys) touched(ctx context.Context, a registry.Act) (vyre.Caller, error) {
	id, packed, _ := strings.Cut(a.Caller.Touch, ".")
	assertion, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil || !a.Caller.IsPerson() {
		return a.Caller, refused()
	}
	shown, err := a.Describe(ctx)
	if err != nil {
		return a.Caller, err
	}
	hash := string(a.Hash(shown))
	nonce, site, err := k.spend(id, a, shown)
	if err != nil {
		return a.Caller, err
	}
	key, err := k.verify(ctx, site, bind(nonce, hash), assertion)
	if err != nil {
		return a.Caller, err
	}
	if err := k.start(id); err != nil {
		return a.Caller, err
	}
	c := a.Caller
	// Told before it runs: what was touched is known also if the daemon dies now.
	err = k.c.Store.Commit(ctx, &vyre.Commit{Durable: true, Events: []vyre.Event{vyre.NewEvent("", "", vyre.ActTouched{
		Act: id, Tool: a.Tool.Name, Title: shown.Title, Passkey: key.ID, By: c.String(), Level: c.Level,
	})}})
	if err != nil {
		k.settle(id, nil, err)
		return c, err
	}
	c.Proof, c.Doubt = Touched, ""
	return c, nil
}

// spend takes the challenge of an act, whose call must be this caller's. Whatever
// becomes of the touch, the challenge is used up.
func (k *Keys) spend(id string, a registry.Act, now registry.Shown) (nonce []byte, site string, err error) {
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	k.acts.sweep(k.c.Now())
	x, err := k.acts.find(id)
	if err != nil {
		return nil, "", err
	}
	nonce, site, x.nonce = x.nonce, x.site, nil
	switch {
	case x.State != ActWaiting:
		return nil, "", over(x.State)
	case nonce == nil || !fresh(x.at, k.c.Now()):
		return nil, "", refused()
	case x.Tool != a.Tool.Name || x.By.String() != a.Caller.String() || x.By.Session != a.Caller.Session:
		return nil, "", refused()
	case now.Digest != x.Shown.Digest:
		x.move(ActExpired)
		return nil, "", vyre.Errorf(vyre.CodeConflict, "what this is about is not any more what was shown").
			WithHint("Load it again and read it.").WithDetail("digest", now.Digest)
	}
	return nonce, site, nil
}

// start has an act run: of two touches that are both good, one does.
func (k *Keys) start(id string) error {
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	x, err := k.acts.find(id)
	if err != nil {
		return err
	}
	if x.State != ActWaiting {
		return over(x.State)
	}
	x.move(ActRunning)
	return nil
}

// Settle implements registry.Prover: it notes how an act that was touched ended, for who
// waits for it. Only the call that the act started is told here, so another touch of the
// same act can't end it.
func (k *Keys) Settle(touch string, output json.RawMessage, err error) {
	id, _, _ := strings.Cut(touch, ".")
	k.settle(id, output, err)
}

func (k *Keys) settle(id string, output []byte, err error) {
	k.acts.mu.Lock()
	defer k.acts.mu.Unlock()
	if x, miss := k.acts.find(id); miss == nil && x.State == ActRunning {
		x.Output, x.Err = output, err
		x.Expires = k.c.Now()
		x.move(ActDone)
	}
}

// Touch packs an assertion of an act as it goes beside an input.
func Touch(id string, assertion []byte) string {
	return id + "." + base64.RawURLEncoding.EncodeToString(assertion)
}

// bind makes the challenge of an act: nobody can make one act's touch serve
// another, since the other's challenge has another hash.
func bind(nonce []byte, hash string) string {
	h := sha256.New()
	h.Write([]byte("vyre act\x00"))
	h.Write(nonce)
	h.Write([]byte(hash))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// request is what the browser needs to touch one of a site's passkeys.
func request(site, challenge string, who *person) ([]byte, error) {
	w, err := party(site)
	if err != nil {
		return nil, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(challenge)
	if err != nil {
		return nil, err
	}
	options, _, err := w.BeginLogin(who, webauthn.WithChallenge(raw),
		webauthn.WithUserVerification(protocol.VerificationRequired), webauthn.WithLoginOrigin(site))
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "a touch can't be begun").Because(err)
	}
	return encode(options)
}
