package devices

import (
	"context"

	"vyre"
)

// Session is one browser that is signed in.
type Session struct {
	Session vyre.SignInID  `json:"session"`
	Name    string         `json:"name" jsonschema:"what the browser calls itself"`
	Site    string         `json:"site" jsonschema:"the address of its page"`
	How     string         `json:"how" jsonschema:"how it was begun: code, passkey or pairing"`
	Device  vyre.PasskeyID `json:"device" jsonschema:"the passkey that it rests on, or empty"`
	Surface string         `json:"surface" jsonschema:"web"`
	Created vyre.Time      `json:"created"`
	Seen    vyre.Time      `json:"seen" jsonschema:"of its last call, to the minute"`
	Current bool           `json:"current" jsonschema:"whether it is the one that asks"`
}

// SessionsIn is the empty input of devices.sessions.
type SessionsIn struct{}

// SessionsOut is the output of devices.sessions.
type SessionsOut struct {
	Sessions []Session `json:"sessions"`
}

func (m *Module) sessions(ctx context.Context, c vyre.Caller, _ SessionsIn) (SessionsOut, error) {
	list, err := m.Sessions.List(ctx)
	out := SessionsOut{Sessions: []Session{}}
	for _, s := range list {
		out.Sessions = append(out.Sessions, Session{s.ID, s.Name, s.Site, s.By, s.Passkey, "web", s.Created, s.Seen, s.ID == c.Session})
	}
	return out, err
}

// SignOutIn is the input of devices.sign_out.
type SignOutIn struct {
	Session vyre.SignInID `json:"session" jsonschema:"the session"`
}

// SignOutOut is the output of devices.sign_out.
type SignOutOut struct {
	Session vyre.SignInID `json:"session"`
}

func (m *Module) signOut(ctx context.Context, c vyre.Caller, in SignOutIn) (SignOutOut, error) {
	// Whoever ends the own session is still to be told: the call goes on to its end.
	return SignOutOut(in), m.Sessions.End(context.WithoutCancel(ctx), in.Session, c)
}
