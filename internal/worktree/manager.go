package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"vyre"
	"vyre/internal/fail"
	"vyre/internal/git"
)

// Tree is the record of one work tree.
type Tree struct {
	Name    string    `json:"name"`    // one path element
	Path    string    `json:"path"`    // absolute
	Repo    string    `json:"repo"`    // the work tree it was made from, absolute
	Branch  string    `json:"branch"`  // its own, made with it
	Base    string    `json:"base"`    // the commit it began at
	Created vyre.Time `json:"created"` // UTC
}

// Manager makes and removes work trees. Its methods may be called from any goroutine.
type Manager struct {
	root string // of the trees
	book string // of the records, where no session can write
	git  *git.Git
	now  func() vyre.Time
	mu   sync.Mutex // held while a tree is made or removed
}

// New makes a manager of the trees under root, an absolute folder that exists. Its
// records are kept under book, which is made when it is needed.
func New(root, book string, g *git.Git, now func() vyre.Time) *Manager {
	return &Manager{root: root, book: book, git: g, now: now}
}

var nameOK = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`)

// CreateInput says what a tree is made of.
type CreateInput struct {
	CWD    string // absolute: a folder in the repository
	ID     string // makes the name; the same one again returns the tree that there is
	Branch string // or empty: vyre/<name>
	Base   string // or empty: what is checked out in CWD
}

// Create makes a tree and returns it with the folder in it that answers CWD.
// Errors: invalid (cwd, branch, base); conflict for a branch that exists.
func (m *Manager) Create(ctx context.Context, in CreateInput) (Tree, string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	top, err := m.git.Line(ctx, in.CWD, "rev-parse", "--show-toplevel")
	if err != nil {
		return Tree{}, "", notGit(err)
	}
	real, err := filepath.EvalSymlinks(in.CWD)
	if err != nil {
		return Tree{}, "", vyre.Invalid("cwd", "this folder can't be read")
	}
	sub, err := filepath.Rel(top, real)
	if err != nil || strings.HasPrefix(sub, "..") {
		sub = "."
	}
	name := label(filepath.Base(top)) + "-" + in.ID
	if !nameOK.MatchString(name) {
		return Tree{}, "", vyre.Errorf(vyre.CodeInternal, "no name for a worktree")
	}
	if t, err := m.read(name); err == nil {
		if in.Branch != "" && in.Branch != t.Branch {
			return Tree{}, "", vyre.Errorf(vyre.CodeConflict, "this key already made a worktree on branch %s", t.Branch)
		}
		if _, err := os.Stat(t.Path); err == nil {
			return t, m.within(t, sub), nil
		}
		// A record without its tree: it was never whole, or removed by hand. Its branch
		// goes only where nothing was added to it.
		_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"worktree", "prune"}})
		_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"update-ref", "-d", "refs/heads/" + t.Branch, t.Base}})
	}
	t := Tree{Name: name, Path: filepath.Join(m.root, name), Repo: top, Branch: in.Branch, Created: m.now()}
	if t.Branch == "" {
		t.Branch = "vyre/" + name
	}
	if t.Base, err = m.checked(ctx, t, in.Base); err != nil {
		return Tree{}, "", err
	}
	if err := m.write(t); err != nil {
		return Tree{}, "", err
	}
	fail.Point("worktree.recorded")
	if err := m.add(ctx, t); err != nil {
		return Tree{}, "", errors.Join(err, os.Remove(m.record(name)))
	}
	fail.Point("worktree.added")
	return t, m.within(t, sub), nil
}

// checked refuses a branch or a base that won't do and returns the base's commit.
func (m *Manager) checked(ctx context.Context, t Tree, base string) (string, error) {
	if strings.HasPrefix(t.Branch, "-") || strings.HasPrefix(base, "-") {
		return "", vyre.Invalid("worktree", "a branch or base does not begin with -")
	}
	if said, err := m.git.Line(ctx, t.Repo, "check-ref-format", "--branch", t.Branch); err != nil || said != t.Branch {
		return "", vyre.Invalid("worktree.branch", "%q can't be the name of a branch", t.Branch)
	}
	if _, err := m.git.Line(ctx, t.Repo, "show-ref", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		return "", vyre.Errorf(vyre.CodeConflict, "there is a branch %s already", t.Branch).
			WithHint("Name another branch: a worktree begins on a new one.").WithDetail("field", "worktree.branch")
	}
	if base == "" {
		base = "HEAD"
	}
	commit, err := m.git.Line(ctx, t.Repo, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}")
	if err != nil {
		return "", vyre.Invalid("worktree.base", "%q is no commit here", base).
			WithHint("A repository without a commit can't have a worktree yet.")
	}
	return commit, nil
}

func (m *Manager) add(ctx context.Context, t Tree) error {
	_, err := m.git.RunFiltered(ctx, git.Call{
		Dir: t.Repo, Bound: 10 * git.DefaultTimeout,
		Args: []string{"worktree", "add", "--quiet", "--no-track", "-b", t.Branch, "--", t.Path, t.Base},
	})
	if err == nil {
		return nil
	}
	// What was made of it goes again: it is not older than this call.
	_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"worktree", "remove", "--force", "--", t.Path}})
	_, _ = m.git.Run(ctx, git.Call{Dir: t.Repo, Args: []string{"update-ref", "-d", "refs/heads/" + t.Branch, t.Base}})
	return said("the worktree could not be made", err)
}

// within is the folder of the tree that answers sub, or the tree itself.
func (m *Manager) within(t Tree, sub string) string {
	dir := filepath.Join(t.Path, sub)
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return dir
	}
	return t.Path
}

// List returns every tree that has a record, by name.
func (m *Manager) List(context.Context) ([]Tree, error) {
	entries, err := os.ReadDir(m.book)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the worktrees can't be listed").Because(err)
	}
	var out []Tree
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		if t, err := m.read(name); err == nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// Find returns the tree at a path. Errors: not_found.
func (m *Manager) Find(path string) (Tree, error) {
	if filepath.Dir(path) != m.root {
		return Tree{}, vyre.NotFound("worktree", filepath.Base(path))
	}
	return m.read(filepath.Base(path))
}

func (m *Manager) record(name string) string { return filepath.Join(m.book, name+".json") }

func (m *Manager) read(name string) (Tree, error) {
	if !nameOK.MatchString(name) {
		return Tree{}, vyre.NotFound("worktree", name)
	}
	b, err := os.ReadFile(m.record(name))
	if errors.Is(err, fs.ErrNotExist) {
		return Tree{}, vyre.NotFound("worktree", name)
	}
	var t Tree
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil || t.Name != name {
		return Tree{}, vyre.Errorf(vyre.CodeUnavailable, "the record of worktree %s can't be read", name).Because(err)
	}
	t.Path = filepath.Join(m.root, name) // the home may have moved
	return t, nil
}

// write puts the record on disk before anything else is made.
func (m *Manager) write(t Tree) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.book, 0o700); err != nil {
		return cantWrite(err)
	}
	f, err := os.CreateTemp(m.book, ".new-*")
	if err != nil {
		return cantWrite(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone when all went well
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return cantWrite(err)
	}
	if err := os.Rename(f.Name(), m.record(t.Name)); err != nil {
		return cantWrite(err)
	}
	d, err := os.Open(m.book)
	if err != nil {
		return cantWrite(err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func cantWrite(err error) error {
	return vyre.Errorf(vyre.CodeUnavailable, "the record of a worktree can't be written").Because(err)
}

func notGit(err error) error {
	if git.Code(err) < 0 {
		return err
	}
	return vyre.Invalid("cwd", "this folder is not in a git work tree").
		WithHint("Start without a worktree, or in a repository.")
}

// said makes an error of what git said: it is about the person's own repository.
func said(what string, err error) error {
	f, ok := errors.AsType[*git.Failed](err)
	if !ok {
		return err
	}
	line, _, _ := strings.Cut(f.Said, "\n")
	return vyre.Errorf(vyre.CodeConflict, "%s: %s", what, strings.ToValidUTF8(line, "?")).Because(err)
}

// label makes a path element of a folder's name.
func label(s string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, s)
	out = strings.Trim(out[:min(len(out), 40)], "-_")
	if out == "" {
		return "tree"
	}
	return out
}

// ID makes the id of a tree from a caller's key; none gives a random one.
func ID(key string) string {
	if key == "" {
		return vyre.NewID()[:12]
	}
	return string(vyre.ItemIDFor("", "", key))[:12]
}
