package redact

import "slices"

// Redactor replaces the values that it was made with.
type Redactor struct {
	names []string
	auto  *automaton // nil where there is nothing to look for
}

// New returns a Redactor of these secrets. Those that Covers refuses are left out.
func New(secrets []Secret) *Redactor {
	r := &Redactor{}
	a := newAutomaton()
	for _, s := range secrets {
		r.names = append(r.names, s.Name)
		for _, f := range forms(s.Value) {
			a.add(f, int32(len(r.names)-1))
			clear(f)
		}
	}
	if len(a.nodes) > 1 {
		a.link()
		r.auto = a
	}
	return r
}

// Bytes returns b with every secret replaced: b itself where there is none.
func (r *Redactor) Bytes(b []byte) []byte {
	if r.auto == nil || len(b) < MinLength {
		return b
	}
	found := r.find(b)
	if len(found) == 0 {
		return b
	}
	return r.replace(b, 0, found)
}

// String is Bytes for a string.
func (r *Redactor) String(s string) string {
	if r.auto == nil || len(s) < MinLength {
		return s
	}
	found := r.find([]byte(s))
	if len(found) == 0 {
		return s
	}
	return string(r.replace([]byte(s), 0, found))
}

// Has reports whether b holds a secret.
func (r *Redactor) Has(b []byte) bool {
	return r.auto != nil && len(b) >= MinLength && len(r.find(b)) > 0
}

func (r *Redactor) find(b []byte) []hit {
	s := newScan(r)
	s.write(b)
	s.end()
	return s.hits
}

// replace returns the text that begins at base with the hits in it replaced. Hits
// are in order and don't overlap.
func (r *Redactor) replace(b []byte, base int, hits []hit) []byte {
	out := make([]byte, 0, len(b))
	at := base
	for _, h := range hits {
		out = append(out, b[at-base:h.from-base]...)
		out = append(out, Mark(r.names[h.item])...)
		at = h.to
	}
	return append(out, b[at-base:]...)
}

// Begins is how every mark begins.
const Begins = "[redacted:"

// Mark is what stands in a secret's place.
func Mark(name string) string { return Begins + name + "]" }

// hit is a secret in the text.
type hit struct {
	span
	item int32
}

// scan looks through a text that comes in pieces.
type scan struct {
	r    *Redactor
	norm normal
	read int // bytes of the text that were taken
	at   int32
	// marks are the places of the last bytes of the normal form, at least as many
	// as the automaton is deep.
	marks []span
	hits  []hit // found, in order, not overlapping
}

func newScan(r *Redactor) *scan {
	s := &scan{r: r}
	s.norm.emit = s.take
	return s
}

func (s *scan) write(p []byte) {
	for _, b := range p {
		s.norm.byte(b, s.read, s.read+1)
		s.read++
	}
}

func (s *scan) end() { s.norm.end() }

// take takes a byte of the normal form.
func (s *scan) take(b byte, from, to int) {
	a := s.r.auto
	s.at = a.next(s.at, b)
	n := &a.nodes[s.at]
	if s.at == 0 {
		s.marks = s.marks[:0]
		return
	}
	s.marks = append(s.marks, span{from, to})
	if n.match != 0 {
		m := &a.nodes[n.match]
		s.hit(hit{span{s.marks[len(s.marks)-int(m.depth)].from, to}, m.item - 1})
	}
	// What lies before the deepest partial match is never asked for again. It is
	// thrown away when it is as much as what is kept.
	if d := int(n.depth); len(s.marks) > 2*d+64 {
		s.marks = append(s.marks[:0], s.marks[len(s.marks)-d:]...)
	}
}

// hit adds a find; finds that overlap become one under the first one's name.
func (s *scan) hit(h hit) {
	for len(s.hits) > 0 {
		last := s.hits[len(s.hits)-1]
		if h.from >= last.to {
			break
		}
		if last.from <= h.from || last.to-last.from >= h.to-h.from {
			h.item = last.item
		}
		h.from, h.to = min(h.from, last.from), max(h.to, last.to)
		s.hits = s.hits[:len(s.hits)-1]
	}
	s.hits = append(s.hits, h)
}

// settled returns up to where the text is decided.
func (s *scan) settled() int {
	at := s.norm.waits(s.read)
	if d := int(s.r.auto.nodes[s.at].depth); d > 0 {
		at = min(at, s.marks[len(s.marks)-d].from)
	}
	return at
}

// drop forgets hits before a place.
func (s *scan) drop(to int) {
	i, _ := slices.BinarySearchFunc(s.hits, to, func(h hit, to int) int {
		if h.to <= to {
			return -1
		}
		return 1
	})
	s.hits = s.hits[:copy(s.hits, s.hits[i:])]
}
