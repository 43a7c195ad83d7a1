package vyre

import "strings"

// GrantID names a standing allow.
type GrantID string

// GrantKind is what a grant is about.
type GrantKind string

// The kinds of grants.
const (
	GrantCommand GrantKind = "command" // one command, exactly these words
	GrantPrefix  GrantKind = "prefix"  // a command that begins with these words, where its program is known
	GrantWrite   GrantKind = "write"   // file tools write below this folder of the project
	GrantTool    GrantKind = "tool"    // one tool of one server
)

// GrantKinds lists every kind once.
var GrantKinds = []GrantKind{GrantCommand, GrantPrefix, GrantWrite, GrantTool}

// GrantSpec is what a grant allows.
type GrantSpec struct {
	Kind   GrantKind `json:"kind"`
	Args   []string  `json:"args,omitempty"`   // command, prefix: the words
	Path   string    `json:"path,omitempty"`   // write: a folder, relative to the project; "." is all of it
	Source string    `json:"source,omitempty"` // tool: config:<server>
	Tool   string    `json:"tool,omitempty"`   // tool: the provider's name of it
}

// Words says what is allowed, exactly and for people.
func (s GrantSpec) Words() string {
	switch s.Kind {
	case GrantCommand:
		return quoted(s.Args)
	case GrantPrefix:
		return quoted(s.Args) + " …"
	case GrantWrite:
		if s.Path == "." {
			return "edits of files in the project"
		}
		return "edits of files in " + s.Path + "/"
	case GrantTool:
		return s.Tool + " of " + s.Source
	}
	return string(s.Kind)
}

// quoted writes words as a shell would need them.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,+@%^", r))
		}) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}

// Grant is a standing allow that a person gave. It holds in one project, for every
// provider.
type Grant struct {
	ID      GrantID `json:"grant"`
	Project string  `json:"project"` // the folder it holds in
	GrantSpec
	From      AskID  `json:"from,omitempty"` // the ask that it was made from
	By        string `json:"by"`
	Proof     string `json:"proof"`
	Level     string `json:"level"`
	Created   Time   `json:"created"`
	Expires   Time   `json:"expires"` // zero: never
	Uses      int64  `json:"uses"`
	LastUsed  Time   `json:"last_used"`
	Revoked   Time   `json:"revoked"` // zero: it holds
	RevokedBy string `json:"revoked_by,omitempty"`
}

// Holds reports whether the grant is in force.
func (g Grant) Holds(now Time) bool {
	return g.Revoked == 0 && (g.Expires == 0 || now < g.Expires)
}

// GrantUse notes that a call went ahead by a grant.
type GrantUse struct {
	Grant GrantID
	At    Time
}

// Event tells that the grant was given.
func (g Grant) Event() GrantAdded {
	return GrantAdded{
		Grant: g.ID, Project: g.Project, Kind: g.Kind, Words: g.Words(), From: g.From,
		Expires: g.Expires, By: g.By, Proof: g.Proof, Level: g.Level,
	}
}
