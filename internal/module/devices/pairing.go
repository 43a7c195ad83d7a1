package devices

import (
	"context"
	"time"

	"rsc.io/qr"

	"vyre"
	"vyre/internal/identity/passkey"
	"vyre/internal/registry"
)

// waitTime bounds one held request.
const waitTime = 25 * time.Second

func (m *Module) registerPairing(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "devices.pair.begin", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true,
		Summary: "Begin to let a phone in: an address and its QR code that work once, for two minutes.",
	}, m.pair)
	registry.Define(r, vyre.Tool{
		Name: "devices.pair.get", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Tell how a pairing stands, and the six digits that the phone shows; waits up to 25 seconds while it is as in since.",
	}, m.pairing)
	registry.Define(r, vyre.Tool{
		Name: "devices.pair.confirm", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Admits: true,
		Summary: "Say that the phone shows these six digits: it is let in. Others void the pairing.",
	}, m.confirm)
	registry.Define(r, vyre.Tool{
		Name: "devices.pair.cancel", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Void a pairing.",
	}, m.cancel)
	registry.Describe(r, "devices.pair.begin", func(_ context.Context, in PairIn) (registry.Shown, error) {
		site := in.Site
		if all := m.Sites(); site == "" && len(all) > 0 {
			site = all[len(all)-1]
		}
		return registry.Shown{Title: "Pair a phone", Text: "A code is shown. The device that scans it, once you confirmed its digits, is signed in on " + site + " and may enrol a passkey of its own."}, nil
	})
}

// PairIn is the input of devices.pair.begin.
type PairIn struct {
	Site string `json:"site,omitempty" jsonschema:"the address that the phone opens; by default an https one where there is one"`
}

// Pair is a pairing for who began it.
type Pair struct {
	Pair    string    `json:"pair"`
	URL     string    `json:"url" jsonschema:"what the code holds: a secret that works once"`
	QR      []string  `json:"qr" jsonschema:"the code, a row of 0 and 1 a line, without its quiet zone"`
	Expires vyre.Time `json:"expires"`
}

func (m *Module) pair(_ context.Context, c vyre.Caller, in PairIn) (Pair, error) {
	p, err := m.Keys.Pair(c, in.Site)
	if err != nil {
		return Pair{}, err
	}
	code, err := qr.Encode(p.URL, qr.M)
	if err != nil {
		return Pair{}, vyre.Errorf(vyre.CodeInternal, "the code can't be drawn").Because(err)
	}
	rows := make([]string, code.Size)
	for y := range rows {
		row := make([]byte, code.Size)
		for x := range row {
			if row[x] = '0'; code.Black(x, y) {
				row[x] = '1'
			}
		}
		rows[y] = string(row)
	}
	return Pair{p.ID, p.URL, rows, vyre.At(p.Expires)}, nil
}

// PairGetIn is the input of devices.pair.get.
type PairGetIn struct {
	Pair  string `json:"pair" jsonschema:"the pairing"`
	Since string `json:"since,omitempty" jsonschema:"the state that is known; the answer comes once it is another"`
}

// PairState is how a pairing stands.
type PairState struct {
	Pair    string    `json:"pair"`
	State   string    `json:"state" jsonschema:"waiting, claimed, confirmed, taken or burned"`
	Digits  string    `json:"digits" jsonschema:"six, once a device scanned the code; it shows the same"`
	Device  string    `json:"device" jsonschema:"what that device calls itself"`
	Why     string    `json:"why" jsonschema:"why it is void"`
	Expires vyre.Time `json:"expires"`
}

func pairState(p passkey.Pairing) PairState {
	return PairState{p.ID, p.State, p.Digits, p.Device, p.Why, vyre.At(p.Expires)}
}

func (m *Module) pairing(ctx context.Context, c vyre.Caller, in PairGetIn) (PairState, error) {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	p, err := m.Keys.Pairing(ctx, c, in.Pair, in.Since)
	return pairState(p), err
}

// ConfirmIn is the input of devices.pair.confirm.
type ConfirmIn struct {
	Pair   string `json:"pair" jsonschema:"the pairing"`
	Digits string `json:"digits" jsonschema:"the six digits that the phone shows"`
}

func (m *Module) confirm(_ context.Context, c vyre.Caller, in ConfirmIn) (PairState, error) {
	p, err := m.Keys.Confirm(c, in.Pair, in.Digits)
	return pairState(p), err
}

// CancelIn is the input of devices.pair.cancel.
type CancelIn struct {
	Pair string `json:"pair" jsonschema:"the pairing"`
}

// CancelOut is the output of devices.pair.cancel.
type CancelOut struct {
	Pair string `json:"pair"`
}

func (m *Module) cancel(_ context.Context, c vyre.Caller, in CancelIn) (CancelOut, error) {
	return CancelOut(in), m.Keys.Refuse(c, in.Pair)
}
