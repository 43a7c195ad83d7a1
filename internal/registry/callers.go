package registry

import (
	"errors"
	"fmt"
	"strings"

	"vyre"
)

// Cell says what of a tool one sort of caller may do.
type Cell string

// The cells.
const (
	CellNo     Cell = "–"
	CellYes    Cell = "yes"
	CellItself Cell = "itself" // with its own thread as what the call is about
	CellOwn    Cell = "own"    // sees what is its own
)

// Column is one sort of caller, as a door proves it.
type Column struct {
	Name   string
	Caller vyre.Caller
}

// Columns are every sort of caller: a person where one can be told and where not, and
// each other kind. On a session's own socket only the column of threads exists.
func Columns() []Column {
	out := []Column{
		{"person: page", vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "web", Level: "L0"}},
		{"person: terminal", vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "cli", Level: "L2"}},
		{"person: terminal at L0", vyre.Caller{Kind: vyre.CallerPerson, ID: vyre.Owner, Surface: "cli", Level: "L0"}},
	}
	for _, k := range vyre.CallerKinds {
		if k != vyre.CallerPerson {
			out = append(out, Column{string(k), vyre.Caller{Kind: k, ID: "x", Level: "L2"}})
		}
	}
	return out
}

// CellOf says what a caller may do with a tool. It asks what Call asks, so the table can't
// say anything else than what happens.
func CellOf(t vyre.Tool, c vyre.Caller) Cell {
	if err := authorise(t, c); err != nil {
		return CellNo
	}
	if c.Kind != vyre.CallerThread {
		return CellYes
	}
	switch t.Reach {
	case vyre.ReachSelf:
		return CellItself
	case vyre.ReachOwn:
		return CellOwn
	case vyre.ReachAny, vyre.ReachPerson:
	}
	return CellYes
}

// CallersPage is docs/reference/callers.md.
func CallersPage(r *Registry) []byte {
	var b strings.Builder
	b.WriteString("# Who may call what\n\n" + generated + `Every tool, and every sort of caller as a door proves it. ` + "`–`" + ` is refused: with
` + "`person_only`, `denied` or `person_session_required`" + `, before the input is looked at. *itself*: with
its own thread as what the call is about. *own*: it sees what is its own. A tool with *touch*
needs a passkey's touch once one is enrolled; one with *decides* needs it where a terminal is
[in doubt](../guide/security.md); one with *admits* lets somebody in, and needs it there too.

On a session's own socket (` + "`VYRE_SOCKET`" + `) the column *thread* holds for what is inside the session,
and everybody else is ` + "`unauthenticated`" + `, the person too. On the port nobody is anybody without
signing in.

| tool | proof |`)
	cols := Columns()
	for _, c := range cols {
		b.WriteString(" " + c.Name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(cols)) + "\n")
	for _, e := range r.Tools() {
		fmt.Fprintf(&b, "| `%s` | %s |", e.Name, proofOf(e.Tool))
		for _, c := range cols {
			b.WriteString(" " + string(CellOf(e.Tool, c.Caller)) + " |")
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func proofOf(t vyre.Tool) string {
	switch {
	case t.Presence:
		return "touch"
	case t.Decides:
		return "decides"
	case t.Admits:
		return "admits"
	}
	return ""
}

// Refused reports whether an error is one that a caller gets for who it is, before its
// input matters.
func Refused(err error) bool {
	e, ok := errors.AsType[*vyre.Error](err)
	if !ok {
		return false
	}
	switch e.Code {
	case vyre.CodePersonOnly, vyre.CodeDenied, vyre.CodeUnauthenticated, vyre.CodePersonSessionRequired:
		return true
	default:
		return false
	}
}
