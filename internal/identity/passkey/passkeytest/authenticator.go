package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/url"
)

// Authenticator is one device. Its fields say how it behaves from now on.
type Authenticator struct {
	Origin   string // of the page that asks
	Host     string // the host name it signs for; empty: the origin's
	NoVerify bool   // the user is present but not verified
	Cross    bool   // the page is in another's frame

	key    *ecdsa.PrivateKey
	id     []byte
	handle []byte
	count  uint32
}

// Flags of authenticator data.
const (
	flagPresent  = 1 << 0
	flagVerified = 1 << 2
	flagMade     = 1 << 6
)

// New returns a device in front of a page.
func New(origin string) *Authenticator { return &Authenticator{Origin: origin} }

type creation struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	} `json:"publicKey"`
}

type request struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
	} `json:"publicKey"`
}

// Create makes a passkey for the options of a page and returns what the browser
// would send.
func (a *Authenticator) Create(options []byte) ([]byte, error) {
	var in creation
	if err := json.Unmarshal(options, &in); err != nil || in.PublicKey.Challenge == "" {
		return nil, errors.Join(err, errors.New("no challenge"))
	}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	a.id = make([]byte, 16)
	_, _ = rand.Read(a.id)
	if a.handle, err = base64.RawURLEncoding.DecodeString(in.PublicKey.User.ID); err != nil {
		return nil, err
	}
	cose, err := a.cose()
	if err != nil {
		return nil, err
	}
	data := a.data(flagMade)
	data = append(data, make([]byte, 16)...) // the model: none
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.id)))
	data = append(append(data, a.id...), cose...)
	object := append([]byte{0xa3}, text("fmt")...) // a map of three
	object = append(append(object, text("none")...), text("attStmt")...)
	object = append(append(object, 0xa0), text("authData")...)
	object = append(append(object, bytesHead(len(data))...), data...)
	return json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key",
		"response": map[string]any{
			"clientDataJSON": b64(a.client("webauthn.create", in.PublicKey.Challenge)), "attestationObject": b64(object),
		},
	})
}

// Touch signs for the options of a page.
func (a *Authenticator) Touch(options []byte) ([]byte, error) {
	var in request
	if err := json.Unmarshal(options, &in); err != nil || in.PublicKey.Challenge == "" {
		return nil, errors.Join(err, errors.New("no challenge"))
	}
	return a.Sign(in.PublicKey.Challenge)
}

// Sign signs a challenge.
func (a *Authenticator) Sign(challenge string) ([]byte, error) {
	a.count++
	client, data := a.client("webauthn.get", challenge), a.data(0)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), sum[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key",
		"response": map[string]any{
			"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(sig), "userHandle": b64(a.handle),
		},
	})
}

// As is the device of somebody else that claims to be this one's passkey.
func (a *Authenticator) As() (*Authenticator, error) {
	other := *a
	var err error
	other.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return &other, err
}

// Rewind puts the device's counter back, as a copy of it would have it.
func (a *Authenticator) Rewind() { a.count = 0 }

func (a *Authenticator) client(kind, challenge string) []byte {
	b, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": a.Cross})
	return b
}

func (a *Authenticator) data(flags byte) []byte {
	host := a.Host
	if host == "" {
		if u, err := url.Parse(a.Origin); err == nil {
			host = u.Hostname()
		}
	}
	sum := sha256.Sum256([]byte(host))
	if flags |= flagPresent; !a.NoVerify {
		flags |= flagVerified
	}
	return binary.BigEndian.AppendUint32(append(sum[:], flags), a.count)
}

// cose is the public key as authenticators write it: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
func (a *Authenticator) cose() ([]byte, error) {
	point, err := a.key.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	out := []byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21}
	out = append(append(out, bytesHead(32)...), point[1:33]...)
	out = append(append(out, 0x22), bytesHead(32)...)
	return append(out, point[33:]...), nil
}

func text(s string) []byte { return append([]byte{0x60 | byte(len(s))}, s...) }

func bytesHead(n int) []byte {
	if n < 256 {
		return []byte{0x58, byte(n)}
	}
	return []byte{0x59, byte(n >> 8), byte(n)}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
