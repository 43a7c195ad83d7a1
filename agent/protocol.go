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
		Parts []Part
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
	// Cancel takes back a message that was sent and not taken. The agent's word on
	// it is a MessageDropped, or the MessageTaken or TurnStarted that came first; a
	// Replied with Err says that it does not wait there (any more).
	Cancel struct{ ID vyre.MessageID }
	// StopTask ends work in the background; a Task event tells its end.
	StopTask struct{ Task string }
	// SetEffort sets how hard the model thinks; empty is the agent's default.
	SetEffort struct{ Effort string }
	// Compact shortens the conversation. It is a turn of its own, under ID.
	Compact struct {
		ID           vyre.MessageID
		Instructions string
	}
	// HookReply answers a Hook. An empty Decision lets things go their way, and so
	// does Allow: an allowed call is still asked about like any other.
	HookReply struct {
		Request  string
		Kind     HookKind
		Ask      bool          // HookPreTool: a person is asked, whatever else would let it pass
		Decision vyre.Decision // HookPreTool, HookPrompt; a denied HookStop or HookSubagentStop makes the agent go on
		Why      string        // told to the agent with a denial
		Context  string        // added for the model, where the kind can
	}
	// ToolReply answers a ToolCall. Output is a JSON string or any JSON value.
	ToolReply struct {
		Request string
		Output  json.RawMessage
		Failed  bool
	}

	// Native is what a Protocol says for itself (in a Reply event): only it knows
	// what is in there.
	Native struct{ Line json.RawMessage }

	// The following ask something; the answer is the Body of the Replied.

	// RewindFiles puts files back to what they were before a message. Body:
	// FilesRewound; Files and the counts may be empty when it was no dry run.
	RewindFiles struct {
		Message vyre.MessageID
		DryRun  bool
	}
	// GetContext: how the context window is used. Body: ContextUsage.
	GetContext struct{}
	// GetFiles: paths that a person who typed Query may mean, relative to the
	// session's folder, folders with a slash behind. Body: []string; it may be empty
	// for the first second, while the agent looks through the folder.
	GetFiles struct{ Query string }
	// GetServers: the MCP servers of the session. Body: []ServerStatus.
	GetServers struct{}
)

// Part is a picture or a file of a message. Path is where the agent may read it,
// Data its bytes where the protocol carries them itself.
type Part struct {
	Name      string
	MediaType string
	Path      string
	Data      []byte
}

// FilesRewound is what a RewindFiles did, or would do.
type FilesRewound struct {
	Files      []string `json:"files"` // absolute paths
	Insertions int      `json:"insertions"`
	Deletions  int      `json:"deletions"`
}

// ContextUsage is how a session's context window is used.
type ContextUsage struct {
	Tokens int64          `json:"tokens"`
	Window int64          `json:"window"`
	Parts  []ContextShare `json:"parts"` // by what they are, as the agent names it
}

// ContextShare is one part of a context window.
type ContextShare struct {
	Name   string `json:"name"`
	Tokens int64  `json:"tokens"`
}

// ServerStatus is one MCP server of a session.
type ServerStatus struct {
	Name   string `json:"name"`
	Status string `json:"status"` // the agent's word: connected, failed, pending, …
	Source string `json:"source"` // builtin | vyre | config:<server>
	Error  string `json:"error,omitempty"`
	Tools  int    `json:"tools"`
}

func (Initialize) say()  {}
func (Send) say()        {}
func (Answer) say()      {}
func (Refuse) say()      {}
func (Interrupt) say()   {}
func (SetMode) say()     {}
func (SetModel) say()    {}
func (End) say()         {}
func (Cancel) say()      {}
func (StopTask) say()    {}
func (SetEffort) say()   {}
func (Compact) say()     {}
func (HookReply) say()   {}
func (ToolReply) say()   {}
func (Native) say()      {}
func (RewindFiles) say() {}
func (GetContext) say()  {}
func (GetFiles) say()    {}
func (GetServers) say()  {}
