package passkey

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vyre"
)

// person is the home's person as the library sees them, with the passkeys of one
// site.
type person struct {
	handle []byte
	keys   []webauthn.Credential
}

func (p *person) WebAuthnID() []byte                         { return p.handle }
func (p *person) WebAuthnName() string                       { return "Vyre" }
func (p *person) WebAuthnDisplayName() string                { return "Vyre" }
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.keys }

// person returns the person with the passkeys of a host name that hold.
func (k *Keys) person(ctx context.Context, host string) (*person, error) {
	all, err := k.c.Store.Passkeys(ctx)
	if err != nil {
		return nil, err
	}
	p := &person{}
	for _, row := range all {
		p.handle = row.Handle
		if row.Revoked != 0 || row.Site != host {
			continue
		}
		var c webauthn.Credential
		if err := json.Unmarshal(row.Record, &c); err != nil {
			return nil, vyre.Errorf(vyre.CodeInternal, "a passkey's record can't be read").Because(err)
		}
		p.keys = append(p.keys, c)
	}
	if p.handle == nil { // the first of this home
		p.handle = make([]byte, 32)
		_, _ = rand.Read(p.handle)
	}
	return p, nil
}

// party is this daemon at one origin.
func party(origin string) (*webauthn.WebAuthn, error) {
	yes := true
	w, err := webauthn.New(&webauthn.Config{
		RPID: hostOf(origin), RPDisplayName: "Vyre", RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &yes, ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "passkeys don't work on this address").
			WithHint("Open the page on localhost or on an https name: passkeys go by name.").Because(err)
	}
	return w, nil
}

// verify holds an assertion against a challenge that was made for one site, and
// notes the touch. Errors: denied.
func (k *Keys) verify(ctx context.Context, origin, challenge string, assertion []byte) (vyre.Passkey, error) {
	w, err := party(origin)
	if err != nil {
		return vyre.Passkey{}, err
	}
	who, err := k.person(ctx, hostOf(origin))
	if err != nil {
		return vyre.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(assertion)
	if err != nil {
		return vyre.Passkey{}, vyre.Errorf(vyre.CodeInvalid, "the touch can't be read").Because(err)
	}
	c, err := w.ValidateLogin(who, webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: hostOf(origin), Origin: origin, UserID: who.handle,
		UserVerification: protocol.VerificationRequired,
	}, parsed)
	if err != nil {
		return vyre.Passkey{}, refused().Because(err)
	}
	if c.Authenticator.CloneWarning {
		return vyre.Passkey{}, refused().WithHint("Its counter went back: there may be a copy of it. Revoke it and enrol it again.")
	}
	return k.used(ctx, c)
}

// used notes a touch. A passkey that was revoked since is none.
func (k *Keys) used(ctx context.Context, c *webauthn.Credential) (vyre.Passkey, error) {
	list, err := k.List(ctx)
	if err != nil {
		return vyre.Passkey{}, err
	}
	i := slices.IndexFunc(list, func(p vyre.Passkey) bool { return bytes.Equal(p.Credential, c.ID) })
	if i < 0 {
		return vyre.Passkey{}, refused()
	}
	record, err := json.Marshal(c)
	if err != nil {
		return vyre.Passkey{}, vyre.Errorf(vyre.CodeInternal, "a passkey's record can't be written").Because(err)
	}
	err = k.c.Store.UsePasskey(ctx, list[i].ID, record, vyre.At(k.c.Now()))
	if vyre.CodeOf(err) == vyre.CodeNotFound {
		return vyre.Passkey{}, refused()
	}
	return list[i], err
}

// refused is the one answer to every touch that is no good: which check failed is
// for the log.
func refused() *vyre.Error {
	return vyre.Errorf(vyre.CodeDenied, "this touch does not hold here").
		WithHint("Touch again: each touch works once, for two minutes, for what was shown, with a passkey of this address.")
}
