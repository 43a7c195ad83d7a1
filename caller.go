package vyre

import "strings"

// CallerKind says what sort of thing makes a call. A door proves it; no input claims it.
type CallerKind string

// The kinds of callers.
const (
	CallerPerson  CallerKind = "person"  // person:<id>:<surface>
	CallerThread  CallerKind = "thread"  // thread:<id>: anything inside that thread's session
	CallerAgent   CallerKind = "agent"   // agent:<name>: below an agent we did not start
	CallerMCP     CallerKind = "mcp"     // mcp:<connection>
	CallerOutside CallerKind = "outside" // outside:<id>
	CallerModule  CallerKind = "module"  // module:<name>
	CallerLink    CallerKind = "link"    // link:<node>
	CallerHook    CallerKind = "hook"    // hook:<thread>
)

// CallerKinds lists every kind once.
var CallerKinds = []CallerKind{
	CallerPerson, CallerThread, CallerAgent, CallerMCP,
	CallerOutside, CallerModule, CallerLink, CallerHook,
}

// Owner is the person of a single-user home.
const Owner = "owner"

// Caller is who a call comes from, as its door proved it.
type Caller struct {
	Kind    CallerKind
	ID      string // the thread, agent, connection, … ; the person's id
	Surface string // for a person: cli, web, …
	Proof   string // what the claim rests on, short: "passkey", "session", "peer"
	Level   string // L0–L5: how well this machine tells a person from an agent (docs/guide/security.md)
	// Doubt says why a terminal's claim to be the person is weak at the moment, or is
	// empty: with a passkey enrolled, an act that decides then needs a touch.
	Doubt string
	// Session is a person's own on the page, or empty.
	Session SignInID
	// Touch is what came beside the input to prove this very call, unread: the registry
	// has it held against the call, and no handler sees it.
	Touch string
}

// Person returns a caller that is a person at a surface.
func Person(id, surface string) Caller {
	return Caller{Kind: CallerPerson, ID: id, Surface: surface}
}

// IsPerson reports whether the caller was shown to be a person.
func (c Caller) IsPerson() bool { return c.Kind == CallerPerson }

// String gives the form used in rows and events: person:owner:web, thread:<id>.
func (c Caller) String() string {
	parts := []string{string(c.Kind), c.ID}
	if c.Surface != "" {
		parts = append(parts, c.Surface)
	}
	return strings.Join(parts, ":")
}

// Thread returns the thread a caller speaks from, or "".
func (c Caller) Thread() ThreadID {
	if c.Kind == CallerThread || c.Kind == CallerHook {
		return ThreadID(c.ID)
	}
	return ""
}
