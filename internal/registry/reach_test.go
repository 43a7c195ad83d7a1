package registry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vyre"
)

// Every reach admits exactly the kinds written here, and refuses each other kind
// before the input is looked at and without running anything.
func TestReachTable(t *testing.T) {
	may := map[vyre.Reach]map[vyre.CallerKind]bool{
		vyre.ReachPerson: {vyre.CallerPerson: true},
		vyre.ReachSelf:   {vyre.CallerPerson: true, vyre.CallerThread: true},
		vyre.ReachOwn:    {vyre.CallerPerson: true, vyre.CallerThread: true},
		vyre.ReachAny: {
			vyre.CallerPerson: true, vyre.CallerThread: true, vyre.CallerAgent: true, vyre.CallerMCP: true,
			vyre.CallerOutside: true, vyre.CallerModule: true, vyre.CallerLink: true, vyre.CallerHook: true,
		},
	}
	for reach, kinds := range may {
		ran, r := 0, New()
		define[sample](r, "x.y", reach, &ran)
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		for _, kind := range vyre.CallerKinds {
			ran = 0
			c := vyre.Caller{Kind: kind, ID: "t1"}
			_, err := r.Call(t.Context(), c, "x.y", json.RawMessage(`{"thread":"t1","text":"a"}`))
			if ok := err == nil && ran == 1; ok != kinds[kind] {
				t.Errorf("%s calls a tool of reach %s: err %v, ran %d, want allowed %v", kind, reach, err, ran, kinds[kind])
			}
			if kinds[kind] {
				continue
			}
			want := vyre.CodeDenied
			if reach == vyre.ReachPerson {
				want = vyre.CodePersonOnly
			}
			_, err = r.Call(t.Context(), c, "x.y", json.RawMessage(`not json`))
			e := code(t, err, want)
			if !strings.Contains(e.Message, c.String()) || e.Details["caller"] != c.String() {
				t.Errorf("the refusal does not say who the caller was taken for: %+v", e)
			}
		}
		e, _ := r.Tool("x.y")
		for _, kind := range vyre.CallerKinds {
			if slices.Contains(e.Callers, kind) != kinds[kind] {
				t.Errorf("%s: the listed callers differ from the rule for %s", reach, kind)
			}
		}
	}
}

// Where a person can't be told from an agent, an act that rests on it is the
// page's alone.
func TestDecidesAtL0(t *testing.T) {
	r := New()
	Define(r, vyre.Tool{Name: "x.y", Summary: "S.", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true},
		func(context.Context, vyre.Caller, struct{}) (struct{}, error) { return struct{}{}, nil })
	for _, c := range []struct {
		surface, level string
		want           vyre.Code
	}{{"cli", "L0", vyre.CodePersonSessionRequired}, {"web", "L0", ""}, {"cli", "L1", ""}, {"cli", "L2", ""}} {
		by := vyre.Person(vyre.Owner, c.surface)
		by.Level = c.level
		if _, err := r.Call(t.Context(), by, "x.y", nil); vyre.CodeOf(err) != c.want {
			t.Errorf("%s at %s: %v", c.surface, c.level, err)
		}
	}
}

// A thread may use a tool of reach self on itself and on nothing else, whether
// the other exists or not; a person on anything.
func TestReachSelfHoldsAThreadToItself(t *testing.T) {
	ran, r := 0, New()
	define[sample](r, "x.y", vyre.ReachSelf, &ran)
	self := vyre.Caller{Kind: vyre.CallerThread, ID: "t1"}
	for input, want := range map[string]vyre.Code{
		`{"thread":"t1","text":"a"}`: "",
		`{"thread":"t2","text":"a"}`: vyre.CodeDenied,
		`{"thread":"T1","text":"a"}`: vyre.CodeInvalid,
	} {
		_, err := r.Call(t.Context(), self, "x.y", json.RawMessage(input))
		if vyre.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %q", input, err, want)
		}
	}
	if _, err := r.Call(t.Context(), vyre.Person(vyre.Owner, "cli"), "x.y", json.RawMessage(`{"thread":"t2","text":"a"}`)); err != nil {
		t.Error(err)
	}
	if ran != 2 {
		t.Errorf("ran %d times, want 2", ran)
	}
}

// A caller that a door did not prove, or of a kind that doesn't exist, reaches nothing.
func TestUnknownCallersReachNothing(t *testing.T) {
	ran, r := 0, New()
	define[none](r, "x.y", vyre.ReachAny, &ran)
	for _, c := range []vyre.Caller{{}, {Kind: "root", ID: "x"}, {Kind: vyre.CallerPerson}, {ID: "owner"}} {
		_, err := r.Call(t.Context(), c, "x.y", nil)
		code(t, err, vyre.CodeUnauthenticated)
	}
	if ran != 0 {
		t.Error("it ran")
	}
}
