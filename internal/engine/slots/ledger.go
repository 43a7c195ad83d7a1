package slots

import (
	"slices"

	"vyre"
)

// Bound is how many slots of a kind there may be at once; 0 is no bound.
type Bound struct{ Node, Project int }

// Ledger holds the slots. It is not safe for concurrent use.
type Ledger struct {
	bounds map[vyre.SlotKind]Bound
	slots  []vyre.Slot // in the order in which they were asked for
	served map[vyre.SlotKind]string
}

// New returns an empty ledger. A kind without a bound is not bounded.
func New(bounds map[vyre.SlotKind]Bound) *Ledger {
	return &Ledger{bounds: bounds, served: map[vyre.SlotKind]string{}}
}

// Load takes over what an earlier daemon kept, without judging it. What waits is
// put in the order in which it was asked for.
func (l *Ledger) Load(kept []vyre.Slot) {
	l.slots = append(l.slots, kept...)
	slices.SortStableFunc(l.slots, func(a, b vyre.Slot) int { return int(a.Since - b.Since) })
	l.place()
}

// Bounded reports whether a kind has any bound.
func (l *Ledger) Bounded(k vyre.SlotKind) bool { return l.bounds[k] != Bound{} }

// Ask asks for a slot and returns how it stands: held, or waiting at a position.
// With wait false one that would wait is not entered; its position is where it
// would stand. An id that is known already stays as it is. The changes are those
// of every slot that got another state or position, s's included.
func (l *Ledger) Ask(s vyre.Slot, wait bool) (vyre.Slot, []vyre.Slot) {
	if i := l.index(s.ID); i >= 0 {
		return l.slots[i], nil
	}
	s.State, s.Position = vyre.SlotWaiting, 0
	before := l.snapshot()
	served := l.served[s.Kind]
	l.slots = append(l.slots, s)
	l.settle()
	got := l.slots[l.index(s.ID)]
	if got.State == vyre.SlotWaiting && !wait {
		l.slots = slices.DeleteFunc(l.slots, func(x vyre.Slot) bool { return x.ID == s.ID })
		l.served[s.Kind] = served
		l.place()
		return got, nil
	}
	return got, l.changes(before)
}

// Release gives back every slot that match names, held or waiting, and gives the
// room on, also room that a Load found. The changes name the released ones as such.
func (l *Ledger) Release(match func(vyre.Slot) bool) []vyre.Slot {
	before := l.snapshot()
	var gone []vyre.Slot
	l.slots = slices.DeleteFunc(l.slots, func(s vyre.Slot) bool {
		if !match(s) {
			return false
		}
		s.State, s.Position = vyre.SlotReleased, 0
		gone = append(gone, s)
		return true
	})
	l.settle()
	return append(gone, l.changes(before)...)
}

// List returns every slot: the held ones, then the line of each kind in its order.
func (l *Ledger) List() []vyre.Slot {
	out := slices.Clone(l.slots)
	slices.SortStableFunc(out, func(a, b vyre.Slot) int {
		if a.Kind != b.Kind {
			return slices.Index(vyre.SlotKinds, a.Kind) - slices.Index(vyre.SlotKinds, b.Kind)
		}
		return a.Position - b.Position
	})
	return out
}

// Held counts the slots of a kind in use on this node, and the bound.
func (l *Ledger) Held(k vyre.SlotKind) (held, limit int) {
	for _, s := range l.slots {
		if s.Kind == k && s.State == vyre.SlotHeld {
			held++
		}
	}
	return held, l.bounds[k].Node
}

func (l *Ledger) index(id string) int {
	return slices.IndexFunc(l.slots, func(x vyre.Slot) bool { return x.ID == id })
}

func (l *Ledger) snapshot() map[string]vyre.Slot {
	out := make(map[string]vyre.Slot, len(l.slots))
	for _, s := range l.slots {
		out[s.ID] = s
	}
	return out
}

func (l *Ledger) changes(before map[string]vyre.Slot) []vyre.Slot {
	var out []vyre.Slot
	for _, s := range l.slots {
		if old, ok := before[s.ID]; !ok || old.State != s.State || old.Position != s.Position {
			out = append(out, s)
		}
	}
	return out
}
