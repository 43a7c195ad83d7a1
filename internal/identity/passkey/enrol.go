package passkey

import (
	"context"
	"encoding/json"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vyre"
)

// enrolment is a passkey that is being made.
type enrolment struct {
	site, name string
	session    vyre.SignInID // whose page makes it
	data       webauthn.SessionData
	handle     []byte
	proof      string // what let it be begun
}

// BeginEnrol returns what the browser needs to make a passkey for a site. Whether
// the caller may enrol one, the registry has asked Prove. Errors:
// person_session_required for who is not on the page, invalid for a site that is
// not ours.
func (k *Keys) BeginEnrol(ctx context.Context, c vyre.Caller, site, name string) (json.RawMessage, error) {
	if c.Session == "" {
		return nil, vyre.Errorf(vyre.CodePersonSessionRequired, "a passkey is enrolled on the page")
	}
	if err := k.site(site); err != nil {
		return nil, err
	}
	w, err := party(site)
	if err != nil {
		return nil, err
	}
	who, err := k.person(ctx, hostOf(site))
	if err != nil {
		return nil, err
	}
	var exclude []protocol.CredentialDescriptor
	for _, key := range who.keys {
		exclude = append(exclude, key.Descriptor())
	}
	options, data, err := w.BeginRegistration(who, webauthn.WithExclusions(exclude), webauthn.WithRegistrationOrigin(site))
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "a passkey can't be begun").Because(err)
	}
	k.enrols.put(data.Challenge, enrolment{site, name, c.Session, *data, who.handle, c.Proof})
	return encode(options)
}

// FinishEnrol keeps the passkey that the browser made. Errors: denied for one that
// answers no challenge of this page, or answers it badly.
func (k *Keys) FinishEnrol(ctx context.Context, c vyre.Caller, made []byte) (vyre.Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(made)
	if err != nil {
		return vyre.Passkey{}, vyre.Errorf(vyre.CodeInvalid, "the passkey can't be read").Because(err)
	}
	e, ok := k.enrols.take(parsed.Response.CollectedClientData.Challenge)
	if !ok || e.session != c.Session {
		return vyre.Passkey{}, refused().WithHint("Begin again: there are two minutes to make a passkey.")
	}
	w, err := party(e.site)
	if err != nil {
		return vyre.Passkey{}, err
	}
	cred, err := w.CreateCredential(&person{handle: e.handle}, e.data, parsed)
	if err != nil {
		return vyre.Passkey{}, refused().WithHint("Begin again on this page.").Because(err)
	}
	record, err := json.Marshal(cred)
	if err != nil {
		return vyre.Passkey{}, vyre.Errorf(vyre.CodeInternal, "a passkey's record can't be written").Because(err)
	}
	switch there, err := k.Enrolled(ctx); {
	case err != nil:
		return vyre.Passkey{}, err
	case e.proof == NoneEnrolled && there:
		return vyre.Passkey{}, refused().WithHint("Another passkey was enrolled meanwhile: begin again, with a touch of it.")
	}
	row := vyre.Passkey{
		ID: vyre.PasskeyID(vyre.NewID()), Person: vyre.Owner, Name: e.name, Site: hostOf(e.site), Handle: e.handle,
		Credential: cred.ID, Record: record, Created: vyre.At(k.c.Now()),
	}
	c.Proof = e.proof
	err = k.c.Store.Commit(ctx, &vyre.Commit{
		Durable: true, Passkeys: []vyre.Passkey{row}, Events: []vyre.Event{changed(row.ID, row.Name, "enrolled", c)},
	})
	if err != nil {
		return vyre.Passkey{}, err
	}
	return row, k.c.Sessions.Rest(ctx, c.Session, row.ID)
}

func encode(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeInternal, "the browser's options can't be written").Because(err)
	}
	return b, nil
}
