package vyre

// ActKind says what sort of thing a tool call would do.
type ActKind string

// The kinds of acts.
const (
	ActCommand ActKind = "command" // run a command line
	ActWrite   ActKind = "write"   // write, change, move or remove a file
	ActRead    ActKind = "read"    // read files or a folder
	ActFetch   ActKind = "fetch"   // get something over the network
	ActSend    ActKind = "send"    // tell somebody outside something
	ActAgent   ActKind = "agent"   // begin another agent
	ActInert   ActKind = "inert"   // the agent's own notes: nothing outside it changes
	ActOther   ActKind = "other"   // nobody here knows
)

// ActKinds lists every kind once.
var ActKinds = []ActKind{ActCommand, ActWrite, ActRead, ActFetch, ActSend, ActAgent, ActInert, ActOther}

// Act is one thing that a tool call would do, in no provider's words. A driver
// makes the acts of a call; rules are about acts and never about tools' names.
// What a driver does not know for certain is an ActOther, and nobody but a
// person lets that pass.
type Act struct {
	Kind    ActKind  `json:"kind"`
	Command string   `json:"command,omitempty"` // command: the whole text
	Shell   string   `json:"shell,omitempty"`   // command: its dialect, bash unless the driver says another
	Paths   []string `json:"paths,omitempty"`   // write, read: as the call has them, absolute or below CWD
	URL     string   `json:"url,omitempty"`     // fetch, send: where to
	CWD     string   `json:"cwd"`               // absolute: where the call starts
	Source  string   `json:"source"`            // builtin | vyre | config:<server>, by the protocol's word

	// Edits say what a write of one file would make of it, in order, where the call says
	// it whole.
	Edits []FileEdit `json:"edits,omitempty"`
}

// Verdict is what the rules say of a call before a person is asked.
type Verdict string

// The verdicts.
const (
	VerdictDeny  Verdict = "deny"  // it may not happen, whoever says yes
	VerdictAsk   Verdict = "ask"   // a person decides
	VerdictAllow Verdict = "allow" // it goes ahead unasked
)

// Verdicts lists every verdict once.
var Verdicts = []Verdict{VerdictDeny, VerdictAsk, VerdictAllow}

// FileEdit is one change of a file's text: its whole new content, or Old (the file as
// it is then holds it once, or All of it is replaced) by New.
type FileEdit struct {
	Whole bool   `json:"whole,omitempty"`
	Old   string `json:"old,omitempty"`
	New   string `json:"new"`
	All   bool   `json:"all,omitempty"`
}

// FilePlan is what edits would make of a file, as it stands now. Digest is of the path,
// of what is there and of what would be there.
type FilePlan struct {
	Path   string `json:"path"`   // absolute, links followed
	Exists bool   `json:"exists"` // the file is there already
	Before string `json:"before"`
	After  string `json:"after"`
	Digest string `json:"digest"`
}
