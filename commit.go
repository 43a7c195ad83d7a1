package vyre

// Commit is one atomic change of the store: rows as they shall be, and the
// events that tell of it. Rows replace what has the same id. Everything in it
// is on disk, or nothing is.
//
// The owner of a thread (its goroutine in the engine) is the only one that
// commits rows of that thread, so whole rows need no merging.
type Commit struct {
	// Durable commits are acknowledged to somebody and are on disk (fsync)
	// before Commit returns. Others ride along cheaply: they survive the death
	// of the process, and what a power cut takes of them the agent's spool can
	// give again.
	Durable bool

	Threads  []Thread
	Turns    []Turn
	Items    []Item   // Rev is set by the store: the seq of the commit's last event
	Outputs  []Output // large outputs of items, kept beside them; each replaces what its item had
	Asks     []Ask
	Messages []Message
	Sessions []Session   // insert or replace, all fields
	Forget   []SessionID // sessions (and their frames) to remove: a refused start leaves no row
	Frames   []Frame
	Acked    []FrameRef      // frames to forget
	Spool    *SpoolMark      // moves a session's reading position, without the other fields
	Events   []Event         // Seq and TS are set by the store, in this order
	Vault    *VaultWrite     // a vault item to put or delete
	Holders  []VaultGrant    // who may have items of the vault
	Unheld   []VaultGrant    // who may not any more: name, kind and holder
	Requests []VaultRequest  // of agents for items
	Taken    *VaultUse       // an item was handed out
	Tasks    []Task          // work in the background; one that is done is removed
	Rewind   *RewindMark     // marks turns and their items as rewound
	Copy     *CopyMark       // copies what a thread shows into another one
	Slots    []Slot          // released ones go
	Calls    []CallMark      // of our own tools; one that is over is removed
	Grants   []Grant         // standing allows, all fields but their counts
	Used     []GrantUse      // calls that went ahead by them
	Passkeys []Passkey       // insert or replace, all fields
	SignIns  []SignIn        // persons' sessions on the page, insert or replace
	SignOuts []SignInID      // those to remove
	Trust    []TrustDecision // on folders; one without a decision is taken back
	Model    *ModelSetting   // a model that was set; an empty Model takes the setting away
	Prompt   *PromptVersion  // a new version of a prompt
	Audit    []AuditEntry    // N and At are set by the store
	Gate     []GateWrite     // acts at the gate, each if it stands as it says
	Delete   ThreadID        // a thread to remove with all its rows; the data of its older events goes
}

// Empty reports whether the commit changes nothing.
func (c *Commit) Empty() bool {
	return len(c.Threads)+len(c.Turns)+len(c.Items)+len(c.Asks)+len(c.Messages)+
		len(c.Sessions)+len(c.Frames)+len(c.Acked)+len(c.Events)+len(c.Forget)+len(c.Outputs)+
		len(c.Tasks)+len(c.Slots)+len(c.Calls)+len(c.Holders)+len(c.Unheld)+len(c.Requests)+
		len(c.Passkeys)+len(c.SignIns)+len(c.SignOuts)+
		len(c.Grants)+len(c.Used)+len(c.Trust)+len(c.Audit)+len(c.Gate) == 0 && c.Spool == nil && c.Vault == nil &&
		c.Taken == nil && c.Rewind == nil && c.Copy == nil && c.Model == nil && c.Prompt == nil && c.Delete == ""
}

// FrameRef names a frame.
type FrameRef struct {
	Session SessionID
	N       uint64
}

// SpoolMark says how far a session's output has been read and committed.
type SpoolMark struct {
	Session    SessionID
	Committed  int64
	Checkpoint int64
}

// RewindMark marks every turn of a thread from a number on, and all their items,
// as rewound. The rows stay; the items' Rev is the commit's last event.
type RewindMark struct {
	Thread ThreadID
	From   int // the first turn that the conversation went back before, counting from 1
}

// CopyMark copies the items and messages of a thread's turns below Before, what was
// rewound left out, into a new thread. Turns are not copied: what they used was used
// once. The items' Rev is the commit's last event.
type CopyMark struct {
	From, To ThreadID
	Before   int
}

// CallMark notes a call of one of our tools that changes something and began, or
// (Done) that it is over.
type CallMark struct {
	Thread  ThreadID
	Request string // the agent's own id of it
	Tool    string
	Done    bool
}
