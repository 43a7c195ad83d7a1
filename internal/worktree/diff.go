package worktree

import (
	"context"
	"os"
	"path/filepath"

	"vyre/internal/git"
)

// FileStat is how much of one file changed.
type FileStat struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary"`
}

// Changes is what a tree changed since its base.
type Changes struct {
	Base  string     `json:"base"`
	Files []FileStat `json:"files"`
	Diff  string     `json:"diff"`
	Cut   bool       `json:"cut"` // there is more than was taken
}

// Bounds of a diff.
const (
	maxDiff  = 2 << 20
	maxFiles = 2000
)

// Diff says what the tree changed since its base: commits, changes and files that
// git does not know yet (not ignored ones). stat leaves the text out. The tree's own
// index is not touched.
func (m *Manager) Diff(ctx context.Context, t Tree, stat bool) (c Changes, err error) {
	if err := m.there(t); err != nil {
		return c, err
	}
	dir, err := os.MkdirTemp("", "vyre-index-*")
	if err != nil {
		return c, cantWrite(err)
	}
	defer os.RemoveAll(dir)
	c.Base = t.Base
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	run := func(bound int, args ...string) (git.Output, error) {
		o, err := m.git.RunFiltered(ctx, git.Call{Dir: t.Path, Env: env, Args: args, Max: bound})
		return o, said("the worktree can't be compared", err)
	}
	if _, err := run(0, "read-tree", "HEAD"); err != nil {
		return c, err
	}
	if _, err := run(0, "add", "--all", "--intent-to-add", "--", "."); err != nil {
		return c, err
	}
	plain := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty"}
	o, err := run(maxDiff, append(plain, "--numstat", "-z", t.Base, "--")...)
	if err != nil {
		return c, err
	}
	c.Files, c.Cut = parseStat(string(o.Out)), o.Cut
	if len(c.Files) > maxFiles {
		c.Files, c.Cut = c.Files[:maxFiles], true
	}
	if stat {
		return c, nil
	}
	if o, err = run(maxDiff, append(plain, "--src-prefix=a/", "--dst-prefix=b/", t.Base, "--")...); err != nil {
		return c, err
	}
	c.Diff, c.Cut = string(o.Out), c.Cut || o.Cut
	return c, nil
}
