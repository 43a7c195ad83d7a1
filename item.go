package vyre

import "encoding/json"

// ItemKind is what an entry of a timeline is.
type ItemKind string

// The kinds of items.
const (
	ItemUser       ItemKind = "user"
	ItemText       ItemKind = "text"
	ItemReasoning  ItemKind = "reasoning"
	ItemTool       ItemKind = "tool"
	ItemPlan       ItemKind = "plan"
	ItemCompaction ItemKind = "compaction"
	ItemNotice     ItemKind = "notice"
	ItemError      ItemKind = "error"
	ItemSubagent   ItemKind = "subagent"
	ItemRaw        ItemKind = "raw" // a message nobody here knows, kept whole
)

// ItemKinds lists every kind once.
var ItemKinds = []ItemKind{
	ItemUser, ItemText, ItemReasoning, ItemTool, ItemPlan,
	ItemCompaction, ItemNotice, ItemError, ItemSubagent, ItemRaw,
}

// ItemStatus is how an item stands. What the agent never closes is closed as
// canceled (or failed) when its turn ends.
type ItemStatus string

// The statuses of an item.
const (
	ItemRunning   ItemStatus = "running"
	ItemCompleted ItemStatus = "completed"
	ItemFailed    ItemStatus = "failed"
	ItemCanceled  ItemStatus = "canceled"
)

// ItemStatuses lists every status once.
var ItemStatuses = []ItemStatus{ItemRunning, ItemCompleted, ItemFailed, ItemCanceled}

// Item is one entry of a thread's timeline.
type Item struct {
	ID      ItemID          `json:"item"`
	Thread  ThreadID        `json:"thread"`
	Turn    TurnID          `json:"turn"`
	Kind    ItemKind        `json:"kind"`
	Status  ItemStatus      `json:"status"`
	Text    string          `json:"text"`              // user, text, reasoning, notice, error: the words
	Body    json.RawMessage `json:"body"`              // by kind (ToolBody for tool), or null
	Parent  ItemID          `json:"parent"`            // the subagent's tool call, or empty
	Rev     Seq             `json:"rev"`               // seq of its last change
	Rewound bool            `json:"rewound,omitempty"` // the conversation went back before it
	Created Time            `json:"created"`

	Key string `json:"-"` // the driver's name for it within its turn
}

// By says what a tool call went ahead by.
type By string

// What a call went ahead by, or was refused by.
const (
	ByPerson   By = "person"
	ByGrant    By = "grant"
	ByRule     By = "rule" // a rule in the agent's own settings
	ByHook     By = "hook"
	ByMode     By = "mode"
	ByReadonly By = "readonly" // it only reads: the agent's word, or ours
	ByFloor    By = "floor"    // refused: nobody may, whoever says yes
	ByGate     By = "gate"     // refused: an outward act waits at the gate
)

// Bys lists every value of By once.
var Bys = []By{ByPerson, ByGrant, ByRule, ByHook, ByMode, ByReadonly, ByFloor, ByGate}

// ToolBody is the body of an item of kind tool or subagent.
type ToolBody struct {
	Call   string          `json:"call"`  // the provider's call id
	Tool   string          `json:"tool"`  // the provider's tool name
	Title  string          `json:"title"` // short, for people
	Source string          `json:"source"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"` // a string or the provider's structure
	By     By              `json:"by,omitempty"`

	// Decision is what was decided here (not by the agent's own rules), by By; Grant
	// names the grant.
	Decision Decision `json:"decision,omitempty"`
	Grant    GrantID  `json:"grant,omitempty"`

	// OutputRef is set where the output is too large to travel with its item:
	// Output is then its beginning, as a string, and threads.output reads the whole.
	OutputRef *OutputRef `json:"output_ref,omitempty"`
}

// OutputRef says where the whole of a large output is.
type OutputRef struct {
	Ref       ItemID     `json:"ref"`       // the item of threads.output
	Bytes     int64      `json:"bytes"`     // of the whole
	Form      OutputForm `json:"form"`      // what the whole is
	Truncated bool       `json:"truncated"` // output holds only the beginning
}

// OutputForm is what the bytes of a large output are.
type OutputForm string

// The forms of a large output.
const (
	OutputText OutputForm = "text" // the words themselves
	OutputJSON OutputForm = "json" // the provider's structure
)

// Output is a large output as it is stored, whole.
type Output struct {
	Item  ItemID
	Bytes []byte
}
