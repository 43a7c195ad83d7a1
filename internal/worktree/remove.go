package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"vyre"
	"vyre/internal/git"
)

// Removed says what a removal did.
type Removed struct {
	Work  Work   // what was in the tree
	Ref   string // keeps its commits and changes, or empty
	Moved string // folder with its ignored files, or empty
}

// Remove removes a tree. With work in it that nothing else has it is refused
// (conflict, with the work as details) unless force: then keep names the reference
// that keeps it. Repositories inside are never removed. The caller made sure that
// nothing runs in the tree.
func (m *Manager) Remove(ctx context.Context, t Tree, force bool, keep string) (Removed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := os.Lstat(t.Path); errors.Is(err, os.ErrNotExist) {
		return Removed{Work: Work{}.cut()}, m.forgetGone(ctx, t)
	}
	tip := m.tip(ctx, t) // before the look: a commit made after it keeps its branch
	w, err := m.inspect(ctx, t)
	out := Removed{Work: w.cut()}
	if err != nil {
		return out, err
	}
	if len(w.Nested) > 0 {
		return out, refused("there is a repository of its own in this worktree: %s", w, strings.Join(w.cut().Nested, ", ")).
			WithHint("Move it away, or remove it yourself: its history can't be kept here.")
	}
	if !w.Empty() && !force {
		return out, refused("this worktree holds work that is nowhere else: %s", w, summary(w)).
			WithHint("Commit and push or merge it; or remove it with force, which keeps commits and files under refs/vyre/kept.")
	}
	if !w.Empty() {
		if out.Ref, err = m.keep(ctx, t, keep); err != nil {
			return out, err
		}
		if out.Moved, err = m.setAside(t, w.Ignored); err != nil {
			return out, err
		}
	}
	return out, m.drop(ctx, t, tip, !w.Empty())
}

func refused(format string, w Work, what string) *vyre.Error {
	return vyre.Errorf(vyre.CodeConflict, format, what).WithDetail("work", w.cut())
}

// summary says in a line what would go.
func summary(w Work) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{len(w.Changed), "changed"}, {len(w.Untracked), "untracked"}, {len(w.Ignored), "ignored"},
	} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+" "+p.what+" files")
		}
	}
	if n := len(w.Commits); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" commits that are on no other branch")
	}
	return strings.Join(parts, ", ")
}

// keep makes a commit of everything that is in the tree and not ignored, on top of
// what is staged, on top of its head, and a reference to it.
func (m *Manager) keep(ctx context.Context, t Tree, name string) (string, error) {
	dir, err := os.MkdirTemp("", "vyre-index-*")
	if err != nil {
		return "", cantWrite(err)
	}
	defer os.RemoveAll(dir)
	s := snapshot{m: m, t: t, index: "GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	tip, err := s.make(ctx)
	if err != nil {
		return "", said("the work in this worktree can't be kept, so nothing was removed", err)
	}
	ref := "refs/vyre/kept/" + name
	for n := 2; ; n++ {
		_, err := m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"update-ref", "--create-reflog", ref, tip, strings.Repeat("0", len(tip))}})
		if err == nil {
			break
		}
		if n > 100 {
			return "", said("the reference that keeps the work can't be made", err)
		}
		ref = "refs/vyre/kept/" + name + "-" + strconv.Itoa(n)
	}
	if again, err := s.files(ctx); err != nil || again != s.tree {
		return "", errors.Join(err, vyre.Errorf(vyre.CodeConflict, "something changed in the worktree while it was kept; nothing was removed").
			WithHint("Stop what runs there and try again."))
	}
	return ref, nil
}

// snapshot makes commits of a tree's state without touching its index.
type snapshot struct {
	m     *Manager
	t     Tree
	index string
	tree  string // of the files
}

func (s *snapshot) git(ctx context.Context, env []string, args ...string) (string, error) {
	o, err := s.m.git.RunFiltered(ctx, git.Call{Dir: s.t.Path, Env: env, Args: args, Bound: 10 * git.DefaultTimeout})
	return strings.TrimSpace(string(o.Out)), err
}

// files writes a tree of the files as they are.
func (s *snapshot) files(ctx context.Context) (string, error) {
	if _, err := s.git(ctx, []string{s.index}, "add", "--all", "--", "."); err != nil {
		return "", err
	}
	return s.git(ctx, []string{s.index}, "write-tree")
}

func (s *snapshot) make(ctx context.Context) (tip string, err error) {
	head, err := s.git(ctx, nil, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	if _, err := s.git(ctx, []string{s.index}, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	if s.tree, err = s.files(ctx); err != nil {
		return "", err
	}
	tip = head
	// What was staged; an index in the middle of a merge can't be written, and its
	// files are in the other commit.
	if staged, err := s.git(ctx, nil, "write-tree"); err == nil {
		if tip, err = s.commit(ctx, staged, "Staged in "+s.t.Name+" when it was removed", tip); err != nil {
			return "", err
		}
	}
	branch, _ := s.git(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/"+s.t.Branch+"^{commit}")
	if branch == head {
		branch = ""
	}
	return s.commit(ctx, s.tree, "The files of "+s.t.Name+" when it was removed", tip, branch)
}

// commit makes a commit of a tree, or returns the parent where it says nothing new.
func (s *snapshot) commit(ctx context.Context, tree, title, parent string, more ...string) (string, error) {
	args := []string{"commit-tree", "-m", title, "-p", parent}
	extra := false
	for _, p := range more {
		if p != "" {
			args, extra = append(args, "-p", p), true
		}
	}
	same, err := s.git(ctx, nil, "rev-parse", "--verify", parent+"^{tree}")
	if err != nil || same == tree && !extra {
		return parent, err
	}
	who := []string{"GIT_AUTHOR_NAME=Vyre", "GIT_AUTHOR_EMAIL=vyre@localhost", "GIT_COMMITTER_NAME=Vyre", "GIT_COMMITTER_EMAIL=vyre@localhost"}
	return s.git(ctx, who, append(args, tree)...)
}

// setAside moves ignored files out of the tree, so that they are not removed with it.
func (m *Manager) setAside(t Tree, ignored []string) (string, error) {
	if len(ignored) == 0 {
		return "", nil
	}
	base := filepath.Join(m.root, ".kept")
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", cantWrite(err)
	}
	dir, err := os.MkdirTemp(base, t.Name+"-*")
	if err != nil {
		return "", cantWrite(err)
	}
	for _, p := range ignored {
		to := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return dir, cantWrite(err)
		}
		if err := os.Rename(filepath.Join(t.Path, p), to); err != nil {
			return dir, cantWrite(err)
		}
	}
	return dir, nil
}

// drop removes a tree that holds nothing, or (kept) nothing that is not kept. Where
// nothing was kept git looks once more itself: work may have come since. The branch
// goes only where it is still at the commit that was looked at.
func (m *Manager) drop(ctx context.Context, t Tree, tip string, kept bool) error {
	args := []string{"worktree", "remove"}
	if kept {
		args = append(args, "--force")
	}
	_, err := m.git.RunFiltered(ctx, git.Call{Dir: t.Repo, Args: append(args, "--", t.Path), Bound: 10 * git.DefaultTimeout})
	if err != nil {
		return said("git did not remove the worktree", err)
	}
	m.dropBranch(ctx, t, tip)
	return os.Remove(m.record(t.Name))
}

// tip is the commit that a tree's branch is at, or "".
func (m *Manager) tip(ctx context.Context, t Tree) string {
	o, err := m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"rev-parse", "--verify", "--quiet", "refs/heads/" + t.Branch}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(o.Out))
}

// dropBranch removes a tree's branch. Where it moved since, is checked out elsewhere
// or gone, it is not ours and stays.
func (m *Manager) dropBranch(ctx context.Context, t Tree, tip string) {
	ref := "refs/heads/" + t.Branch
	o, err := m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"for-each-ref", "--format=%(worktreepath)", ref}})
	if err != nil || tip == "" || strings.TrimSpace(string(o.Out)) != "" {
		return
	}
	_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"update-ref", "-d", ref, tip}})
}

// forgetGone drops the record of a tree that somebody removed by hand. Its branch
// stays: nobody looked at what is on it.
func (m *Manager) forgetGone(ctx context.Context, t Tree) error {
	_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"worktree", "prune"}})
	return os.Remove(m.record(t.Name))
}

// Sweep removes the trees that an unfinished start left: of those recorded before a
// time and in use by nobody, the ones that hold no work. The others are returned.
func (m *Manager) Sweep(ctx context.Context, before vyre.Time, used func(path string) bool) (left []Tree, err error) {
	all, err := m.List(ctx)
	for _, t := range all {
		if t.Created >= before || used(t.Path) {
			continue
		}
		if _, err := m.Remove(ctx, t, false, ""); err != nil {
			left = append(left, t)
		}
	}
	return left, err
}

// Undo takes back a tree that a refused start was given, if there is no work in it.
func (m *Manager) Undo(ctx context.Context, t Tree) error {
	_, err := m.Remove(ctx, t, false, "")
	return err
}
