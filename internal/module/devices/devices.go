package devices

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"vyre"
	"vyre/internal/identity/passkey"
	"vyre/internal/registry"
)

// Keys holds the passkeys. internal/identity/passkey implements it.
type Keys interface {
	List(ctx context.Context) ([]vyre.Passkey, error)
	BeginEnrol(ctx context.Context, c vyre.Caller, site, name string) (json.RawMessage, error)
	FinishEnrol(ctx context.Context, c vyre.Caller, made []byte) (vyre.Passkey, error)
	Rename(ctx context.Context, id vyre.PasskeyID, name string, by vyre.Caller) error
	Revoke(ctx context.Context, id vyre.PasskeyID, by vyre.Caller) error
	Pair(c vyre.Caller, site string) (passkey.Pairing, error)
	Pairing(ctx context.Context, c vyre.Caller, id, since string) (passkey.Pairing, error)
	Confirm(c vyre.Caller, id, digits string) (passkey.Pairing, error)
	Refuse(c vyre.Caller, id string) error
}

// Sessions are the sessions of the page. internal/identity implements it.
type Sessions interface {
	List(ctx context.Context) ([]vyre.SignIn, error)
	End(ctx context.Context, id vyre.SignInID, by vyre.Caller) error
}

// EnrolTool is the one that a paired phone may call once without a touch.
const EnrolTool = "devices.enrol.begin"

// Module holds what the tools need.
type Module struct {
	Keys     Keys
	Sessions Sessions
	Sites    func() []string
	Always   bool // asks.proof = always
}

// Register declares the tools and events.
func (m *Module) Register(r *registry.Registry) {
	m.registerPasskeys(r)
	m.registerPairing(r)
	registry.Define(r, vyre.Tool{
		Name: "devices.sessions", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the browsers that are signed in, the newest first.",
	}, m.sessions)
	registry.Define(r, vyre.Tool{
		Name: "devices.sign_out", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "End a browser's session: what it reads and calls is cut within a second.",
	}, m.signOut)
	registry.DefineEvent[vyre.PasskeyChanged](r, "A passkey was enrolled, renamed or revoked.")
	registry.DefineEvent[vyre.SignInChanged](r, "A person's session on the page began or ended.")
}

func (m *Module) registerPasskeys(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "devices.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the passkeys that hold, the oldest first, and the addresses of the page.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: EnrolTool, Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true,
		Summary: "Begin to enrol a passkey on a signed-in page: what the browser needs (PublicKeyCredentialCreationOptions as JSON), for two minutes.",
	}, m.begin)
	registry.Define(r, vyre.Tool{
		Name: "devices.enrol.finish", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson,
		Summary: "Keep the passkey that the browser made.",
	}, m.finish)
	registry.Define(r, vyre.Tool{
		Name: "devices.rename", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Give a passkey another name.",
	}, m.rename)
	registry.Define(r, vyre.Tool{
		Name: "devices.revoke", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Presence: true,
		Summary: "Revoke a passkey, and end every session that rests on it within a second.",
	}, m.revoke)
	registry.Define(r, vyre.Tool{
		Name: "devices.reset", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Admits: true,
		Summary: "Revoke every passkey, from a terminal, when all devices are lost. Where the terminal is in doubt it needs a touch.",
	}, m.reset)
	registry.Describe(r, EnrolTool, func(_ context.Context, in BeginIn) (registry.Shown, error) {
		return registry.Shown{Title: "Enrol a passkey", Text: "A new passkey, “" + in.Name + "”, that works on " + in.Site + ". Whoever holds it can act as you."}, nil
	})
	registry.Describe(r, "devices.revoke", m.describe("Revoke a passkey", "is revoked, and every session that rests on it ends."))
	registry.Describe(r, "devices.reset", func(context.Context, ResetIn) (registry.Shown, error) {
		return registry.Shown{Title: "Revoke every passkey", Text: "Every passkey is revoked. Until another is enrolled nothing asks for a touch."}, nil
	})
}

// describe shows a passkey by its name.
func (m *Module) describe(title, what string) func(context.Context, DeviceIn) (registry.Shown, error) {
	return func(ctx context.Context, in DeviceIn) (registry.Shown, error) {
		d, err := m.find(ctx, in.Device)
		return registry.Shown{Title: title, Text: "The passkey “" + d.Name + "” (" + d.Site + ") " + what}, err
	}
}

func (m *Module) find(ctx context.Context, id vyre.PasskeyID) (vyre.Passkey, error) {
	list, err := m.Keys.List(ctx)
	if err != nil {
		return vyre.Passkey{}, err
	}
	for _, p := range list {
		if p.ID == id {
			return p, nil
		}
	}
	return vyre.Passkey{}, vyre.NotFound("passkey", string(id))
}

// Device is one passkey.
type Device struct {
	Device  vyre.PasskeyID `json:"device"`
	Name    string         `json:"name"`
	Site    string         `json:"site" jsonschema:"the host name that it works on, and on no other"`
	Created vyre.Time      `json:"created"`
	Used    vyre.Time      `json:"used" jsonschema:"of the last touch, or null"`
}

func device(p vyre.Passkey) Device { return Device{p.ID, p.Name, p.Site, p.Created, p.Used} }

// ListIn is the empty input of devices.list.
type ListIn struct{}

// ListOut is the output of devices.list.
type ListOut struct {
	Devices []Device `json:"devices"`
	Sites   []string `json:"sites" jsonschema:"the addresses of the page"`
	Proof   string   `json:"proof" jsonschema:"gated or always: whether every answer needs a touch"`
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, _ ListIn) (ListOut, error) {
	list, err := m.Keys.List(ctx)
	out := ListOut{Devices: []Device{}, Sites: m.Sites(), Proof: "gated"}
	if m.Always {
		out.Proof = "always"
	}
	for _, p := range list {
		out.Devices = append(out.Devices, device(p))
	}
	return out, err
}

// BeginIn is the input of devices.enrol.begin.
type BeginIn struct {
	Site string `json:"site" jsonschema:"the origin of the page that asks, such as http://localhost:7797"`
	Name string `json:"name" jsonschema:"what the person calls the device, 1 to 64 characters"`
}

// BeginOut is the output of devices.enrol.begin.
type BeginOut struct {
	Options json.RawMessage `json:"options"`
}

func (m *Module) begin(ctx context.Context, c vyre.Caller, in BeginIn) (BeginOut, error) {
	if err := checkName(in.Name); err != nil {
		return BeginOut{}, err
	}
	options, err := m.Keys.BeginEnrol(ctx, c, in.Site, in.Name)
	return BeginOut{options}, err
}

// FinishIn is the input of devices.enrol.finish.
type FinishIn struct {
	Credential json.RawMessage `json:"credential" jsonschema:"what the browser made (PublicKeyCredential as JSON)"`
}

func (m *Module) finish(ctx context.Context, c vyre.Caller, in FinishIn) (Device, error) {
	p, err := m.Keys.FinishEnrol(ctx, c, in.Credential)
	return device(p), err
}

// RenameIn is the input of devices.rename.
type RenameIn struct {
	Device vyre.PasskeyID `json:"device" jsonschema:"the passkey"`
	Name   string         `json:"name" jsonschema:"1 to 64 characters"`
}

func (m *Module) rename(ctx context.Context, c vyre.Caller, in RenameIn) (Device, error) {
	if err := checkName(in.Name); err != nil {
		return Device{}, err
	}
	if err := m.Keys.Rename(ctx, in.Device, in.Name, c); err != nil {
		return Device{}, err
	}
	p, err := m.find(ctx, in.Device)
	return device(p), err
}

// DeviceIn names a passkey.
type DeviceIn struct {
	Device vyre.PasskeyID `json:"device" jsonschema:"the passkey"`
}

func (m *Module) revoke(ctx context.Context, c vyre.Caller, in DeviceIn) (Device, error) {
	p, err := m.find(ctx, in.Device)
	if err != nil {
		return Device{}, err
	}
	// Whoever revokes what the own session rests on is still to be told.
	return device(p), m.Keys.Revoke(context.WithoutCancel(ctx), in.Device, c)
}

// ResetIn is the empty input of devices.reset.
type ResetIn struct{}

// ResetOut is the output of devices.reset.
type ResetOut struct {
	Devices []Device `json:"devices" jsonschema:"the passkeys that were revoked"`
}

func (m *Module) reset(ctx context.Context, c vyre.Caller, _ ResetIn) (ResetOut, error) {
	out := ResetOut{Devices: []Device{}}
	if c.Surface == "web" { // a page that was left signed in must not shed what guards it
		return out, vyre.Errorf(vyre.CodeDenied, "this is for a terminal of this machine").
			WithHint("Revoke a passkey by itself, with a touch of another.")
	}
	list, err := m.Keys.List(ctx)
	if err != nil {
		return out, err
	}
	for _, p := range list {
		if err := m.Keys.Revoke(ctx, p.ID, c); err != nil {
			return out, err
		}
		out.Devices = append(out.Devices, device(p))
	}
	return out, nil
}

// checkName takes what a person can read and nothing that hides.
func checkName(name string) error {
	if name == "" || strings.TrimSpace(name) != name || utf8.RuneCountInString(name) > 64 ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return vyre.Invalid("name", "1 to 64 printable characters, without spaces around them")
	}
	return nil
}
