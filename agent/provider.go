package agent

import (
	"context"
	"encoding/json"

	"vyre"
)

// Capabilities is what a provider declares. The conformance suite compares it
// with what a live session does.
type Capabilities struct {
	Streaming   bool `json:"streaming"`    // words come as they are made
	Resume      bool `json:"resume"`       // a conversation can be continued by a new process
	OwnID       bool `json:"own_id"`       // the conversation's id can be chosen by us
	Interrupt   bool `json:"interrupt"`    // a turn can be cut and the session outlives it
	Steer       bool `json:"steer"`        // a message can join a running turn
	Questions   bool `json:"questions"`    // the agent can ask the person something
	Plans       bool `json:"plans"`        // the agent can put a plan up for approval
	SetMode     bool `json:"set_mode"`     // live
	SetModel    bool `json:"set_model"`    // live
	History     bool `json:"history"`      // Delivered can tell whether a message arrived
	InstantStop bool `json:"instant_stop"` // an interrupt also ends running commands
	Fork        bool `json:"fork"`         // a conversation can go on as a copy
	Rewind      bool `json:"rewind"`       // a conversation can go back before a message
	RewindFiles bool `json:"rewind_files"` // and the files with it
	Compact     bool `json:"compact"`      // the conversation can be shortened on demand
	Tasks       bool `json:"tasks"`        // work in the background is told and can be stopped
	Hooks       bool `json:"hooks"`        // the agent can be made to wait at its hooks
	Tools       bool `json:"tools"`        // the host's own tools can be offered to it
	SetEffort   bool `json:"set_effort"`   // live
	Attachments bool `json:"attachments"`  // a message can carry pictures
	Suggest     bool `json:"suggest"`      // it suggests files while a person types
	Context     bool `json:"context"`      // it says how its context window is used
}

// ModeInfo maps one of our modes to the provider's own name.
type ModeInfo struct {
	Mode   vyre.Mode `json:"mode"`
	Native string    `json:"native"`
	Label  string    `json:"label"`
}

// ModelInfo is one model of a catalogue.
type ModelInfo struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Info is what a provider is.
type Info struct {
	Name         string       `json:"provider"` // claude, codex, opencode, …
	Driver       string       `json:"driver"`   // the protocol's package: claude, codex, acp
	Label        string       `json:"label"`    // for people
	Capabilities Capabilities `json:"capabilities"`
	Modes        []ModeInfo   `json:"modes"`
	Models       []ModelInfo  `json:"models"` // known before a session; may be empty
	Large        string       `json:"large"`  // its own name of its best model, or empty: its default
	Small        string       `json:"small"`  // and of a quick and cheap one
	Executables  []string     `json:"-"`      // base names of its programs, for telling callers apart
	// Folders are parts of the path of its program, or of the script that an interpreter
	// runs for it (the folder of its package), for the same.
	Folders []string `json:"-"`
	// SubagentTools are its tools that begin an agent inside the session.
	SubagentTools []string `json:"-"`
}

// Named is the provider's own name of a model: vyre.ModelLarge and ModelSmall are
// words for what it has, anything else is its own already.
func (i Info) Named(model string) string {
	switch model {
	case vyre.ModelLarge:
		return i.Large
	case vyre.ModelSmall:
		return i.Small
	}
	return model
}

// Install is what was found on this machine.
type Install struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Pinned  string `json:"pinned"`  // the version this build was measured with
	Warning string `json:"warning"` // a version other than the pinned one runs, and says so
}

// Options is what one session needs. The zero values are the agent's defaults.
type Options struct {
	NativeID string    // the conversation's id at the provider: to choose (OwnID), or to resume
	Resume   bool      // continue NativeID
	CWD      string    // absolute; the session's folder
	Model    string    // provider's model id, or empty
	Mode     vyre.Mode // empty: ask
	Binary   string    // absolute path of the agent's program

	// Env is the whole environment of the session's process as "K=V", already
	// filtered; Command adds what the protocol itself needs.
	Env []string

	// Credential, if not nil, is handed over by a one-shot descriptor.
	Credential *Credential

	// ForkOf, if set, makes a copy: the conversation of that id goes on as NativeID,
	// and ForkOf stays as it is. Resume is false then. The copy may have no history
	// before its first message; until History finds one, it is started with ForkOf again.
	ForkOf string
	// ResumeAt cuts a resumed or forked conversation: it ends with that row, as
	// Rewinder.Before named it.
	ResumeAt string

	Effort string // how hard the model thinks, or empty
	// BudgetMicros bounds what the process may cost, where the agent can bound it; 0: no bound.
	BudgetMicros int64
	// Hooks at which the agent waits for its host, and Tools that the host offers.
	// HookTools narrows HookPreTool and HookPostTool to these tools; none means all.
	Hooks     []HookKind
	HookTools []string
	Tools     []ToolSpec

	// System is added to the agent's own system prompt.
	System string
	// SystemChanged says that a resumed conversation began with another System, so
	// that an agent which keeps the prompt it began with takes the new one.
	SystemChanged bool
	// Bare starts without the person's settings, tools and hooks (jobs).
	Bare bool
	// FolderSettings lets the agent take the settings that its folder brings (Carrier).
	// It is for folders whose settings a person saw; without it only words that the
	// folder has for every agent are read (CLAUDE.md and its like).
	FolderSettings bool
	// MaxTurns bounds the model's rounds; 0: no bound.
	MaxTurns int
	// NonessentialTraffic lets the agent fetch what its vendor offers beside the
	// model; false exports the vendor's opt-outs.
	NonessentialTraffic bool
}

// ToolSpec is a tool that the host offers to its agent.
type ToolSpec struct {
	Name        string          `json:"name"` // [a-z0-9_]{1,64}
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of the input, an object
	ReadOnly    bool            `json:"read_only"`
	// Unasked tools may be used without a question to a person; it is for who decides
	// about questions, and no protocol tells the agent.
	Unasked bool `json:"-"`
}

// Credential is a secret for one session. It never goes into an environment, an
// argument or a log.
type Credential struct {
	Kind  CredentialKind
	Value []byte
}

// CredentialKind says what a Credential is.
type CredentialKind string

// The kinds of credentials.
const (
	CredentialAPIKey     CredentialKind = "api-key"
	CredentialOAuthToken CredentialKind = "setup-token"
)

// Command is how to run the agent. Its stdio are socketpairs, made by whoever
// runs it: with a pipe any command the agent runs can write to the agent's own
// stdin through /proc and answer its own questions (measured on Claude Code
// 2.1.332; a socketpair can't be opened that way).
type Command struct {
	Path string
	Args []string // without argv[0]
	Env  []string // complete
	Dir  string
	// OneShot are byte strings for descriptors 3, 4, …: each is put into a pipe
	// whose writing end is closed at once, so one read empties it for ever.
	OneShot [][]byte
}

// Provider is one kind of agent. Its methods may be called from any goroutine.
type Provider interface {
	// Info says what it is and declares to do. It does no IO.
	Info() Info

	// Detect looks at the program at path ("" looks where the provider's own
	// installer and PATH would have it). Errors are *vyre.Error: unavailable for
	// a missing, broken or too old program, with what to do.
	Detect(ctx context.Context, path string) (Install, error)

	// Command builds the command line. It does no IO and refuses (invalid) what
	// it can't express.
	Command(o Options) (Command, error)

	// Protocol makes the protocol of one session run with o.
	Protocol(o Options) Protocol

	// Acts says what a call of a tool would do. source is the tool's, as the protocol
	// reported it; cwd is absolute. It does no IO, never fails and never returns
	// nothing: a call that it does not know for certain is one act of kind other.
	Acts(tool, source string, input json.RawMessage, cwd string) []Act

	// Delivered reports whether the provider's own history of o.NativeID holds
	// the message, so that it is never said twice. known is false where the
	// history can't be read: then nobody can tell.
	Delivered(ctx context.Context, o Options, id vyre.MessageID) (delivered, known bool, err error)
}
