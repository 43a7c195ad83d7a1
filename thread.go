package vyre

import (
	"encoding/json"
	"strconv"
)

// Mode is how much a session may do unasked. There is no mode that skips asks.
type Mode string

// The modes. A driver maps each to its agent's native name.
const (
	ModeAsk   Mode = "ask"   // the default: what changes something is asked
	ModeEdits Mode = "edits" // edits to files in the folder go ahead
	ModePlan  Mode = "plan"  // reads and plans only
)

// Modes lists every mode once, strictest last.
var Modes = []Mode{ModeAsk, ModeEdits, ModePlan}

// Stricter returns the mode of the two that lets less through unasked.
func Stricter(a, b Mode) Mode {
	strictness := map[Mode]int{ModeEdits: 1, ModeAsk: 2, ModePlan: 3}
	if strictness[b] > strictness[a] {
		return b
	}
	return a
}

// Thread is one conversation, for ever.
type Thread struct {
	ID       ThreadID   `json:"thread"`
	Provider string     `json:"provider"`
	Driver   string     `json:"driver"`
	Model    string     `json:"model"` // empty until the agent said, or one was asked for
	Mode     Mode       `json:"mode"`
	State    State      `json:"state"`
	Reason   StopReason `json:"reason,omitempty"` // while stopped
	Err      string     `json:"error,omitempty"`  // while failed: why, for people
	Purpose  Purpose    `json:"purpose"`
	CWD      string     `json:"cwd"` // absolute
	Project  string     `json:"project"`
	Agent    string     `json:"agent"`
	Auth     string     `json:"auth"` // login | setup-token | api-key
	Name     string     `json:"name"`
	Source   string     `json:"source"`
	Node     string     `json:"node"`
	Worktree string     `json:"worktree"`
	Parent   ThreadID   `json:"parent"` // the thread it was forked from, or empty
	Archived bool       `json:"archived"`
	Effort   string     `json:"effort"` // how hard the model thinks, the provider's word; empty is its default

	// What it may cost and has cost, in micro-dollars. No budget is 0.

	BudgetMicros int64 `json:"budget_micros"`
	CostMicros   int64 `json:"cost_micros"`

	// While a limit or the disk keeps it from working: what waits, and until when
	// (zero: until it is noticed to be over). Fallback is the kind of credential in
	// use instead of Auth until then, or empty.

	Parked      Parking `json:"parked,omitempty"`
	ParkedUntil Time    `json:"parked_until"`
	Fallback    string  `json:"fallback,omitempty"`

	Created Time `json:"created"`
	Updated Time `json:"updated"`

	// Kept with the thread, not shown.

	NativeID string          `json:"-"` // the provider's own id of the conversation
	Launch   json.RawMessage `json:"-"` // launch options that a resume reuses
	Turns    int             `json:"-"` // number of the newest turn
	Key      string          `json:"-"` // the start's idempotency key, or empty
	KeyHash  string          `json:"-"` // H(input) of that start
}

// Parking is why a thread that has work does not do it now.
type Parking string

// The reasons of a parking.
const (
	ParkedLimit Parking = "limit"    // the provider's limit; it goes on when that resets
	ParkedSpace Parking = "no_space" // the disk is full; it goes on when there is room
)

// Parkings lists every reason once.
var Parkings = []Parking{ParkedLimit, ParkedSpace}

// TurnStatus is how a turn stands.
type TurnStatus string

// The statuses of a turn.
const (
	TurnStarted   TurnStatus = "started"
	TurnCompleted TurnStatus = "completed"
	TurnFailed    TurnStatus = "failed"
	TurnCanceled  TurnStatus = "canceled"
)

// TurnStatuses lists every status once.
var TurnStatuses = []TurnStatus{TurnStarted, TurnCompleted, TurnFailed, TurnCanceled}

// Origin says what began a turn.
type Origin string

// The origins of a turn.
const (
	OriginPerson Origin = "person" // a message that was sent (by whoever may send)
	OriginAgent  Origin = "agent"  // nobody sent it: a background task ended, say
)

// Turn is one message to the agent and all that follows until it is done.
type Turn struct {
	ID       TurnID      `json:"turn"`
	Thread   ThreadID    `json:"thread"`
	Status   TurnStatus  `json:"status"`
	Origin   Origin      `json:"origin"`
	Messages []MessageID `json:"messages"`
	Error    string      `json:"error,omitempty"` // for people, when failed
	Usage    *Usage      `json:"usage,omitempty"`
	Model    string      `json:"model,omitempty"`   // what it ran on, as far as known at its end
	Rewound  bool        `json:"rewound,omitempty"` // the conversation went back before it
	Started  Time        `json:"started"`
	Ended    Time        `json:"ended"`
}

// Usage is what a turn used. Cost is in integer micro-dollars.
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	CostMicros       int64 `json:"cost_micros"`
	ContextWindow    int64 `json:"context_window,omitempty"`
	ContextTokens    int64 `json:"context_tokens,omitempty"` // of the window, after the turn; 0 if unknown
}

// MessageState is how far a message came.
type MessageState string

// The states of a message.
const (
	MessageQueued  MessageState = "queued"  // it waits in the store
	MessageSent    MessageState = "sent"    // it was handed to the session's parent, or is about to be
	MessageTaken   MessageState = "taken"   // the agent has it
	MessageDone    MessageState = "done"    // its turn ended
	MessageUnknown MessageState = "unknown" // the agent died before it could be told whether it has it
	MessageRemoved MessageState = "removed" // it was taken back before it was handed over
)

// MessageStates lists every state once.
var MessageStates = []MessageState{MessageQueued, MessageSent, MessageTaken, MessageDone, MessageUnknown, MessageRemoved}

// Message is something said to a thread.
type Message struct {
	ID      MessageID    `json:"message"`
	Thread  ThreadID     `json:"thread"`
	Text    string       `json:"text"`
	State   MessageState `json:"state"`
	Turn    TurnID       `json:"turn"` // empty while queued
	Via     Via          `json:"via"`  // what the send was answered
	By      string       `json:"by"`   // the caller
	Order   int64        `json:"-"`    // place in the queue; smaller goes first
	Created Time         `json:"created"`

	Attachments []Attachment `json:"attachments,omitempty"`

	// Hash is of what was first sent under this id: a retry is told from another
	// message by it, also after the message was edited.
	Hash string `json:"-"`

	// Tries counts how often an agent gave it back unread, or failed at the provider's
	// limit before it did anything. An agent may pass over an
	// id that it has seen, so each time it is said under another one.
	Tries int `json:"-"`
}

// SentAs is the id that the message goes by at its agent: its own, until the agent
// gave it back.
func (m Message) SentAs() MessageID {
	if m.Tries == 0 {
		return m.ID
	}
	return m.ID + MessageID("~"+strconv.Itoa(m.Tries)) // no key has that sign
}

// Attachment is a picture or a file that goes with a message. Its bytes are a
// file of the home's attach folder, where the agent may read it.
type Attachment struct {
	ID        string `json:"attachment"` // matches [a-z0-9_-]{1,64}
	Name      string `json:"name"`       // for people, one path element
	MediaType string `json:"media_type"` // image/png, text/plain, …
	Size      int64  `json:"size"`       // bytes
}

// Via says what became of a send.
type Via string

// The ways a message goes.
const (
	ViaTurn   Via = "turn"   // it began a turn
	ViaSteer  Via = "steer"  // it joined the running turn
	ViaQueue  Via = "queue"  // it waits for the running turn's end
	ViaResume Via = "resume" // a process is being started for it
)
