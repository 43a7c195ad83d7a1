package threads

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"vyre"
	"vyre/internal/engine"
)

// StartIn is the input of threads.start.
type StartIn struct {
	Provider     string       `json:"provider" jsonschema:"which agent, as providers.list names it"`
	Prompt       string       `json:"prompt,omitempty" jsonschema:"the first message"`
	CWD          string       `json:"cwd" jsonschema:"the folder to work in: absolute, and it exists"`
	Model        string       `json:"model,omitempty" jsonschema:"large, small or the provider's model id, which the thread then keeps; by default as sessions.models.get says"`
	Mode         vyre.Mode    `json:"mode,omitempty" jsonschema:"how much goes unasked; default ask"`
	Purpose      vyre.Purpose `json:"purpose,omitempty" jsonschema:"what the thread is for; by default project in a project's folder, else chat"`
	Once         bool         `json:"once,omitempty" jsonschema:"a job: one turn, without tools and settings, within a budget"`
	BudgetMicros int64        `json:"budget_micros,omitempty" jsonschema:"what it may cost over its whole life, in micro-dollars; no bound by default, a dollar for a job"`
	Name         string       `json:"name,omitempty" jsonschema:"a name for people; by default the start of the prompt"`
	Key          Key          `json:"key,omitempty" jsonschema:"makes a retry safe: the same key with the same input returns the first outcome"`

	Attachments []string `json:"attachments,omitempty" jsonschema:"ids that threads.attach gave, for the prompt"`

	Worktree bool   `json:"worktree,omitempty" jsonschema:"work in a git worktree of its own, made for this thread"`
	Branch   string `json:"branch,omitempty" jsonschema:"with worktree: the name of its new branch"`
	Base     string `json:"base,omitempty" jsonschema:"with worktree: the commit or branch that it begins at; default what is checked out in cwd"`
}

// StartOut is the output of threads.start. Turn is null without a prompt.
type StartOut struct {
	Thread vyre.ThreadID `json:"thread"`
	Turn   vyre.TurnID   `json:"turn"`
}

// Key is a caller's idempotency key.
type Key string

const (
	maxName = 200
)

func (m *Module) start(ctx context.Context, c vyre.Caller, in StartIn) (StartOut, error) {
	if err := checkKey(in.Key); err != nil {
		return StartOut{}, err
	}
	cwd, err := folder(in.CWD)
	if err != nil {
		return StartOut{}, err
	}
	if utf8.RuneCountInString(in.Name) > maxName {
		return StartOut{}, vyre.Invalid("name", "at most %d characters", maxName)
	}
	if err := in.jobs(); err != nil {
		return StartOut{}, err
	}
	project := projectOf(cwd)
	if in.Purpose == "" {
		in.Purpose = vyre.InferPurpose(in.Once, "", project)
	}
	if in.Name == "" {
		in.Name = nameOf(in.Prompt)
	}
	attached, err := m.attached(ctx, c, in.Attachments)
	if err != nil {
		return StartOut{}, err
	}
	if len(attached) > 0 && in.Prompt == "" {
		return StartOut{}, vyre.Invalid("attachments", "they go with a prompt")
	}
	tree, cwd, undo, err := m.worktree(ctx, in, cwd)
	if err != nil {
		return StartOut{}, err
	}
	thread, turn, err := m.Engine.Start(ctx, engine.StartInput{
		Provider: in.Provider, Prompt: in.Prompt, CWD: cwd, Model: in.Model, Mode: in.Mode,
		Purpose: in.Purpose, Name: in.Name, Project: project, Source: "vyre", Key: string(in.Key), By: c.String(),
		BudgetMicros: in.BudgetMicros, Attachments: attached, Worktree: tree,
	})
	if err != nil {
		undo(ctx)
	}
	return StartOut{thread, turn}, err
}

func checkKey(k Key) error {
	if k != "" && !vyre.ValidID(string(k)) {
		return vyre.Invalid("key", "a key matches [a-z0-9_-]{1,64}")
	}
	return nil
}

// folder checks that a working folder is one.
func folder(cwd string) (string, error) {
	if !filepath.IsAbs(cwd) {
		return "", vyre.Invalid("cwd", "%q is not an absolute path", cwd)
	}
	st, err := os.Stat(cwd)
	if err != nil {
		return "", vyre.Invalid("cwd", "there is no folder %q here", cwd)
	}
	if !st.IsDir() {
		return "", vyre.Invalid("cwd", "%q is not a folder", cwd)
	}
	return filepath.Clean(cwd), nil
}

// projectOf is the nearest folder at or above cwd that is a git work tree, or "".
func projectOf(cwd string) string {
	for dir := cwd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// nameOf is the start of a prompt's first line.
func nameOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	r := []rune(line)
	if len(r) > 60 {
		return strings.TrimSpace(string(r[:60])) + "…"
	}
	return line
}
