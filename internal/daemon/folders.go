package daemon

import (
	"context"
	"path/filepath"
	"strings"

	"vyre"
	"vyre/agent"
	"vyre/internal/policy"
	"vyre/internal/trust"
	"vyre/internal/worktree"
)

// folders says what threads' folders bring to their agents.
type folders struct {
	runtime *runtime
	trees   *worktree.Manager
}

// Brought implements engine.Folders.
func (f folders) Brought(ctx context.Context, p agent.Provider, th vyre.Thread) (vyre.Brought, error) {
	if err := f.runtime.wait(ctx); err != nil {
		return vyre.Brought{}, err
	}
	env, _ := policy.Environment(f.runtime.login.Env, f.runtime.cfg.Providers[th.Provider].Env, nil)
	o := agent.Options{CWD: th.CWD, Env: env, Bare: th.Purpose == vyre.PurposeJob}
	return trust.Look(p, o, f.origin(th)...)
}

// origin is the folder that a thread's own work tree answers to: a decision on what that
// one brings counts for the same files in the copy that we made of it. Only our own record
// says so, never a file of git in the tree.
func (f folders) origin(th vyre.Thread) []string {
	if th.Worktree == "" {
		return nil
	}
	t, err := f.trees.Find(th.Worktree)
	if err != nil {
		return nil
	}
	sub, err := filepath.Rel(t.Path, th.CWD)
	if err != nil || sub == ".." || strings.HasPrefix(sub, "../") {
		return nil
	}
	return []string{filepath.Join(t.Repo, sub)}
}
