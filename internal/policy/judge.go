package policy

import (
	"cmp"

	"vyre"
	"vyre/internal/policy/shell"
)

// Judge says what the rules make of a call, in this order: the floor (what
// nobody may, and what is always asked), the gate, grants, the read-only class,
// and else a person. The strictest part decides for the whole.
//
// It never fails and never guesses: what it can't read is asked. A write is
// never allowed by what its text says.
func Judge(c Call, f Facts) Verdict {
	b := &bench{call: c, facts: f, atlas: newAtlas(f), real: map[string]string{}}
	for _, a := range c.Acts {
		b.act(a)
	}
	if len(c.Acts) == 0 {
		b.add(Part{Kind: vyre.ActOther, Text: c.Tool, CWD: c.CWD, Verdict: ask, By: ByPerson, Why: "nobody here knows what this tool does"})
	}
	v := sum(b.parts)
	if v.Verdict == deny {
		return v
	}
	if why, out := f.outward(c); out {
		return Verdict{Verdict: deny, By: ByGate, Why: why, Parts: b.parts}
	}
	b.grants()
	return sum(b.parts)
}

func (f Facts) outward(c Call) (string, bool) {
	if f.Outward == nil {
		return "", false
	}
	return f.Outward(c)
}

// act adds the parts of one act.
func (b *bench) act(a vyre.Act) {
	if a.CWD == "" {
		a.CWD = b.call.CWD
	}
	p := Part{Kind: a.Kind, CWD: a.CWD, Verdict: ask, By: ByPerson}
	switch a.Kind {
	case vyre.ActCommand:
		b.line(a)
	case vyre.ActWrite, vyre.ActRead:
		for _, path := range a.Paths {
			b.file(p, a, path)
		}
		if len(a.Paths) == 0 {
			p.Text, p.Why = b.call.Tool, "it does not say which file"
			b.add(p)
		}
	case vyre.ActInert:
		p.Text, p.Verdict, p.By, p.Why = b.call.Tool, vyre.VerdictAllow, ByReadonly, "it changes nothing but the agent's own notes"
		b.add(p)
	case vyre.ActFetch, vyre.ActSend:
		p.Text, p.Why, p.Plain = cmp.Or(a.URL, b.call.Tool), "it goes over the network", true
		b.add(p)
	case vyre.ActAgent:
		p.Text, p.Why, p.Plain = b.call.Tool, "it begins another agent", true
		b.add(p)
	default:
		p.Text, p.Why, p.Plain = b.call.Tool, "nobody here knows what this tool does", true
		b.add(p)
	}
}

// file judges a file that a tool reads or writes.
func (b *bench) file(p Part, a vyre.Act, path string) {
	p.Text = path
	dirs := shell.Dirs{List: []string{a.CWD}, Known: a.CWD != ""}
	rule := writeRule
	if a.Kind == vyre.ActRead {
		rule = readRule
	}
	if path == "" || len(path) > 8192 {
		p.Why = "its path can't be one"
		b.add(p)
		return
	}
	v, why, at := b.floor(path, dirs, false, rule)
	p.Path = at
	_, known := b.follow(at)
	switch {
	case v != "":
		p.Verdict, p.By, p.Why = v, ByFloor, Visible(path)+" "+why
	case a.Kind == vyre.ActWrite:
		p.Why, p.Plain = "it writes a file", plainText(path) && known
	case b.over(at, dirs) != "":
		p.Why = b.over(at, dirs)
	case !known:
		p.Why = "where this path leads is not known"
	case !plainText(path):
		p.Why = "its path holds characters that are not plain text"
	default:
		p.Verdict, p.By, p.Why = vyre.VerdictAllow, ByReadonly, "it only reads"
	}
	b.add(p)
}

// grants asks for each part that waits for a person whether one said yes before.
func (b *bench) grants() {
	if b.facts.Granted == nil || b.doubt {
		return
	}
	for i, p := range b.parts {
		if p.Verdict != ask || p.By != ByPerson || !p.Plain {
			continue
		}
		if id, ok := b.facts.Granted(b.call, p); ok {
			b.parts[i].Verdict, b.parts[i].By, b.parts[i].Grant = vyre.VerdictAllow, ByGrant, id
			b.parts[i].Why = "a grant covers it"
		}
	}
}

// sum is the strictest part, and of equal ones the first whose rule is asked first.
func sum(parts []Part) Verdict {
	if len(parts) == 0 {
		return Verdict{Verdict: ask, By: ByPerson, Why: "it says nothing that could be judged", Parts: []Part{}}
	}
	v := Verdict{Verdict: vyre.VerdictAllow, By: ByReadonly, Parts: parts}
	first := true
	for _, p := range parts {
		worse := stricter(p.Verdict, v.Verdict)
		earlier := p.Verdict == v.Verdict && (first || rank(p.By) < rank(v.By))
		if worse || earlier {
			v.Verdict, v.By, v.Why, v.Grant = p.Verdict, p.By, p.Why, p.Grant
		}
		first = false
	}
	return v
}

func rank(b By) int {
	for i, x := range []By{ByFloor, ByGate, ByGrant, ByReadonly, ByPerson} {
		if x == b {
			return i
		}
	}
	return 9
}
