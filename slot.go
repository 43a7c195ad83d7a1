package vyre

// SlotKind is what a place for parallel work is for.
type SlotKind string

// The kinds of slots.
const (
	SlotSubagent SlotKind = "subagent" // an agent that a session begins inside itself
	SlotTeammate SlotKind = "teammate" // a thread that works beside another
)

// SlotKinds lists every kind once.
var SlotKinds = []SlotKind{SlotSubagent, SlotTeammate}

// SlotState is how a place stands.
type SlotState string

// The states of a slot. A released one is forgotten.
const (
	SlotWaiting  SlotState = "waiting"
	SlotHeld     SlotState = "held"
	SlotReleased SlotState = "released"
)

// Slot is one place for parallel work, held or waited for.
type Slot struct {
	ID       string    `json:"slot"` // matches [a-z0-9_-]{1,64}
	Kind     SlotKind  `json:"kind"`
	State    SlotState `json:"state"`
	Position int       `json:"position"` // in the line, from 1; 0 when held
	Project  string    `json:"project"`  // a folder, or empty
	Thread   ThreadID  `json:"thread"`   // whose work it is
	Since    Time      `json:"since"`    // when it was asked for

	Call string `json:"-"` // the driver's key of the call it is for, or empty
}
