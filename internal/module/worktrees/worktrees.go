package worktrees

import (
	"context"
	"path/filepath"
	"strings"

	"vyre"
	"vyre/internal/registry"
	"vyre/internal/worktree"
)

// Trees is what makes and removes. internal/worktree implements it.
type Trees interface {
	List(ctx context.Context) ([]worktree.Tree, error)
	Find(path string) (worktree.Tree, error)
	Inspect(ctx context.Context, t worktree.Tree) (worktree.Work, error)
	Diff(ctx context.Context, t worktree.Tree, stat bool) (worktree.Changes, error)
	Remove(ctx context.Context, t worktree.Tree, force bool, keep string) (worktree.Removed, error)
}

// Store is what is read and where the event goes. internal/store/sqlite implements it.
type Store interface {
	Thread(ctx context.Context, id vyre.ThreadID) (vyre.Thread, error)
	Worktrees(ctx context.Context) (map[string]vyre.ThreadID, error)
	Commit(ctx context.Context, c *vyre.Commit) error
}

// Module holds what the tools need. Sessions lists the live ones.
type Module struct {
	Trees    Trees
	Store    Store
	Sessions func() []vyre.Session
}

// EvRemoved tells that a work tree is gone.
const EvRemoved vyre.Kind = "worktree.removed"

// WorktreeRemoved is the data of worktree.removed. Kept is the reference that keeps
// its commits and changes, or empty.
type WorktreeRemoved struct {
	Worktree string `json:"worktree"`
	Kept     string `json:"kept"`
	By       string `json:"by"`
}

// EventKind implements vyre.EventData.
func (WorktreeRemoved) EventKind() vyre.Kind { return EvRemoved }

// Register declares the tools and the event.
func (m *Module) Register(r *registry.Registry) {
	registry.Define(r, vyre.Tool{
		Name: "worktree.list", Effect: vyre.EffectRead, Reach: vyre.ReachPerson,
		Summary: "List the worktrees that threads were given, and with work: what is in each that nothing else has.",
	}, m.list)
	registry.Define(r, vyre.Tool{
		Name: "worktree.diff", Effect: vyre.EffectRead, Reach: vyre.ReachSelf,
		Summary: "Show what a thread's worktree changed since it was made: commits, changes and new files.",
	}, m.diff)
	registry.Define(r, vyre.Tool{
		Name: "worktree.remove", Effect: vyre.EffectWrite, Reach: vyre.ReachPerson, Decides: true,
		Summary: "Remove a worktree and its branch. With work in it that is nowhere else it is refused; with force a reference keeps it.",
	}, m.remove)
	registry.DefineEvent[WorktreeRemoved](r, "A worktree was removed. What was in it is kept where it says.")
}

// ListIn is the input of worktree.list.
type ListIn struct {
	Work bool `json:"work,omitempty" jsonschema:"look into each one: slower"`
}

// Entry is one tree. Thread is empty for one whose thread was deleted, or never began.
// Work is null unless it was asked for and the tree could be looked into.
type Entry struct {
	worktree.Tree
	Thread vyre.ThreadID  `json:"thread"`
	Work   *worktree.Work `json:"work"`
}

// ListOut is the output of worktree.list.
type ListOut struct {
	Worktrees []Entry `json:"worktrees"`
}

func (m *Module) list(ctx context.Context, _ vyre.Caller, in ListIn) (ListOut, error) {
	trees, err := m.Trees.List(ctx)
	if err != nil {
		return ListOut{}, err
	}
	of, err := m.Store.Worktrees(ctx)
	if err != nil {
		return ListOut{}, err
	}
	out := ListOut{Worktrees: []Entry{}}
	for _, t := range trees {
		e := Entry{Tree: t, Thread: of[t.Path]}
		if in.Work {
			if w, err := m.Trees.Inspect(ctx, t); err == nil {
				e.Work = &w
			}
		}
		out.Worktrees = append(out.Worktrees, e)
	}
	return out, nil
}

// DiffIn is the input of worktree.diff.
type DiffIn struct {
	Thread vyre.ThreadID `json:"thread" jsonschema:"the thread"`
	Stat   bool          `json:"stat,omitempty" jsonschema:"only which files, and how many lines"`
}

// ThreadRef tells the registry which thread a call is about.
func (in DiffIn) ThreadRef() vyre.ThreadID { return in.Thread }

func (m *Module) diff(ctx context.Context, _ vyre.Caller, in DiffIn) (worktree.Changes, error) {
	th, err := m.Store.Thread(ctx, in.Thread)
	if err != nil {
		return worktree.Changes{}, err
	}
	t, err := m.find(th.Worktree)
	if err != nil {
		return worktree.Changes{}, err
	}
	return m.Trees.Diff(ctx, t, in.Stat)
}

func (m *Module) find(path string) (worktree.Tree, error) {
	if path == "" {
		return worktree.Tree{}, vyre.Invalid("thread", "this thread has no worktree of its own")
	}
	return m.Trees.Find(path)
}

// RemoveIn is the input of worktree.remove.
type RemoveIn struct {
	Thread vyre.ThreadID `json:"thread,omitempty" jsonschema:"the thread whose worktree it is"`
	Name   string        `json:"name,omitempty" jsonschema:"instead of a thread: the worktree's name, as worktree.list gives it"`
	Force  bool          `json:"force,omitempty" jsonschema:"also with work in it; that stays reachable as kept says"`
}

// RemoveOut is the output of worktree.remove. Kept is a reference in the repository
// with its commits and changes, Moved the folder with its ignored files; both empty
// where nothing had to be kept.
type RemoveOut struct {
	Worktree string        `json:"worktree"`
	Work     worktree.Work `json:"work"`
	Kept     string        `json:"kept"`
	Moved    string        `json:"moved"`
}

func (m *Module) remove(ctx context.Context, c vyre.Caller, in RemoveIn) (RemoveOut, error) {
	if (in.Thread == "") == (in.Name == "") {
		return RemoveOut{}, vyre.Invalid("thread", "give thread or name")
	}
	t, keep, err := m.which(ctx, in)
	if err != nil {
		return RemoveOut{}, err
	}
	if err := m.resting(ctx, t); err != nil {
		return RemoveOut{}, err
	}
	r, err := m.Trees.Remove(ctx, t, in.Force, keep)
	if err != nil {
		return RemoveOut{}, err
	}
	ev := vyre.NewEvent(in.Thread, "", WorktreeRemoved{Worktree: t.Name, Kept: r.Ref, By: c.String()})
	return RemoveOut{t.Path, r.Work, r.Ref, r.Moved}, m.Store.Commit(ctx, &vyre.Commit{Durable: true, Events: []vyre.Event{ev}})
}

// which finds the tree, and the name under which its work would be kept.
func (m *Module) which(ctx context.Context, in RemoveIn) (worktree.Tree, string, error) {
	if in.Thread != "" {
		th, err := m.Store.Thread(ctx, in.Thread)
		if err != nil {
			return worktree.Tree{}, "", err
		}
		t, err := m.find(th.Worktree)
		return t, string(in.Thread), err
	}
	trees, err := m.Trees.List(ctx)
	for _, t := range trees {
		if t.Name == in.Name {
			return t, t.Name, err
		}
	}
	if err == nil {
		err = vyre.NotFound("worktree", in.Name)
	}
	return worktree.Tree{}, "", err
}

// resting refuses while a session works in the tree.
func (m *Module) resting(ctx context.Context, t worktree.Tree) error {
	for _, s := range m.Sessions() {
		th, err := m.Store.Thread(ctx, s.Thread)
		if err != nil {
			continue // it is being started: its tree is younger than what can be named
		}
		if th.Worktree == t.Path || strings.HasPrefix(th.CWD+string(filepath.Separator), t.Path+string(filepath.Separator)) {
			return vyre.Errorf(vyre.CodeBusy, "a session works in this worktree").
				WithHint("Stop the thread first: `vyre stop`.").WithDetail("thread", s.Thread)
		}
	}
	return nil
}
