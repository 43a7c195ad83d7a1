package registry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strings"

	"vyre"
)

// Prover says whether a call needs a fresh touch of a passkey, and holds the one
// that came with it against this very call. internal/identity implements it.
type Prover interface {
	// Prove is asked of a person's call to a tool that decides, admits or needs
	// presence, and of every call that carries a touch. It returns the caller as the
	// handler shall see it: without the touch, with what the claim now rests on.
	// Errors: presence_required where a touch is needed and none came, with what is
	// to be touched in its details; denied for a touch that is not of this call.
	Prove(ctx context.Context, a Act) (vyre.Caller, error)
	// Settle is told how a call ended whose touch Prove took as good: once for each.
	Settle(touch string, output json.RawMessage, err error)
}

// Act is one call, as a person is shown it and a touch is bound to it.
type Act struct {
	Tool   vyre.Tool
	Caller vyre.Caller
	Input  json.RawMessage // as it came
	// Canonical is the input after decoding, as one spelling: what differs only in
	// spaces, order or spelled-out defaults is the same act.
	Canonical json.RawMessage
	// Describe says what the call is about, as it stands now.
	Describe func(ctx context.Context) (Shown, error)
}

// Shown is what a person reads before a touch.
type Shown struct {
	Title string `json:"title"`
	Text  string `json:"text"` // the whole of what would be done
	// Digest is of the thing that is acted on, such as an ask's: once it is another
	// thing, an earlier touch is of no use.
	Digest string `json:"digest"`
}

// Hash binds a touch to an act: the tool, what was shown, and the input.
func (a Act) Hash(s Shown) []byte {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(a.Tool.Name), []byte(s.Digest), a.Canonical} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// Prove sets who is asked for proofs. It is for wiring, before the first Call.
// Without one, a tool that needs presence is refused to everybody.
func (r *Registry) Prove(p Prover) { r.prover = p }

// Describe says how a tool's call is shown before a touch. It is for wiring, after
// Define. A tool without it is shown as its summary and its input.
func Describe[In any](r *Registry, name string, f func(ctx context.Context, in In) (Shown, error)) {
	d, ok := r.tools[name]
	if !ok {
		return // Check tells why it is not there
	}
	d.describe = func(ctx context.Context, in any) (Shown, error) { return f(ctx, *in.(*In)) }
}

// prove asks the prover about a decoded call (in is a pointer to it). started becomes
// the touch that was taken as good.
func (r *Registry) prove(ctx context.Context, d *tool, c vyre.Caller, raw json.RawMessage, in any, started *string) (vyre.Caller, error) {
	needs := d.Presence || d.Decides || d.Admits
	if c.Touch == "" && (!needs || !c.IsPerson()) {
		return c, nil
	}
	if r.prover == nil {
		c.Touch = ""
		if d.Presence {
			return c, vyre.Errorf(vyre.CodePresenceRequired, "%s needs a fresh touch of a passkey", d.Name)
		}
		return c, nil
	}
	canonical, err := json.Marshal(in)
	if err != nil {
		return c, vyre.Errorf(vyre.CodeInvalid, "the input can't be written in one spelling").Because(err)
	}
	out, err := r.prover.Prove(ctx, Act{
		Tool: d.Tool, Caller: c, Input: raw, Canonical: canonical,
		Describe: func(ctx context.Context) (Shown, error) {
			if d.describe == nil {
				title, _, _ := strings.Cut(strings.TrimSuffix(d.Summary, "."), ". ")
				return Shown{Title: title, Text: d.Name + " " + string(canonical)}, nil
			}
			return d.describe(ctx, in)
		},
	})
	if err == nil {
		*started = c.Touch
	}
	out.Touch = ""
	return out, err
}
