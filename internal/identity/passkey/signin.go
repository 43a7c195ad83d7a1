package passkey

import (
	"context"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vyre"
)

// signIn is a sign-in under way.
type signIn struct{ site string }

// BeginSignIn returns what the browser needs to sign in with a passkey of a site.
// It is open to everybody, so it says nothing of which passkeys there are: the
// browser finds its own.
func (k *Keys) BeginSignIn(_ context.Context, site string) (json.RawMessage, error) {
	if err := k.site(site); err != nil {
		return nil, err
	}
	w, err := party(site)
	if err != nil {
		return nil, err
	}
	options, data, err := w.BeginDiscoverableLogin(
		webauthn.WithUserVerification(protocol.VerificationRequired), webauthn.WithLoginOrigin(site))
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "a sign-in can't be begun").Because(err)
	}
	k.signIns.put(data.Challenge, signIn{site})
	return encode(options)
}

// FinishSignIn returns the passkey that was touched for a sign-in at a site.
// Errors: denied.
func (k *Keys) FinishSignIn(ctx context.Context, site string, assertion []byte) (vyre.Passkey, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(assertion)
	if err != nil {
		return vyre.Passkey{}, vyre.Errorf(vyre.CodeInvalid, "the touch can't be read").Because(err)
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	s, ok := k.signIns.take(challenge)
	if !ok || s.site != site {
		return vyre.Passkey{}, refused()
	}
	return k.verify(ctx, site, challenge, assertion)
}
