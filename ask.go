package vyre

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// AskKind is what a question is about.
type AskKind string

// The kinds of asks.
const (
	AskTool     AskKind = "tool"
	AskPlan     AskKind = "plan"
	AskQuestion AskKind = "question"
	AskMode     AskKind = "mode"
	AskTrust    AskKind = "trust"
)

// AskKinds lists every kind once.
var AskKinds = []AskKind{AskTool, AskPlan, AskQuestion, AskMode, AskTrust}

// AskState is how a question stands.
type AskState string

// The states of an ask. An answer is first written down (answering), then
// handed over, and only when the session's parent confirmed it is it answered.
const (
	AskOpen      AskState = "open"
	AskAnswering AskState = "answering"
	AskAnswered  AskState = "answered"
	AskCancelled AskState = "cancelled"
)

// AskStates lists every state once.
var AskStates = []AskState{AskOpen, AskAnswering, AskAnswered, AskCancelled}

// Decision is a person's verdict.
type Decision string

// The verdicts.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Scope is how far an allow reaches.
type Scope string

// The scopes.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeProject Scope = "project"
)

// AskOption is one button.
type AskOption struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	Kind  Decision `json:"kind"`
	Scope Scope    `json:"scope,omitempty"`
	Rule  string   `json:"rule,omitempty"` // the exact rule a wider scope would add

	// Grants are the standing allows that this option gives, one for each part of
	// the call that needs one.
	Grants []GrantSpec `json:"grants,omitempty"`
}

// Ask is a question only a person answers.
type Ask struct {
	ID        AskID           `json:"ask"`
	Thread    ThreadID        `json:"thread"`
	Turn      TurnID          `json:"turn"`
	Kind      AskKind         `json:"kind"`
	Tool      string          `json:"tool"`
	Title     string          `json:"title"`
	Display   string          `json:"display"` // the whole of what would be done, for reading
	Input     json.RawMessage `json:"input"`
	Digest    string          `json:"digest"`     // hex SHA-256 of what was shown
	Source    string          `json:"source"`     // builtin | vyre | config:<server>
	AgentPath []string        `json:"agent_path"` // parent → child, empty for the main agent
	Blocked   string          `json:"blocked"`    // the path that made the agent ask, or empty
	Why       string          `json:"why"`        // the agent's reason for asking, or empty
	Options   []AskOption     `json:"options"`
	Alike     string          `json:"alike,omitempty"` // asks with the same word are about the same act
	State     AskState        `json:"state"`
	Decision  Decision        `json:"decision"` // empty while open
	Scope     Scope           `json:"scope,omitempty"`
	Message   string          `json:"message,omitempty"` // the note given with the answer
	Mode      Mode            `json:"mode,omitempty"`    // the mode that a plan's approval chose
	By        string          `json:"by"`
	At        Time            `json:"at"` // of the decision or the withdrawal
	Created   Time            `json:"created"`

	// Kept with the ask, not shown.

	Session  SessionID       `json:"-"` // the process that asked
	Request  string          `json:"-"` // the provider's own request id, meaningful to its driver
	Call     string          `json:"-"` // the provider's call id, or empty
	Native   json.RawMessage `json:"-"` // what the driver needs to write the answer
	AnswerH  string          `json:"-"` // H(answer), tells a repeat from a conflict
	Level    string          `json:"-"` // identity level the answer rested on
	Proof    string          `json:"-"`
	Withdrew string          `json:"-"` // why it was cancelled
}

// DigestOf is what an ask's Digest holds: it binds an answer to what was shown.
func DigestOf(a Ask) string {
	b, err := json.Marshal(struct {
		Kind                          AskKind
		Tool, Title, Display, Blocked string
		Input                         json.RawMessage
		Source                        string
		Path                          []string
		Options                       []AskOption
	}{a.Kind, a.Tool, a.Title, a.Display, a.Blocked, a.Input, a.Source, a.AgentPath, a.Options})
	if err != nil { // only an invalid RawMessage can do this, and drivers hand on decoded JSON
		b = []byte(string(a.Kind) + a.Tool + a.Title + a.Display + string(a.Input))
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
