package proto

import "encoding/binary"

// Hello opens a connection to the control socket.
type Hello struct {
	Min, Max uint16 // the versions the controller speaks
	Token    []byte
}

// Append appends the body.
func (h Hello) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, h.Min)
	b = binary.BigEndian.AppendUint16(b, h.Max)
	return appendBytes(b, h.Token)
}

// ParseHello reads a body; Token points into it.
func ParseHello(b []byte) (Hello, error) {
	f := fields{b: b}
	h := Hello{Min: f.u16(), Max: f.u16(), Token: f.bytes()}
	return h, f.err()
}

// Identity says which process answers; with its status it is the body of the
// answer to Spec and to Hello.
type Identity struct {
	Version   uint16
	PID       uint32
	PGID      uint32
	SID       uint32
	StartTime uint64 // as in vyre.Session
	BootID    string
}

// Append appends the body's first part.
func (i Identity) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, i.Version)
	b = binary.BigEndian.AppendUint32(b, i.PID)
	b = binary.BigEndian.AppendUint32(b, i.PGID)
	b = binary.BigEndian.AppendUint32(b, i.SID)
	b = binary.BigEndian.AppendUint64(b, i.StartTime)
	return appendBytes(b, i.BootID)
}

// ParseWelcome reads the answer to Spec and Hello.
func ParseWelcome(b []byte) (Identity, Status, error) {
	f := fields{b: b}
	i := Identity{Version: f.u16(), PID: f.u32(), PGID: f.u32(), SID: f.u32(), StartTime: f.u64(), BootID: f.str()}
	s := f.status()
	return i, s, f.err()
}

// Phase is how far the agent is.
type Phase uint8

// The phases, in order.
const (
	PhasePrepared Phase = 1 // the agent was not let go
	PhaseRunning  Phase = 2
	PhaseExited   Phase = 3 // the agent's exit is on disk
)

// Flags of a Status.
const (
	FlagDrained  uint8 = 1 << 0 // the agent is gone and all it wrote is in the spool
	FlagBound    uint8 = 1 << 1 // not reading: as much as the bound waits to be committed
	FlagDisk     uint8 = 1 << 2 // not reading: the disk takes no more
	FlagStdinEnd uint8 = 1 << 3 // the agent's input was ended
	FlagLeft     uint8 = 1 << 4 // the agent is gone, descendants of it are not
)

// Status is all that changes in the parent of a session.
type Status struct {
	Phase    Phase
	Flags    uint8
	AgentPID uint32
	Last     uint64 // number of the last frame wholly written
	End      uint64 // spool offset after the last byte written
	Released uint64
	Code     int32  // of the exited agent; -1 for a signal
	Signal   uint32 // that ended the agent, or 0
}

// Has reports whether all given flags are set.
func (s Status) Has(flags uint8) bool { return s.Flags&flags == flags }

// Append appends the body.
func (s Status) Append(b []byte) []byte {
	b = append(b, byte(s.Phase), s.Flags)
	b = binary.BigEndian.AppendUint32(b, s.AgentPID)
	b = binary.BigEndian.AppendUint64(b, s.Last)
	b = binary.BigEndian.AppendUint64(b, s.End)
	b = binary.BigEndian.AppendUint64(b, s.Released)
	b = binary.BigEndian.AppendUint32(b, uint32(s.Code))
	return binary.BigEndian.AppendUint32(b, s.Signal)
}

// ParseStatus reads a body.
func ParseStatus(b []byte) (Status, error) {
	f := fields{b: b}
	s := f.status()
	return s, f.err()
}

func (f *fields) status() Status {
	return Status{
		Phase: Phase(f.u8()), Flags: f.u8(), AgentPID: f.u32(),
		Last: f.u64(), End: f.u64(), Released: f.u64(),
		Code: int32(f.u32()), Signal: f.u32(),
	}
}

// AppendFrameHeader appends a frame's header and number; its n bytes follow.
func AppendFrameHeader(b []byte, id uint32, number uint64, n int) []byte {
	b = AppendHeader(b, TypeFrame, id, frameFixed+n)
	return binary.BigEndian.AppendUint64(b, number)
}

// Scope says whom a signal is for.
type Scope uint8

// The scopes.
const (
	ScopeAgent Scope = 0
	ScopeTree  Scope = 1 // the agent and every descendant; with KILL, again and again until none is left
)

// Signal is the body of TypeSignal.
type Signal struct {
	Scope  Scope
	Number uint32
}

// Append appends the body.
func (s Signal) Append(b []byte) []byte {
	return binary.BigEndian.AppendUint32(append(b, byte(s.Scope)), s.Number)
}

// ParseSignal reads a body.
func ParseSignal(b []byte) (Signal, error) {
	f := fields{b: b}
	s := Signal{Scope: Scope(f.u8()), Number: f.u32()}
	return s, f.err()
}

// AppendOffset appends the body of TypeCommitted and TypeRelease.
func AppendOffset(b []byte, offset uint64) []byte { return binary.BigEndian.AppendUint64(b, offset) }

// ParseU64 reads a body of one number: an offset, a frame's number.
func ParseU64(b []byte) (uint64, error) {
	f := fields{b: b}
	n := f.u64()
	return n, f.err()
}

// Running is the answer to Go.
type Running struct {
	PID  uint32   // of the agent
	Held []string // parts of its confinement, by name
	Open []string // places that could not be closed, for people
}

// Append appends the body.
func (r Running) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, r.PID)
	b = appendList(b, r.Held)
	return appendList(b, r.Open)
}

// ParseRunning reads a body. In version 1 it ended after the pid.
func ParseRunning(b []byte) (Running, error) {
	f := fields{b: b}
	r := Running{PID: f.u32()}
	if len(f.b) > 0 {
		r.Held, r.Open = stringsOf(f.list()), stringsOf(f.list())
	}
	return r, f.err()
}

// Code says why something was refused.
type Code uint16

// The codes.
const (
	CodeMalformed Code = 1 // the connection is closed
	CodeDenied    Code = 2 // wrong token, wrong peer; the connection is closed
	CodeVersion   Code = 3 // no common version; the connection is closed
	CodeOrder     Code = 4 // a frame number that is not the next one, a message in the wrong phase
	CodeGone      Code = 5 // the agent's input is closed
	CodeExec      Code = 6 // the agent can't be started; the parent ends
	CodeUnknown   Code = 7 // no such message
	CodeSetup     Code = 8 // the parent itself can't start; it ends
	CodeBusy      Code = 9 // not now: no room for one more peer, no memory for a frame
)

// Refusal is the body of TypeErr.
type Refusal struct {
	Code Code
	Text string
}

// Append appends the body.
func (r Refusal) Append(b []byte) []byte {
	return appendBytes(binary.BigEndian.AppendUint16(b, uint16(r.Code)), r.Text)
}

// ParseRefusal reads a body.
func ParseRefusal(b []byte) (Refusal, error) {
	f := fields{b: b}
	r := Refusal{Code: Code(f.u16()), Text: f.str()}
	return r, f.err()
}

// Reason says why a connection ends.
type Reason uint8

// The reasons.
const (
	ReasonEmpty    Reason = 1 // the agent and every descendant are gone; the parent ends
	ReasonReplaced Reason = 2 // a newer controller came
	ReasonUnused   Reason = 3 // the agent was never let go; the parent ends
)

// ParseReason reads the body of TypeBye.
func ParseReason(b []byte) (Reason, error) {
	f := fields{b: b}
	r := Reason(f.u8())
	return r, f.err()
}
