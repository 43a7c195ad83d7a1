package vyre

// PasskeyID names a passkey in rows, events and tools. It is ours, not the
// authenticator's.
type PasskeyID string

// Passkey is a credential that a person enrolled on a device. Nothing of it is
// secret: the private half never leaves the device.
type Passkey struct {
	ID         PasskeyID
	Person     string
	Name       string // as the person calls the device
	Site       string // the host name that it works on, and on no other
	Handle     []byte // what authenticators know the person by, the same on all of a home's passkeys
	Credential []byte // the authenticator's own id of it
	Record     []byte // what internal/identity/passkey needs to hold an assertion against
	Created    Time
	Used       Time // of the last touch, 0 for none
	Revoked    Time // 0 while it holds
	RevokedBy  string
}

// SignInID names a person's session on the page in rows, events and tools. It is
// worth nothing to who would sign in.
type SignInID string

// SignIn is a person's session on the page.
type SignIn struct {
	ID      SignInID
	Hash    []byte // SHA-256 of its cookie
	Proof   []byte // SHA-256 of what goes with the cookie
	Person  string
	Name    string    // the device, as the person calls it or the browser itself
	Site    string    // the origin that it is of
	By      string    // code, passkey or pairing
	Passkey PasskeyID // that it was begun with, or that it enrolled; or empty
	Created Time
	Seen    Time // of its last call, to the minute
}

type (
	// PasskeyChanged: a passkey was enrolled, renamed or revoked.
	PasskeyChanged struct {
		Passkey PasskeyID `json:"passkey"`
		Name    string    `json:"name"`
		Act     string    `json:"act"` // enrolled | renamed | revoked
		By      string    `json:"by"`
		Proof   string    `json:"proof"`
		Level   string    `json:"level"`
	}

	// SignInChanged: a person's session on the page began or ended.
	SignInChanged struct {
		SignIn SignInID `json:"sign_in"`
		Name   string   `json:"name"`
		Act    string   `json:"act"` // begun | ended
		How    string   `json:"how"` // of one that began: code | passkey | pairing
		By     string   `json:"by"`
	}
)

type (
	// ActRaised: a call from a terminal waits for a touch. It can be given on the page.
	ActRaised struct {
		Act   string `json:"act"`
		Tool  string `json:"tool"`
		Title string `json:"title"`
		By    string `json:"by"`
	}

	// ActTouched: a passkey was touched for a call, which runs now.
	ActTouched struct {
		Act     string    `json:"act"`
		Tool    string    `json:"tool"`
		Title   string    `json:"title"`
		Passkey PasskeyID `json:"passkey"`
		By      string    `json:"by"`
		Level   string    `json:"level"`
	}
)

// EventKind implements EventData.
func (ActRaised) EventKind() Kind { return EvActRaised }

// EventKind implements EventData.
func (ActTouched) EventKind() Kind { return EvActTouched }

// EventKind implements EventData.
func (PasskeyChanged) EventKind() Kind { return EvPasskeyChanged }

// EventKind implements EventData.
func (SignInChanged) EventKind() Kind { return EvSignInChanged }
