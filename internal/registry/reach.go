package registry

import (
	"slices"

	"vyre"
)

// reach is who may call what: the whole rule, as data. A kind that is not named
// is refused. ReachSelf is narrowed further for threads by authoriseSelf.
var reach = map[vyre.Reach][]vyre.CallerKind{
	vyre.ReachPerson: {vyre.CallerPerson},
	vyre.ReachSelf:   {vyre.CallerPerson, vyre.CallerThread},
	vyre.ReachOwn:    {vyre.CallerPerson, vyre.CallerThread},
	vyre.ReachAny: {
		vyre.CallerPerson, vyre.CallerThread, vyre.CallerAgent, vyre.CallerMCP,
		vyre.CallerOutside, vyre.CallerModule, vyre.CallerLink, vyre.CallerHook,
	},
}

// callersOf lists the kinds that a reach lets in.
func callersOf(r vyre.Reach) []vyre.CallerKind { return slices.Clone(reach[r]) }

// authorise says whether a caller's kind may use the tool at all. It looks at
// the caller and the declaration, never at the input.
func authorise(t vyre.Tool, c vyre.Caller) error {
	if !slices.Contains(vyre.CallerKinds, c.Kind) || c.ID == "" {
		return vyre.Errorf(vyre.CodeUnauthenticated, "%s: the door could not tell who calls", t.Name)
	}
	if !slices.Contains(reach[t.Reach], c.Kind) {
		if t.Reach == vyre.ReachPerson {
			return personOnly(t.Name, c)
		}
		return vyre.Errorf(vyre.CodeDenied, "%s: %s may not use this tool", t.Name, c).WithDetail("caller", c.String())
	}
	if t.Decides && c.Level == "L0" && c.Surface != "web" {
		return vyre.Errorf(vyre.CodePersonSessionRequired, "%s: this machine can't tell a person at a terminal from an agent", t.Name).
			WithHint("Do it on the page: `vyre open` gives its address.")
	}
	return nil
}

// personOnly refuses and says who the caller was taken for, so that a person
// who is refused can see why.
func personOnly(name string, c vyre.Caller) error {
	return vyre.Errorf(vyre.CodePersonOnly, "%s: only a person may do this, and this call comes from %s", name, c).
		WithDetail("caller", c.String())
}

// authoriseSelf holds a thread to itself: what the input names must be the
// thread that calls. The answer doesn't depend on whether the other exists.
func authoriseSelf(t vyre.Tool, c vyre.Caller, in any) error {
	if t.Reach != vyre.ReachSelf || c.Kind != vyre.CallerThread {
		return nil
	}
	ref, ok := in.(ThreadReferrer)
	if !ok || ref.ThreadRef() != vyre.ThreadID(c.ID) {
		return vyre.Errorf(vyre.CodeDenied, "%s: a thread may use this on itself only", t.Name).
			WithHint("Name your own thread, or ask the person.").
			WithDetail("caller", c.String())
	}
	return nil
}
