package vyre

import "encoding/json"

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
	Purpose  string     `json:"purpose"`
	CWD      string     `json:"cwd"` // absolute
	Project  string     `json:"project"`
	Agent    string     `json:"agent"`
	Auth     string     `json:"auth"` // login | setup-token | api-key
	Name     string     `json:"name"`
	Source   string     `json:"source"`
	Node     string     `json:"node"`
	Worktree string     `json:"worktree"`
	Parent   ThreadID   `json:"parent"`
	Archived bool       `json:"archived"`
	Created  Time       `json:"created"`
	Updated  Time       `json:"updated"`

	// Kept with the thread, not shown.

	NativeID string          `json:"-"` // the provider's own id of the conversation
	Launch   json.RawMessage `json:"-"` // launch options that a resume reuses
	Turns    int             `json:"-"` // number of the newest turn
	Key      string          `json:"-"` // the start's idempotency key, or empty
	KeyHash  string          `json:"-"` // H(input) of that start
}

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
)

// MessageStates lists every state once.
var MessageStates = []MessageState{MessageQueued, MessageSent, MessageTaken, MessageDone, MessageUnknown}

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
