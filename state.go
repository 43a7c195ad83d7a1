package vyre

import (
	"fmt"
	"strings"
)

// State is where a thread stands. The words travel and are CHECKed in the
// store, so they are spelled out rather than counted.
type State string

// The states of a thread.
const (
	StateStarting State = "starting" // its process is being started or resumed
	StateIdle     State = "idle"     // it can take a message; it may have no process
	StateRunning  State = "running"  // a turn runs
	StateWaiting  State = "waiting"  // a turn runs and at least one ask is open
	StateStopped  State = "stopped"  // it has no process; the reason says why; a send resumes it
	StateFailed   State = "failed"   // it could not be started or resumed; the next send tries again
)

// States lists every state once.
var States = []State{StateStarting, StateIdle, StateRunning, StateWaiting, StateStopped, StateFailed}

// Live reports whether a process is expected in this state.
func (s State) Live() bool {
	return s == StateStarting || s == StateIdle || s == StateRunning || s == StateWaiting
}

// Move is something that happens to a thread.
type Move string

// The moves. Every change of a thread's state is one of them.
const (
	MoveReady       Move = "ready"        // the agent answered its handshake
	MoveTurnStarted Move = "turn_started" // a message was handed over, or the agent began by itself
	MoveAskRaised   Move = "ask_raised"   // the first ask of the thread opened
	MoveAsksClosed  Move = "asks_closed"  // the last open ask was answered or withdrawn
	MoveTurnEnded   Move = "turn_ended"   // the turn is over, whatever its outcome
	MoveStopped     Move = "stopped"      // the process is gone, proven; a reason says why
	MoveFailed      Move = "failed"       // a start or resume did not come up
	MoveResume      Move = "resume"       // a new process is being started for an old thread
)

// Moves lists every move once.
var Moves = []Move{
	MoveReady, MoveTurnStarted, MoveAskRaised, MoveAsksClosed,
	MoveTurnEnded, MoveStopped, MoveFailed, MoveResume,
}

// Transition is one row of the table.
type Transition struct {
	From State
	Move Move
	To   State
}

// Table is the whole life of a thread. Step consults nothing else, the store's
// CHECKs name the same states, and docs/reference/states.md is drawn from it.
var Table = []Transition{
	{StateStarting, MoveReady, StateIdle},
	{StateStarting, MoveFailed, StateFailed},
	{StateStarting, MoveStopped, StateStopped},

	{StateIdle, MoveTurnStarted, StateRunning},
	{StateIdle, MoveStopped, StateStopped},
	{StateIdle, MoveResume, StateStarting}, // an idle thread may have no process

	{StateRunning, MoveAskRaised, StateWaiting},
	{StateRunning, MoveTurnEnded, StateIdle},
	{StateRunning, MoveStopped, StateStopped},

	{StateWaiting, MoveAsksClosed, StateRunning},
	{StateWaiting, MoveStopped, StateStopped},

	{StateStopped, MoveResume, StateStarting},
	{StateFailed, MoveResume, StateStarting},
	{StateFailed, MoveStopped, StateStopped},
}

// Step applies a move. A move that the table does not have is an error of kind
// internal: the caller's bookkeeping is wrong and nothing may change.
func Step(from State, m Move) (State, error) {
	for _, t := range Table {
		if t.From == from && t.Move == m {
			return t.To, nil
		}
	}
	return from, Errorf(CodeInternal, "a thread that is %s can't take the move %s", from, m)
}

// CanStep reports whether the table has the move.
func CanStep(from State, m Move) bool {
	_, err := Step(from, m)
	return err == nil
}

// Diagram draws the table as a Mermaid state diagram.
func Diagram() string {
	var s strings.Builder
	s.WriteString("stateDiagram-v2\n    [*] --> starting\n")
	for _, t := range Table {
		fmt.Fprintf(&s, "    %s --> %s: %s\n", t.From, t.To, t.Move)
	}
	return s.String()
}

// StopReason says why a thread has no process.
type StopReason string

// The reasons of a stop.
const (
	StopIdle    StopReason = "idle"    // nothing happened for sessions.idle_minutes
	StopPerson  StopReason = "person"  // somebody asked for it
	StopCap     StopReason = "cap"     // room was needed under sessions.max_live
	StopLimit   StopReason = "limit"   // the provider's limit
	StopCrash   StopReason = "crash"   // the agent or its shim died
	StopRestart StopReason = "restart" // the machine restarted
	StopHandoff StopReason = "handoff" // the conversation moved
	StopBudget  StopReason = "budget"  // its budget is used up
	StopBreach  StopReason = "breach"  // it did what was not allowed
)

// StopReasons lists every reason once.
var StopReasons = []StopReason{
	StopIdle, StopPerson, StopCap, StopLimit, StopCrash,
	StopRestart, StopHandoff, StopBudget, StopBreach,
}
