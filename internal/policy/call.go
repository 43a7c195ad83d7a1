package policy

import (
	"vyre"
)

// Call is a tool call that somebody wants judged.
type Call struct {
	Acts     []vyre.Act // what it would do, from the thread's driver; none is judged like an unknown one
	Tool     string     // the provider's name of the tool
	Source   string     // builtin | vyre | config:<server>
	Thread   vyre.ThreadID
	Project  string // the folder that project rules hold for
	Provider string
	Mode     vyre.Mode
	CWD      string // absolute: where the session is
}

// Facts is what the rules need to know of the machine. The zero value knows
// nothing; then less passes.
type Facts struct {
	Home     string   // the person's home folder
	VyreHome string   // VYRE_HOME
	Configs  []string // further folders that agents' settings lie in (CLAUDE_CONFIG_DIR, CODEX_HOME)
	Own      []string // folders that are the agent's to write, wherever they lie: its work tree, its own folder
	Files    Files    // nil: no link is followed, and less is allowed

	// Granted says whether a grant covers one part of a call, and which. It is asked
	// for plain parts alone: literal words, nothing redirected into a file, no
	// variable set. nil: there are no grants.
	Granted func(Call, Part) (grant string, ok bool)
	// Outward says whether the call is an outward act, and what to do instead. nil:
	// none is.
	Outward func(Call) (why string, ok bool)
}

// Files is what the rules ask of the disk. An implementation must not change
// anything and must not fail: what it can't tell it says so.
type Files interface {
	// Real follows every symbolic link of an absolute path, also of the folders above a
	// file that is not there yet, and goes up at each .. as the system does, after the
	// link before it. ok is false where it can't be known.
	Real(path string) (real string, ok bool)
	// ID names the file behind a path, equal for two names of one file. links is how
	// many names it has; 0: there is no such file, or the system can't say.
	ID(path string) (id FileID, links uint64)
}

// FileID names a file on this machine.
type FileID struct{ Device, Inode uint64 }

// By says which rule a verdict comes from.
type By string

// The rules, in the order in which they are asked.
const (
	ByFloor    By = "floor"    // what nobody may, or what is always asked
	ByGate     By = "gate"     // outward acts wait at the gate
	ByGrant    By = "grant"    // a person's standing allow
	ByReadonly By = "readonly" // it only reads
	ByPerson   By = "person"   // nothing else lets it pass: a person decides
)

// Verdict is what the rules say of a call.
type Verdict struct {
	Verdict vyre.Verdict `json:"verdict"`
	By      By           `json:"by"`
	Why     string       `json:"why"`             // a sentence for people
	Grant   string       `json:"grant,omitempty"` // by grant: the first one that was used
	Parts   []Part       `json:"parts"`           // what was judged, in order
}

// Part is one thing that a call does: one command of a command line, one file
// that is written. The strictest part decides.
type Part struct {
	Kind    vyre.ActKind `json:"kind"`
	Text    string       `json:"text"` // what was judged, with hidden characters made visible
	Verdict vyre.Verdict `json:"verdict"`
	By      By           `json:"by"`
	Why     string       `json:"why"`
	Grant   string       `json:"grant,omitempty"`

	// Args is a command's words without quotes, if all are literal. Grants match these.
	Args []string `json:"args,omitempty"`
	// Path is what a part of kind write or read is about, absolute, links followed.
	Path string `json:"path,omitempty"`
	// CWD is where it happens, absolute; empty where nobody can tell.
	CWD string `json:"cwd,omitempty"`
	// Plain says that a grant may cover this part.
	Plain bool `json:"plain"`
}
