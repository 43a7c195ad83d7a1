package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"vyre"
	"vyre/internal/git"
)

// Work is what a tree holds that its removal would take. Lists are cut at shown
// entries; More says so.
type Work struct {
	Changed   []string `json:"changed"`   // tracked files that were changed, staged or not
	Untracked []string `json:"untracked"` // files that git does not know
	Ignored   []string `json:"ignored"`   // ignored ones that no build makes again
	Products  []string `json:"products"`  // ignored ones that a build makes again: they go without a word
	Commits   []string `json:"commits"`   // on no other branch, remote or tag: short id and title
	Nested    []string `json:"nested"`    // repositories of their own in it
	More      bool     `json:"more"`
}

const shown = 200

// Empty reports whether nothing would be lost.
func (w Work) Empty() bool {
	return len(w.Changed)+len(w.Untracked)+len(w.Ignored)+len(w.Commits)+len(w.Nested) == 0
}

// cut is what a caller is shown.
func (w Work) cut() Work {
	for _, l := range []*[]string{&w.Changed, &w.Untracked, &w.Ignored, &w.Products, &w.Commits, &w.Nested} {
		if len(*l) > shown {
			*l, w.More = (*l)[:shown], true
		}
		if *l == nil {
			*l = []string{}
		}
	}
	return w
}

// Inspect says what work is in a tree. Errors: unavailable for a tree that is gone.
func (m *Manager) Inspect(ctx context.Context, t Tree) (Work, error) {
	w, err := m.inspect(ctx, t)
	return w.cut(), err
}

const maxStatus = 64 << 20

func (m *Manager) inspect(ctx context.Context, t Tree) (w Work, err error) {
	if err := m.there(t); err != nil {
		return w, err
	}
	read := func(args ...string) (string, error) {
		o, err := m.git.RunFiltered(ctx, git.Call{Dir: t.Path, Args: args, Max: maxStatus, Env: []string{"GIT_OPTIONAL_LOCKS=0"}})
		if err == nil && o.Cut {
			err = vyre.Errorf(vyre.CodeTooLarge, "this worktree has too many files to look through")
		}
		return string(o.Out), err
	}
	status, err := read("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching")
	if err != nil {
		return w, said("the worktree's state can't be read", err)
	}
	var ignored []string
	w.Changed, w.Untracked, ignored = parseStatus(status)
	for _, p := range ignored {
		if product(p) {
			w.Products = append(w.Products, p)
		} else {
			w.Ignored = append(w.Ignored, p)
		}
	}
	kept := w.Untracked[:0:0]
	for _, p := range w.Untracked {
		if strings.HasSuffix(p, "/") {
			w.Nested = append(w.Nested, p)
		} else {
			kept = append(kept, p)
		}
	}
	w.Untracked = kept
	flagged, err := read("ls-files", "-v", "-z")
	if err != nil {
		return w, said("the worktree's files can't be listed", err)
	}
	for _, p := range parseFlagged(flagged) {
		if _, err := os.Lstat(filepath.Join(t.Path, p)); err == nil {
			w.Changed = append(w.Changed, p)
		}
	}
	links, err := read("ls-files", "--stage", "-z")
	if err != nil {
		return w, said("the worktree's files can't be listed", err)
	}
	for _, p := range parseLinks(links) {
		if in, err := os.ReadDir(filepath.Join(t.Path, p)); err == nil && len(in) > 0 {
			w.Nested = append(w.Nested, p+"/")
		}
	}
	w.Commits, err = m.alone(ctx, t)
	return w, err
}

// alone lists the commits of the tree that nothing else in the repository has.
func (m *Manager) alone(ctx context.Context, t Tree) ([]string, error) {
	args := []string{"rev-list", "--max-count=1000", "--no-commit-header", "--format=%h %s"}
	for _, ref := range []string{"HEAD", "refs/heads/" + t.Branch} {
		if _, err := m.git.Line(ctx, t.Path, "rev-parse", "--verify", "--quiet", ref+"^{commit}"); err == nil {
			args = append(args, ref)
		}
	}
	if len(args) == 4 {
		return nil, nil
	}
	args = append(args, "--not", "--exclude="+t.Branch, "--branches", "--remotes", "--tags", "--glob=refs/vyre/kept")
	o, err := m.git.Run(ctx, git.Call{Dir: t.Path, Args: args})
	if err != nil {
		return nil, said("the worktree's commits can't be listed", err)
	}
	if len(o.Out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(o.Out), "\n"), "\n"), nil
}

// there checks that a tree is a folder of its own: never a link to another place.
func (m *Manager) there(t Tree) error {
	st, err := os.Lstat(t.Path)
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the worktree's folder is gone").Because(err)
	}
	if _, err := os.Lstat(filepath.Join(t.Path, ".git")); !st.IsDir() || err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "what lies at the worktree's place is none")
	}
	return nil
}
