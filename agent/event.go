package agent

import (
	"encoding/json"

	"vyre"
)

// Event is something a session said: one of the types below. Keys name items
// within their turn; they are the provider's own ids or made from them.
type Event interface{ event() }

type (
	// Ready: the handshake was answered. Attached is set for a repeated one; Open
	// then lists the requests of every question still open.
	Ready struct {
		NativeID string
		Version  string
		Model    string
		Mode     vyre.Mode
		Models   []ModelInfo
		Commands []CommandInfo
		Attached bool
		Open     []Ask
	}

	// TurnStarted: the agent works. Messages are the ids it took; none means that
	// nobody sent anything (a background task ended, say).
	TurnStarted struct{ Messages []vyre.MessageID }

	// MessageTaken: the agent has this message; in a running turn it joined it.
	MessageTaken struct{ Message vyre.MessageID }

	// MessageDropped: the agent will not run this message.
	MessageDropped struct{ Message vyre.MessageID }

	// Text: words of an item as they are made. Offset counts bytes of UTF-8.
	Text struct {
		Key    string
		Parent string // key of the subagent's call, or empty
		Kind   vyre.ItemKind
		Offset int
		Text   string
	}

	// Item: an item appeared or changed. It is whole: Text and Body replace what
	// was there, except that an empty Text of a text item leaves the words that
	// Text events gave.
	Item struct {
		Key    string
		Parent string
		Kind   vyre.ItemKind
		Status vyre.ItemStatus
		Title  string
		Text   string
		Tool   *vyre.ToolBody  // for kinds tool and subagent
		Body   json.RawMessage // for the other kinds, or nil
	}

	// PlanStep: one step of the agent's plan appeared or changed, for an agent that
	// keeps its plan a step at a time. ID names it in the conversation; empty fields
	// leave what was there.
	PlanStep struct {
		ID      string
		Text    string
		Status  string // pending | in_progress | completed
		Removed bool
	}

	// ToolUpdate: a call that an Item event announced moves on. Empty fields
	// leave what was there.
	// Ran says that, by the agent's word, the call was let run.
	ToolUpdate struct {
		Key    string
		Status vyre.ItemStatus
		Output json.RawMessage
		By     vyre.By
		Ran    bool
	}

	// Ask: the agent waits for a person.
	Ask struct {
		Request      string // the provider's id of the question; may be reused later
		Call         string // key of the tool call, or empty
		Kind         vyre.AskKind
		Tool         string
		Title        string
		Display      string // the whole of what would be done
		Input        json.RawMessage
		Source       string // builtin | vyre | config:<server>
		Own          string // for Source vyre: which of Options.Tools it is about
		AgentPath    []string
		Blocked      string
		Why          string
		Insists      bool            // the person's own settings or hooks want this asked
		Outside      bool            // it is asked because it reaches out of the session's folder
		SessionRules []string        // the rules that "allow for this session" would add, or none
		Native       json.RawMessage // what Encode(Answer) needs, kept with the ask
	}

	// AskWithdrawn: the agent does not want an answer any more.
	AskWithdrawn struct {
		Request string
		Why     string
	}

	// TurnEnded: the turn is over.
	TurnEnded struct {
		Messages []vyre.MessageID // ids that the agent says this turn took, in order
		Status   vyre.TurnStatus
		Error    string // for people
		Usage    *vyre.Usage
		Limit    bool // it failed at the provider's limit
		NoAuth   bool // it failed for want of a valid credential
	}

	// ModeChanged: the session's mode is now Mode (Native is the agent's word).
	// Asked says that it follows something we said (by its reply's id).
	ModeChanged struct {
		Mode   vyre.Mode
		Native string
		Asked  bool
	}

	// ModelChanged: the session's model is now Model.
	ModelChanged struct{ Model string }

	// Limit: what the provider says of its limits.
	Limit struct {
		Status   string // allowed | warning | rejected
		Window   string
		ResetsAt vyre.Time
	}

	// Task: background work began or ended; it outlives its turn.
	Task struct {
		ID    string
		Key   string // of the call that began it, or empty
		Title string
		Done  bool
		State string
	}

	// Tasks is all the background work that goes on now under one State: what a
	// reader holds under that State and is not named is over. Running work comes
	// when it changes and after an attach, without keys of calls; what the agent
	// will wake up for by itself (State TaskScheduled) at the end of a turn. A
	// session with either must not be ended for idleness: it dies with the process.
	Tasks struct {
		State string
		List  []Task
	}

	// Replied: a Say was acknowledged (Err empty) or refused by the agent. Body is
	// what it asked for, in the shape that the Say's own comment names, or nil.
	Replied struct {
		ID   uint64
		Err  string
		Body json.RawMessage
	}

	// Hook: the agent waits at one of its hooks; the reader answers with HookReply.
	// Only those that Options.Hooks named come. What is still open at an attach is
	// told again after the Ready, as are ToolCalls and Replies.
	Hook struct {
		Request string
		Kind    HookKind
		Call    string // key of the tool call, for HookPreTool and HookPostTool
		Tool    string
		Source  string          // of the tool: builtin | config:<server>, as far as a hook tells
		CWD     string          // absolute: where the call would run, or empty if it does not say
		Input   json.RawMessage // of the call
		Text    string          // HookPrompt: the words; HookStop: the agent's last ones
		AgentID string          // the subagent it comes from, or empty
	}

	// HookWithdrawn: the agent does not wait at a hook any more.
	HookWithdrawn struct{ Request string }

	// ToolCall: the agent calls one of Options.Tools; the reader answers with
	// ToolReply. Call is the key of the tool item, or empty. A Request that comes
	// again (at an attach) is the same call, which must not run twice.
	ToolCall struct {
		Request string
		Tool    string
		Call    string
		Input   json.RawMessage
	}

	// ToolWithdrawn: the agent does not wait for the result of a call any more.
	ToolWithdrawn struct{ Request string }

	// Reply: the protocol itself owes the agent this; the reader says it as it is.
	Reply struct{ Say Say }

	// Request: the agent asked its host for something that nobody here serves;
	// the reader should answer with Refuse.
	Request struct {
		Request string
		Name    string
	}

	// NativeID: the conversation goes on under another id (a cleared context).
	NativeID struct{ ID string }

	// Raw: a message nobody here knows, kept whole.
	Raw struct {
		Name string
		JSON json.RawMessage // valid JSON: the line, or a string holding it
	}

	// Exited: the process is gone. Only those who hold the process make it.
	Exited struct {
		Code   int    // -1 for a signal
		Signal string // "killed", …, or empty
		Stderr string // its last words
	}
)

// States of a Task that its reader looks for; an ended one has the agent's word.
const (
	TaskRunning   = "running"
	TaskScheduled = "scheduled"
)

// HookKind is a moment at which an agent can be made to wait for its host.
type HookKind string

// The kinds of hooks.
const (
	HookPreTool      HookKind = "pre_tool"      // before a call runs
	HookPostTool     HookKind = "post_tool"     // after it
	HookPrompt       HookKind = "prompt"        // a message is about to be read
	HookStop         HookKind = "stop"          // the turn is about to end
	HookSubagentStop HookKind = "subagent_stop" // a subagent is about to end
	HookPreCompact   HookKind = "pre_compact"   // the conversation is about to be compacted
)

// CommandInfo is one slash command.
type CommandInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Hint        string `json:"hint"`
}

func (Ready) event()          {}
func (PlanStep) event()       {}
func (TurnStarted) event()    {}
func (MessageTaken) event()   {}
func (MessageDropped) event() {}
func (Text) event()           {}
func (Item) event()           {}
func (ToolUpdate) event()     {}
func (Ask) event()            {}
func (AskWithdrawn) event()   {}
func (TurnEnded) event()      {}
func (ModeChanged) event()    {}
func (ModelChanged) event()   {}
func (Limit) event()          {}
func (Task) event()           {}
func (Replied) event()        {}
func (Request) event()        {}
func (NativeID) event()       {}
func (Raw) event()            {}
func (Exited) event()         {}
func (Hook) event()           {}
func (HookWithdrawn) event()  {}
func (ToolCall) event()       {}
func (ToolWithdrawn) event()  {}
func (Tasks) event()          {}
func (Reply) event()          {}
