package slots_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vyre"
	"vyre/internal/engine/slots"
)

func ask(id, project string) vyre.Slot {
	return vyre.Slot{ID: id, Kind: vyre.SlotSubagent, Project: project, Thread: vyre.ThreadID("t" + id)}
}

func is(id string) func(vyre.Slot) bool { return func(s vyre.Slot) bool { return s.ID == id } }

// Projects take turns, the oldest of each first, and each change of position is told.
func TestLine(t *testing.T) {
	l := slots.New(map[vyre.SlotKind]slots.Bound{vyre.SlotSubagent: {Node: 1}})
	for _, x := range []string{"a1", "a2", "a3", "b1"} {
		l.Ask(ask(x, x[:1]), true)
	}
	var order []string
	for range 4 {
		held := l.List()[0]
		if held.State != vyre.SlotHeld {
			t.Fatalf("nobody holds the place: %+v", l.List())
		}
		order = append(order, held.ID)
		changes := l.Release(is(held.ID))
		if changes[0].State != vyre.SlotReleased || changes[0].ID != held.ID {
			t.Errorf("the release is not told: %+v", changes)
		}
		for _, s := range l.List() { // all that is left moved up or got the place
			if !slices.ContainsFunc(changes, func(c vyre.Slot) bool { return c == s }) {
				t.Errorf("%+v is not told in %+v", s, changes)
			}
		}
	}
	if want := []string{"a1", "b1", "a2", "a3"}; !slices.Equal(order, want) {
		t.Errorf("%v, not %v", order, want)
	}
}

// Who can't wait is told where it would stand, and leaves no trace in the line.
func TestNoWait(t *testing.T) {
	l := slots.New(map[vyre.SlotKind]slots.Bound{vyre.SlotSubagent: {Node: 1}})
	l.Ask(ask("a", "p"), true)
	l.Ask(ask("b", "p"), true)
	before := l.List()
	got, changes := l.Ask(ask("c", "q"), false)
	if got.State != vyre.SlotWaiting || got.Position != 2 && got.Position != 1 || len(changes) != 0 {
		t.Errorf("%+v, %+v", got, changes)
	}
	if !slices.Equal(before, l.List()) {
		t.Errorf("the line changed: %+v", l.List())
	}
}

// Room that a Load finds, as a bound was raised, is given by the next release, even
// one of nothing.
func TestLoadWithHigherBounds(t *testing.T) {
	held, waits := ask("a", "p"), ask("b", "p")
	held.State, waits.State, waits.Position = vyre.SlotHeld, vyre.SlotWaiting, 1
	l := slots.New(map[vyre.SlotKind]slots.Bound{vyre.SlotSubagent: {Node: 2}})
	l.Load([]vyre.Slot{held, waits})
	changes := l.Release(is("nobody's"))
	if len(changes) != 1 || changes[0].ID != "b" || changes[0].State != vyre.SlotHeld {
		t.Errorf("%+v", changes)
	}
}

// However slots are asked for and given back: no bound is passed, room that could be
// given is given, positions are 1, 2, 3 …, within a project nobody passes an older
// one, and once everything is released nothing is left.
func TestLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds := map[vyre.SlotKind]slots.Bound{}
		for _, k := range vyre.SlotKinds {
			bounds[k] = slots.Bound{Node: rapid.IntRange(0, 3).Draw(t, "node"), Project: rapid.IntRange(0, 2).Draw(t, "project")}
		}
		l := slots.New(bounds)
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			before := l.List()
			if len(before) > 0 && rapid.Bool().Draw(t, "release") {
				s := rapid.SampledFrom(before).Draw(t, "which")
				l.Release(is(s.ID))
			} else {
				s := ask(fmt.Sprintf("s%03d", n), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "in"))
				s.Kind = rapid.SampledFrom(vyre.SlotKinds).Draw(t, "kind")
				l.Ask(s, rapid.Bool().Draw(t, "wait"))
			}
			for _, k := range vyre.SlotKinds {
				check(t, l.List(), k, bounds[k])
			}
		}
		l.Release(func(vyre.Slot) bool { return true })
		if len(l.List()) != 0 {
			t.Fatalf("%+v", l.List())
		}
	})
}

func check(t *rapid.T, all []vyre.Slot, k vyre.SlotKind, b slots.Bound) {
	held, in, position, waiting := 0, map[string]int{}, 0, map[string]string{}
	for _, s := range all {
		if s.Kind != k {
			continue
		}
		if s.State == vyre.SlotHeld {
			held++
			in[s.Project]++
			if s.Position != 0 {
				t.Fatalf("%+v is held and stands in the line", s)
			}
			continue
		}
		if position++; s.Position != position {
			t.Fatalf("%+v is not at %d", s, position)
		}
		if waiting[s.Project] > s.ID {
			t.Fatalf("%s passes %s", waiting[s.Project], s.ID)
		}
		waiting[s.Project] = s.ID
	}
	if b.Node > 0 && held > b.Node {
		t.Fatalf("%d of %d", held, b.Node)
	}
	for p, n := range in {
		if b.Project > 0 && n > b.Project {
			t.Fatalf("%d of %d in %s", n, b.Project, p)
		}
	}
	for p := range waiting {
		if (b.Node == 0 || held < b.Node) && (b.Project == 0 || in[p] < b.Project) {
			t.Fatalf("%s waits although there is room", p)
		}
	}
}

// Nobody starves: however others of all projects keep asking, a slot that waits is
// held after as many releases as its position said, or as there are projects before it.
func TestNobodyStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := slots.New(map[vyre.SlotKind]slots.Bound{vyre.SlotSubagent: {Node: 1}})
		for n := range rapid.IntRange(1, 8).Draw(t, "before") {
			l.Ask(ask(fmt.Sprintf("b%d", n), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "in")), true)
		}
		mine, _ := l.Ask(ask("mine", "b"), true)
		for n := 0; mine.State == vyre.SlotWaiting; n++ {
			if n > 3*9 {
				t.Fatalf("still at %d", mine.Position)
			}
			l.Ask(ask(fmt.Sprintf("x%d", n), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "more")), true)
			l.Release(is(l.List()[0].ID))
			mine, _ = l.Ask(ask("mine", "b"), true)
		}
	})
}
