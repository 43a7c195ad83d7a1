package slots

import (
	"slices"

	"vyre"
)

// settle gives what there is room for, in order, and numbers the rest of the line.
func (l *Ledger) settle() {
	for _, k := range vyre.SlotKinds {
		for i := l.next(k); i >= 0; i = l.next(k) {
			l.slots[i].State = vyre.SlotHeld
			l.served[k] = l.slots[i].Project
		}
	}
	l.place()
}

// next is the slot of a kind that may be held now, or -1.
func (l *Ledger) next(k vyre.SlotKind) int {
	held, limit := l.Held(k)
	if limit > 0 && held >= limit {
		return -1
	}
	for _, p := range l.turns(k, l.served[k]) {
		if most := l.bounds[k].Project; most > 0 && l.heldIn(k, p) >= most {
			continue
		}
		return l.oldest(k, p, nil)
	}
	return -1
}

// turns lists the projects that wait for a kind: the one whose turn it is after the
// last that was served comes first. Their order is that of their names, which is
// the same for everybody and does not move when one of them asks again.
func (l *Ledger) turns(k vyre.SlotKind, served string) []string {
	var out []string
	for _, s := range l.slots {
		if s.Kind == k && s.State == vyre.SlotWaiting && !slices.Contains(out, s.Project) {
			out = append(out, s.Project)
		}
	}
	slices.Sort(out)
	i, found := slices.BinarySearch(out, served)
	if found {
		i++
	}
	return slices.Concat(out[i:], out[:i])
}

func (l *Ledger) oldest(k vyre.SlotKind, project string, but map[string]bool) int {
	return slices.IndexFunc(l.slots, func(s vyre.Slot) bool {
		return s.Kind == k && s.State == vyre.SlotWaiting && s.Project == project && !but[s.ID]
	})
}

func (l *Ledger) heldIn(k vyre.SlotKind, project string) (n int) {
	for _, s := range l.slots {
		if s.Kind == k && s.State == vyre.SlotHeld && s.Project == project {
			n++
		}
	}
	return n
}

// place numbers the line: a slot's position is when its turn comes if places become
// free one by one and no project is at its own bound.
func (l *Ledger) place() {
	for i := range l.slots {
		l.slots[i].Position = 0
	}
	for _, k := range vyre.SlotKinds {
		placed, n := map[string]bool{}, 0
		for projects := l.turns(k, l.served[k]); len(projects) > 0; {
			projects = slices.DeleteFunc(projects, func(p string) bool {
				i := l.oldest(k, p, placed)
				if i < 0 {
					return true
				}
				n++
				l.slots[i].Position = n
				placed[l.slots[i].ID] = true
				return false
			})
		}
	}
}
