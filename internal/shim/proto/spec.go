package proto

import (
	"encoding/binary"
	"time"
)

// Defaults of a Spec.
const (
	DefaultSegment   = 8 << 20
	DefaultBound     = 256 << 20
	DefaultOrphan    = 10 * time.Second
	DefaultLeftovers = 30 * time.Second
	DefaultTermGrace = 2 * time.Second
	MaxOneShot       = 64 << 10 // what a pipe holds without a reader
	MaxOneShots      = 16
)

// Spec is all that the parent of a session is told. It goes once, over the
// inherited socketpair, from a daemon of the same build; it is never on disk,
// in an argument or in an environment, as it holds the session's secrets.
type Spec struct {
	Token  []byte
	Socket string // path to listen on
	Dir    string // the session's private folder, which exists

	Path    string   // the agent's program
	Args    []string // with argv[0]
	Env     []string
	CWD     string
	OneShot [][]byte

	Segment uint64 // bytes of a spool segment
	Bound   uint64 // bytes of output that may wait to be committed

	Orphan    time.Duration // unlet and without a controller: ends
	Leftovers time.Duration // agent gone, no controller: ends what is left
	TermGrace time.Duration // between TERM and KILL of what is left

	Confine []byte // how the agent is shut in (package confine); empty: not at all
}

// Append appends the body.
func (s Spec) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, Version)
	b = appendBytes(b, s.Token)
	b = appendBytes(b, s.Socket)
	b = appendBytes(b, s.Dir)
	b = appendBytes(b, s.Path)
	b = appendList(b, s.Args)
	b = appendList(b, s.Env)
	b = appendBytes(b, s.CWD)
	b = appendList(b, s.OneShot)
	b = binary.BigEndian.AppendUint64(b, s.Segment)
	b = binary.BigEndian.AppendUint64(b, s.Bound)
	for _, d := range []time.Duration{s.Orphan, s.Leftovers, s.TermGrace} {
		b = binary.BigEndian.AppendUint32(b, uint32(d.Milliseconds()))
	}
	return appendBytes(b, s.Confine)
}

// ParseSpec reads a body; Token, OneShot and Confine point into it.
func ParseSpec(b []byte) (Spec, error) {
	f := fields{b: b}
	if f.u16() != Version {
		return Spec{}, ErrMalformed
	}
	s := Spec{
		Token: f.bytes(), Socket: f.str(), Dir: f.str(),
		Path: f.str(), Args: stringsOf(f.list()), Env: stringsOf(f.list()), CWD: f.str(), OneShot: f.list(),
		Segment: f.u64(), Bound: f.u64(),
		Orphan: f.ms(), Leftovers: f.ms(), TermGrace: f.ms(), Confine: f.bytes(),
	}
	if f.bad || len(s.Token) == 0 || s.Segment == 0 || s.Bound == 0 {
		return Spec{}, ErrMalformed
	}
	return s, nil
}

func (f *fields) ms() time.Duration { return time.Duration(f.u32()) * time.Millisecond }

func stringsOf(l [][]byte) []string {
	s := make([]string, len(l))
	for i, v := range l {
		s[i] = string(v)
	}
	return s
}
