package grants

import (
	"context"
	"path/filepath"
	"time"

	"vyre"
	"vyre/internal/policy"
	"vyre/internal/registry"
)

// Book gives grants and takes them back. internal/grants implements it.
type Book interface {
	Add(ctx context.Context, g vyre.Grant) (vyre.Grant, error)
	Revoke(ctx context.Context, id vyre.GrantID, by vyre.Caller) (vyre.Grant, error)
}

// Store reads grants. internal/store/sqlite implements it.
type Store interface {
	Grants(ctx context.Context, project string, all bool) ([]vyre.Grant, error)
}

// Module holds what the tools need.
type Module struct {
	Book  Book
	Store Store
	Judge func(policy.Call) policy.Verdict
	Now   func() time.Time
}

// Register declares the tools and the events of grants.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "grants.add", Effect: vyre.EffectAdmin, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Let every agent do something in a project unasked from now on: one command, a known beginning of commands, edits below a folder, or one tool of one server.",
	}, m.add)
	registry.Define(r, vyre.Tool{
		Name: "grants.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the standing allows: what each lets pass, where it came from, how often it was used.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "grants.test", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "Say whether a command, an edit or a tool would go unasked in a project, and by which grant. Nothing runs.",
	}, m.test)
	registry.Define(r, vyre.Tool{
		Name: "grants.revoke", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson,
		Summary: "Take a standing allow back. The next call is asked.",
	}, m.revoke)
	registry.DefineEvent[vyre.GrantAdded](r, "A person gave a standing allow.")
	registry.DefineEvent[vyre.GrantRevoked](r, "A standing allow holds no more.")
}

// AddIn is the input of grants.add.
type AddIn struct {
	Project string         `json:"project" jsonschema:"the project's folder, absolute"`
	Kind    vyre.GrantKind `json:"kind" jsonschema:"command (exactly these words), prefix (what begins so), write (edits below a folder) or tool"`
	Args    []string       `json:"args,omitempty" jsonschema:"command, prefix: the words"`
	Path    string         `json:"path,omitempty" jsonschema:"write: the folder, relative to the project; . is all of it"`
	Source  string         `json:"source,omitempty" jsonschema:"tool: config:<server>"`
	Tool    string         `json:"tool,omitempty" jsonschema:"tool: its name as the agent has it"`
	Expires string         `json:"expires,omitempty" jsonschema:"a time in RFC 3339, or a duration like 8h; never by default"`
}

// Shown is a grant with its words.
type Shown struct {
	vyre.Grant
	Words string `json:"words"` // what it lets pass, exactly
}

func shown(g vyre.Grant) Shown { return Shown{g, g.Words()} }

func (m *Module) add(ctx context.Context, c vyre.Caller, in AddIn) (Shown, error) {
	project, err := folder(in.Project)
	if err != nil {
		return Shown{}, err
	}
	expires, err := m.until(in.Expires)
	if err != nil {
		return Shown{}, err
	}
	g, err := m.Book.Add(ctx, vyre.Grant{
		Project: project, Expires: expires, By: c.String(), Proof: c.Proof, Level: c.Level,
		GrantSpec: vyre.GrantSpec{Kind: in.Kind, Args: in.Args, Path: in.Path, Source: in.Source, Tool: in.Tool},
	})
	return shown(g), err
}

func folder(project string) (string, error) {
	if !filepath.IsAbs(project) {
		return "", vyre.Invalid("project", "%q is not an absolute path", project)
	}
	return filepath.Clean(project), nil
}

func (m *Module) until(s string) (vyre.Time, error) {
	if s == "" {
		return 0, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if d, derr := time.ParseDuration(s); derr == nil {
		at, err = m.Now().Add(d), nil
	}
	if err != nil || !at.After(m.Now()) {
		return 0, vyre.Invalid("expires", "a time to come in RFC 3339, or a duration like 8h")
	}
	return vyre.At(at), nil
}

// ListIn is the input of grants.list.
type ListIn struct {
	Project string `json:"project,omitempty" jsonschema:"only this project's"`
	All     bool   `json:"all,omitempty" jsonschema:"also those that were taken back or are over"`
}

// ListOut is the output of grants.list, the oldest first.
type ListOut struct {
	Grants []Shown `json:"grants"`
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, in ListIn) (ListOut, error) {
	list, err := m.Store.Grants(ctx, in.Project, in.All)
	out := ListOut{}
	for _, g := range list {
		if in.All || g.Holds(vyre.At(m.Now())) {
			out.Grants = append(out.Grants, shown(g))
		}
	}
	return out, err
}

// TestIn is the input of grants.test: a command line, a file that a file tool would
// write, or a tool of a server.
type TestIn struct {
	Project string    `json:"project" jsonschema:"the project's folder, absolute"`
	Command string    `json:"command,omitempty" jsonschema:"a command line"`
	Path    string    `json:"path,omitempty" jsonschema:"a file that would be written, absolute or relative to the project"`
	Source  string    `json:"source,omitempty" jsonschema:"config:<server>, with tool"`
	Tool    string    `json:"tool,omitempty" jsonschema:"a tool of a server"`
	Mode    vyre.Mode `json:"mode,omitempty" jsonschema:"ask by default"`
}

func (m *Module) test(_ context.Context, _ vyre.Caller, in TestIn) (policy.Verdict, error) {
	project, err := folder(in.Project)
	if err != nil {
		return policy.Verdict{}, err
	}
	if in.Mode == "" {
		in.Mode = vyre.ModeAsk
	}
	act := vyre.Act{CWD: project, Source: "builtin"}
	call := policy.Call{Source: "builtin", Project: project, CWD: project, Mode: in.Mode}
	switch {
	case in.Command != "" && in.Path == "" && in.Tool == "":
		act.Kind, act.Command, act.Shell = vyre.ActCommand, in.Command, "bash"
	case in.Path != "" && in.Command == "" && in.Tool == "":
		act.Kind, act.Paths = vyre.ActWrite, []string{in.Path}
	case in.Tool != "" && in.Command == "" && in.Path == "":
		act.Kind, act.Source = vyre.ActOther, in.Source
		call.Tool, call.Source = in.Tool, in.Source
	default:
		return policy.Verdict{}, vyre.Invalid("command", "one of command, path and tool")
	}
	call.Acts = []vyre.Act{act}
	return m.Judge(call), nil
}

// RevokeIn is the input of grants.revoke.
type RevokeIn struct {
	Grant vyre.GrantID `json:"grant" jsonschema:"its id"`
}

func (m *Module) revoke(ctx context.Context, c vyre.Caller, in RevokeIn) (Shown, error) {
	g, err := m.Book.Revoke(ctx, in.Grant, c)
	return shown(g), err
}
