package confine

import (
	"encoding/binary"
	"errors"
)

// errMalformed is returned for bytes that are no plan.
var errMalformed = errors.New("malformed plan")

// order is all that a stage is told.
type order struct {
	plan     Plan
	cmd      Command
	userns   bool
	uid, gid uint32
}

// Append appends the plan's bytes.
func (p Plan) Append(b []byte) []byte {
	b = append(b, byte(p.Parts), flag(p.Fallback)|flag(p.Debug)<<1)
	for _, l := range p.lists() {
		b = appendList(b, *l)
	}
	return b
}

// ParsePlan reads what Append made. It is safe on any bytes; none are the zero plan.
func ParsePlan(b []byte) (Plan, error) {
	if len(b) == 0 {
		return Plan{}, nil
	}
	r := reader{b: b}
	p := r.plan()
	return p, r.end()
}

func (p *Plan) lists() []*[]string {
	return []*[]string{&p.ReadOnly, &p.Writable, &p.Cover, &p.Back, &p.Side, &p.Copies}
}

func (o order) append(b []byte) []byte {
	b = append(b, flag(o.userns))
	b = binary.BigEndian.AppendUint32(b, o.uid)
	b = binary.BigEndian.AppendUint32(b, o.gid)
	b = appendList(b, []string{o.cmd.Path, o.cmd.Dir})
	b = appendList(b, o.cmd.Args)
	b = appendList(b, o.cmd.Env)
	return o.plan.Append(b)
}

func parseOrder(b []byte) (order, error) {
	r := reader{b: b}
	o := order{userns: r.u8() == 1, uid: r.u32(), gid: r.u32()}
	where := r.list()
	if len(where) != 2 {
		return o, errMalformed
	}
	o.cmd = Command{Path: where[0], Dir: where[1], Args: r.list(), Env: r.list()}
	o.plan = r.plan()
	return o, r.end()
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}

func appendList(b []byte, l []string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(l)))
	for _, s := range l {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n uint32) []byte {
	if r.bad || uint64(n) > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) u8() byte {
	if v := r.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	if v := r.take(4); v != nil {
		return binary.BigEndian.Uint32(v)
	}
	return 0
}

func (r *reader) list() []string {
	n := r.u32()
	if uint64(n)*4 > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	var l []string
	for range n {
		l = append(l, string(r.take(r.u32())))
	}
	return l
}

func (r *reader) plan() Plan {
	p := Plan{Parts: Parts(r.u8())}
	flags := r.u8()
	p.Fallback, p.Debug = flags&1 != 0, flags&2 != 0
	for _, l := range p.lists() {
		*l = r.list()
	}
	return p
}

func (r *reader) end() error {
	if r.bad {
		return errMalformed
	}
	return nil
}
