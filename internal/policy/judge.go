package policy

import (
	"vyre"
)

// Judge says what the rules make of a call, in this order: the floor (what
// nobody may, and what is always asked), the gate, grants, the read-only class,
// and else a person. The strictest part decides for the whole.
//
// It never fails and never guesses: what it can't read is asked. A write is
// never allowed by what its text says.
func Judge(c Call, f Facts) Verdict {
	if why, out := f.outward(c); out {
		return Verdict{Verdict: vyre.VerdictDeny, By: ByGate, Why: why, Parts: []Part{}}
	}
	return Verdict{Verdict: vyre.VerdictAsk, By: ByPerson, Why: "nobody but a person lets it pass", Parts: []Part{}}
}

func (f Facts) outward(c Call) (string, bool) {
	if f.Outward == nil {
		return "", false
	}
	return f.Outward(c)
}
