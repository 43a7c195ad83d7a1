package agent

import (
	"encoding/json"
	"errors"

	"vyre"
)

// Protocol speaks one agent's own protocol for one session, without IO.
//
// One goroutine owns it. Decode is deterministic: the same lines give the same
// events, so memory can be rebuilt from the spool.
type Protocol interface {
	// Decode takes one whole line of output, without its 0x0A. It never fails:
	// what it can't read becomes a Raw event.
	Decode(line []byte) []Event

	// Encode returns the one line of input for a command, ending in 0x0A. id is
	// unique in the session and is woven into the protocol's own request id, so
	// that the reply says by itself what it replies to. ErrUnsupported means the
	// agent has no such thing.
	Encode(id uint64, s Say) ([]byte, error)

	// Clean reports whether the memory is empty: decoding from the next line
	// with a fresh Protocol would give the same events. The reader makes its
	// checkpoints there.
	Clean() bool
}

// ErrUnsupported is returned by Encode for a command the agent does not have.
var ErrUnsupported = errors.New("the agent does not support this")

// Say is what can be said to a session: one of the types below.
type Say interface{ say() }

type (
	// Initialize opens the conversation, or opens it again after the reader
	// changed (Attach): the reply then lists the questions still open.
	Initialize struct{ Attach bool }
	// Send says a message. Steer asks that it joins the running turn.
	Send struct {
		ID    vyre.MessageID
		Text  string
		Steer bool
	}
	// Answer answers the question of an Ask event.
	Answer struct {
		Request  string          // of the Ask
		Native   json.RawMessage // of the Ask, unchanged
		Kind     vyre.AskKind
		Decision vyre.Decision
		Scope    vyre.Scope
		Message  string            // the note of a denial
		Input    json.RawMessage   // replaces the call's input, or nil
		Answers  map[string]string // question: by its full text
		Mode     vyre.Mode         // also switch to it, or empty
		Stop     bool              // deny and end the turn
	}
	// Refuse answers a request of the agent that nobody here serves.
	Refuse struct {
		Request string
		Why     string
	}
	// Interrupt ends the running turn; the session lives on.
	Interrupt struct{}
	// SetMode sets how much goes unasked.
	SetMode struct{ Mode vyre.Mode }
	// SetModel sets the model; empty is the agent's default.
	SetModel struct{ Model string }
	// End asks the agent to finish by itself.
	End struct{}
)

func (Initialize) say() {}
func (Send) say()       {}
func (Answer) say()     {}
func (Refuse) say()     {}
func (Interrupt) say()  {}
func (SetMode) say()    {}
func (SetModel) say()   {}
func (End) say()        {}
