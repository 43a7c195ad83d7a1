package registry

import (
	"strconv"
	"strings"
)

// path is where in an input something stands: a.b[2].c. It is used as a
// stack by one walk at a time: what field and index return is good until the
// walk comes back up.
type path []step

type step struct {
	name string
	i    int // -1 for a field
}

func (p path) field(name string) path { return append(p, step{name, -1}) }
func (p path) index(i int) path       { return append(p, step{"", i}) }
func (p path) up() path               { return p[:len(p)-1] }

// maxShownName bounds how much of a foreign name is repeated to its sender.
const maxShownName = 64

// String is the path as it is shown; a foreign name is cut.
func (p path) String() string {
	var b strings.Builder
	for _, s := range p {
		if s.i >= 0 {
			b.WriteString("[" + strconv.Itoa(s.i) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		name := s.name
		if len(name) > maxShownName {
			name = strings.ToValidUTF8(name[:maxShownName], "") + "…"
		}
		b.WriteString(name)
	}
	return b.String()
}
