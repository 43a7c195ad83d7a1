package threads

import (
	"context"

	"vyre"
)

// Worktrees makes a thread's own work tree. The daemon wires internal/worktree.
type Worktrees interface {
	// Create makes a tree of the repository that cwd is in, or returns the one that
	// the key made, and the folder in it that answers cwd.
	Create(ctx context.Context, cwd, key, branch, base string) (path, dir string, err error)
	// Abandon takes back a tree whose thread did not start, unless another thread has
	// it or there is work in it.
	Abandon(ctx context.Context, path string)
}

// worktree makes the tree that a start asks for. undo takes it back.
func (m *Module) worktree(ctx context.Context, in StartIn, cwd string) (tree, dir string, undo func(context.Context), err error) {
	if !in.Worktree {
		if in.Branch != "" || in.Base != "" {
			return "", "", nil, vyre.Invalid("worktree", "a branch and a base are of a worktree")
		}
		return "", cwd, func(context.Context) {}, nil
	}
	if err := m.Engine.Unspent(ctx, string(in.Key)); err != nil { // the key's tree is a deleted thread's: it stays
		return "", "", nil, err
	}
	tree, dir, err = m.Worktrees.Create(ctx, cwd, string(in.Key), in.Branch, in.Base)
	return tree, dir, func(ctx context.Context) { m.Worktrees.Abandon(context.WithoutCancel(ctx), tree) }, err
}
