package vyre

import (
	"bytes"
	"encoding/json"
)

// Kind names what an event tells.
type Kind string

// The kinds of events of the core. Modules declare their own beside their tools.
const (
	EvThreadStarted  Kind = "thread.started"
	EvThreadState    Kind = "thread.state"
	EvThreadTurn     Kind = "thread.turn"
	EvThreadFinished Kind = "thread.finished"
	EvThreadText     Kind = "thread.text"
	EvThreadTool     Kind = "thread.tool"
	EvThreadItem     Kind = "thread.item"
	EvThreadRefused  Kind = "thread.refused"
	EvThreadApplied  Kind = "thread.applied"
	EvThreadPlan     Kind = "thread.plan"
	EvThreadUsage    Kind = "thread.usage"
	EvThreadMode     Kind = "thread.mode"
	EvThreadModel    Kind = "thread.model"
	EvThreadQueued   Kind = "thread.queued"
	EvThreadSent     Kind = "thread.sent"
	EvThreadSteered  Kind = "thread.steered"
	EvThreadLimit    Kind = "thread.limit"
	EvThreadStopped  Kind = "thread.stopped"
	EvThreadBreach   Kind = "thread.breach"
	EvThreadRenamed  Kind = "thread.renamed"
	EvThreadArchived Kind = "thread.archived"
	EvThreadEdited   Kind = "thread.edited"
	EvThreadUnqueued Kind = "thread.unqueued"
	EvThreadMoved    Kind = "thread.moved"
	EvThreadRewound  Kind = "thread.rewound"
	EvThreadTask     Kind = "thread.task"
	EvThreadFolder   Kind = "thread.folder"
	EvThreadEffort   Kind = "thread.effort"
	EvThreadParked   Kind = "thread.parked"
	EvThreadDeleted  Kind = "thread.deleted"
	EvThreadBudget   Kind = "thread.budget"
	EvSlotsChanged   Kind = "slots.changed"
	EvAskRaised      Kind = "ask.raised"
	EvAskAnswered    Kind = "ask.answered"
	EvAskCancelled   Kind = "ask.cancelled"
	EvGrantAdded     Kind = "grant.added"
	EvGrantRevoked   Kind = "grant.revoked"
	EvPasskeyChanged Kind = "passkey.changed"
	EvSignInChanged  Kind = "sign_in.changed"
	EvActRaised      Kind = "act.raised"
	EvActTouched     Kind = "act.touched"
	EvCallRefused    Kind = "call.refused"
)

// Event is one entry of the log. Order is by Seq alone.
type Event struct {
	Seq    Seq             `json:"seq"`
	TS     Time            `json:"ts"`
	Kind   Kind            `json:"kind"`
	Thread ThreadID        `json:"thread,omitempty"`
	Turn   TurnID          `json:"turn,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// EventData is the typed data of one kind of event. It holds ids, counts,
// labels and words meant for the person: never a credential, never a tool's
// raw input.
type EventData interface{ EventKind() Kind }

// NewEvent makes an event that has no place in the log yet; the store gives it
// Seq and TS when it commits.
func NewEvent(thread ThreadID, turn TurnID, data EventData) Event {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // text stays as the agent wrote it
	if err := enc.Encode(data); err != nil {
		panic("vyre: event data of " + string(data.EventKind()) + " can't be encoded: " + err.Error())
	}
	return Event{Kind: data.EventKind(), Thread: thread, Turn: turn, Data: bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}

// The data of the core's events, one type a kind.
type (
	// ThreadStarted: a thread exists, or its process was started again.
	ThreadStarted struct {
		Provider string  `json:"provider"`
		Driver   string  `json:"driver"`
		Model    string  `json:"model"`
		Mode     Mode    `json:"mode"`
		Purpose  Purpose `json:"purpose"`
		Source   string  `json:"source"`
		Project  string  `json:"project"`
		Auth     string  `json:"auth"`
		Resumed  bool    `json:"resumed"`
		// Confined names the parts of the session's confinement that hold (mount, caps,
		// files, scope, calls, pids, memory); none: it is not shut in. Open names places
		// that could not be closed.
		Confined []string `json:"confined,omitempty"`
		Open     []string `json:"open,omitempty"`
		// Parent is the thread it was forked from, or empty.
		Parent ThreadID `json:"parent,omitempty"`
		// FolderSettings is what became of the settings that the folder brings: used,
		// waiting, refused or unread; empty when it brings none.
		FolderSettings FolderTrust `json:"folder_settings,omitempty"`
	}
	// ThreadState: the thread took a move of the state table.
	ThreadState struct {
		From   State  `json:"from"`
		To     State  `json:"to"`
		Reason string `json:"reason"`
	}
	// ThreadTurn: a turn changed its status.
	ThreadTurn struct {
		Status   TurnStatus  `json:"status"`
		Origin   Origin      `json:"origin"`
		Messages []MessageID `json:"messages"`
		Error    string      `json:"error,omitempty"`
	}
	// ThreadFinished: told once at each turn's end, after its last thread.turn.
	ThreadFinished struct {
		Turn   TurnID     `json:"turn"`
		Status TurnStatus `json:"status"`
	}
	// ThreadText: words of an item, in order. Offset is the place of Text in the
	// item's text in bytes of UTF-8, so a reader can drop what it has.
	ThreadText struct {
		Item   ItemID   `json:"item"`
		Kind   ItemKind `json:"kind"`
		Offset int      `json:"offset"`
		Text   string   `json:"text"`
		Parent ItemID   `json:"parent,omitempty"`
	}
	// ThreadTool: a tool call changed its status. Its input is in the item.
	ThreadTool struct {
		Item   ItemID     `json:"item"`
		Call   string     `json:"call"`
		Tool   string     `json:"tool"`
		Title  string     `json:"title"`
		Status ItemStatus `json:"status"`
		Parent ItemID     `json:"parent"`
		By     By         `json:"by,omitempty"`
		// What was decided here, by By.
		Decision Decision `json:"decision,omitempty"`
		Grant    GrantID  `json:"grant,omitempty"`
	}
	// ThreadRefused: a call was refused that nobody may allow. Nobody was asked.
	ThreadRefused struct {
		Item  ItemID `json:"item"` // of the call, or empty
		Call  string `json:"call"`
		Tool  string `json:"tool"`
		Title string `json:"title"`
		By    By     `json:"by"` // floor | gate
		Why   string `json:"why"`
	}
	// ThreadApplied: a person makes an edit that the agent wanted and may not make.
	ThreadApplied struct {
		State  string `json:"state"` // begun | done | failed
		Item   ItemID `json:"item,omitempty"`
		Ask    AskID  `json:"ask,omitempty"`
		Path   string `json:"path"`
		Digest string `json:"digest"` // of what was shown and is written
		Why    string `json:"why,omitempty"`
		By     string `json:"by"`
		Proof  string `json:"proof"`
		Level  string `json:"level"`
	}
	// ThreadItem: an item that is neither streamed text nor a tool call appeared
	// or changed; read it with threads.items.
	ThreadItem struct {
		Item   ItemID     `json:"item"`
		Kind   ItemKind   `json:"kind"`
		Status ItemStatus `json:"status"`
		Title  string     `json:"title"`
		Parent ItemID     `json:"parent"`
	}
	// ThreadPlan: the agent's plan changed; it is in the item.
	ThreadPlan struct {
		Item  ItemID `json:"item"`
		Done  int    `json:"done"`
		Total int    `json:"total"`
	}
	// ThreadUsage: what the turn used.
	ThreadUsage struct {
		Usage
	}
	// ThreadMode: the session's mode is now Mode. By says who set it.
	ThreadMode struct {
		Mode Mode   `json:"mode"`
		By   string `json:"by"`
	}
	// ThreadModel: the session's model is now Model.
	ThreadModel struct {
		Model string `json:"model"`
		By    string `json:"by"`
	}
	// ThreadQueued: a message waits for the running turn's end.
	ThreadQueued struct {
		Message MessageID `json:"message"`
		Text    string    `json:"text"`
		By      string    `json:"by"`
	}
	// ThreadSent: a message was handed to the agent.
	ThreadSent struct {
		Message MessageID `json:"message"`
		Via     Via       `json:"via"`
		Turn    TurnID    `json:"turn"`
		By      string    `json:"by"`
	}
	// ThreadSteered: the agent took a message into the running turn.
	ThreadSteered struct {
		Message MessageID `json:"message"`
	}
	// ThreadLimit: the provider's limit, as the agent told it.
	ThreadLimit struct {
		Status   string `json:"status"`
		Window   string `json:"window"`
		ResetsAt Time   `json:"resets_at"`
	}
	// ThreadStopped: the thread has no process any more.
	ThreadStopped struct {
		Reason StopReason `json:"reason"`
		Detail string     `json:"detail"`
		By     string     `json:"by"` // who asked for it, or empty
	}
	// ThreadBreach: the session did what was not allowed; it was stopped.
	ThreadBreach struct {
		What string `json:"what"`
	}
	// ThreadRenamed: the thread has a new name.
	ThreadRenamed struct {
		Name string `json:"name"`
		By   string `json:"by"`
	}
	// ThreadArchived: the thread was put away, or taken out again.
	ThreadArchived struct {
		Archived bool   `json:"archived"`
		By       string `json:"by"`
	}
	// ThreadEdited: the words of a queued message changed. Text is how it begins.
	ThreadEdited struct {
		Message MessageID `json:"message"`
		Text    string    `json:"text"`
		By      string    `json:"by"`
	}
	// ThreadUnqueued: a queued message was taken back; it is not sent.
	ThreadUnqueued struct {
		Message MessageID `json:"message"`
		By      string    `json:"by"`
	}
	// ThreadMoved: a queued message goes before another now, or last.
	ThreadMoved struct {
		Message MessageID `json:"message"`
		Before  MessageID `json:"before"` // empty: it goes last
		By      string    `json:"by"`
	}
	// ThreadRewound: the conversation went back to before a message. The turns from
	// Turn on, and their items, are not part of it any more.
	ThreadRewound struct {
		Message MessageID `json:"message"`
		Turn    TurnID    `json:"turn"`
		Files   bool      `json:"files"` // files were put back as well
		By      string    `json:"by"`
	}
	// ThreadFolder: the thread's folder is at another place now.
	ThreadFolder struct {
		CWD string `json:"cwd"`
		By  string `json:"by"`
	}
	// ThreadTask: work in the background began, went on or ended.
	ThreadTask struct {
		Task  string `json:"task"`
		Title string `json:"title"`
		State string `json:"state"` // running | completed | failed | stopped, or the agent's word
		Done  bool   `json:"done"`
		Item  ItemID `json:"item,omitempty"` // the call that began it
	}
	// ThreadEffort: how hard the model thinks was set.
	ThreadEffort struct {
		Effort string `json:"effort"`
		By     string `json:"by"`
	}
	// ThreadParked: the thread waits for a limit or the disk, or (Why empty) goes on.
	ThreadParked struct {
		Why      Parking `json:"why"`
		Until    Time    `json:"until"`
		Fallback string  `json:"fallback,omitempty"` // it goes on with this credential instead
	}
	// ThreadBudget: what the thread may cost was set; 0 is no bound.
	ThreadBudget struct {
		BudgetMicros int64  `json:"budget_micros"`
		CostMicros   int64  `json:"cost_micros"` // so far
		By           string `json:"by"`
	}
	// ThreadDeleted: the thread's rows are gone.
	ThreadDeleted struct {
		By string `json:"by"`
	}
	// SlotsChanged: a place for parallel work was asked for, given or given back.
	SlotsChanged struct {
		Slot     string `json:"slot"` // its id
		Kind     string `json:"kind"` // subagent | teammate
		Project  string `json:"project"`
		State    string `json:"state"`    // waiting | held | released
		Position int    `json:"position"` // in the line, from 1; 0 when it does not wait
		Held     int    `json:"held"`     // places in use on this node
		Limit    int    `json:"limit"`    // places there are on this node; 0: no bound
	}
	// AskRaised: a question waits for a person.
	AskRaised struct {
		Ask   AskID   `json:"ask"`
		Kind  AskKind `json:"kind"`
		Tool  string  `json:"tool"`
		Title string  `json:"title"`
	}
	// AskAnsweredData: the answer reached the session.
	AskAnsweredData struct {
		Ask      AskID    `json:"ask"`
		Decision Decision `json:"decision"`
		Scope    Scope    `json:"scope"`
		By       string   `json:"by"`
		Proof    string   `json:"proof"`
		Level    string   `json:"level"`
	}
	// AskCancelledData: the question can't be answered any more.
	AskCancelledData struct {
		Ask AskID  `json:"ask"`
		Why string `json:"why"`
	}
	// GrantAdded: a person gave a standing allow.
	GrantAdded struct {
		Grant   GrantID   `json:"grant"`
		Project string    `json:"project"`
		Kind    GrantKind `json:"kind"`
		Words   string    `json:"words"` // what it allows, exactly
		From    AskID     `json:"from,omitempty"`
		Expires Time      `json:"expires"`
		By      string    `json:"by"`
		Proof   string    `json:"proof"`
		Level   string    `json:"level"`
	}
	// GrantRevoked: a standing allow holds no more.
	GrantRevoked struct {
		Grant   GrantID `json:"grant"`
		Project string  `json:"project"`
		Words   string  `json:"words"`
		By      string  `json:"by"`
	}
	// CallRefused: somebody called what is not for them. Count is how many such calls of
	// theirs are told by this event.
	CallRefused struct {
		Tool   string `json:"tool"`
		Caller string `json:"caller"`
		Level  string `json:"level"`
		Code   string `json:"code"`
		About  string `json:"about"` // what it named: ask 5c18722d, or empty
		Count  int64  `json:"count"`
	}
)

// EventKind implements EventData.
func (ThreadStarted) EventKind() Kind    { return EvThreadStarted }
func (ThreadState) EventKind() Kind      { return EvThreadState }
func (ThreadTurn) EventKind() Kind       { return EvThreadTurn }
func (ThreadFinished) EventKind() Kind   { return EvThreadFinished }
func (ThreadText) EventKind() Kind       { return EvThreadText }
func (ThreadTool) EventKind() Kind       { return EvThreadTool }
func (ThreadItem) EventKind() Kind       { return EvThreadItem }
func (ThreadRefused) EventKind() Kind    { return EvThreadRefused }
func (ThreadApplied) EventKind() Kind    { return EvThreadApplied }
func (ThreadPlan) EventKind() Kind       { return EvThreadPlan }
func (ThreadUsage) EventKind() Kind      { return EvThreadUsage }
func (ThreadMode) EventKind() Kind       { return EvThreadMode }
func (ThreadModel) EventKind() Kind      { return EvThreadModel }
func (ThreadQueued) EventKind() Kind     { return EvThreadQueued }
func (ThreadSent) EventKind() Kind       { return EvThreadSent }
func (ThreadSteered) EventKind() Kind    { return EvThreadSteered }
func (ThreadLimit) EventKind() Kind      { return EvThreadLimit }
func (ThreadStopped) EventKind() Kind    { return EvThreadStopped }
func (ThreadBreach) EventKind() Kind     { return EvThreadBreach }
func (ThreadRenamed) EventKind() Kind    { return EvThreadRenamed }
func (ThreadArchived) EventKind() Kind   { return EvThreadArchived }
func (AskRaised) EventKind() Kind        { return EvAskRaised }
func (AskAnsweredData) EventKind() Kind  { return EvAskAnswered }
func (AskCancelledData) EventKind() Kind { return EvAskCancelled }
func (GrantAdded) EventKind() Kind       { return EvGrantAdded }
func (GrantRevoked) EventKind() Kind     { return EvGrantRevoked }
func (CallRefused) EventKind() Kind      { return EvCallRefused }
func (ThreadEdited) EventKind() Kind     { return EvThreadEdited }
func (ThreadUnqueued) EventKind() Kind   { return EvThreadUnqueued }
func (ThreadMoved) EventKind() Kind      { return EvThreadMoved }
func (ThreadRewound) EventKind() Kind    { return EvThreadRewound }
func (ThreadTask) EventKind() Kind       { return EvThreadTask }
func (ThreadEffort) EventKind() Kind     { return EvThreadEffort }
func (ThreadParked) EventKind() Kind     { return EvThreadParked }
func (ThreadDeleted) EventKind() Kind    { return EvThreadDeleted }
func (ThreadBudget) EventKind() Kind     { return EvThreadBudget }
func (SlotsChanged) EventKind() Kind     { return EvSlotsChanged }
func (ThreadFolder) EventKind() Kind     { return EvThreadFolder }
