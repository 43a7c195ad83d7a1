package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/git"
)

type world struct {
	t    *testing.T
	m    *Manager
	repo string
	env  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, repo: filepath.Join(base, "My Repo"), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@example.invalid",
		"GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@example.invalid",
	}}
	for _, d := range []string{w.repo, filepath.Join(base, "trees")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g := git.New(func(k string) string { return map[string]string{"PATH": os.Getenv("PATH"), "HOME": base}[k] })
	w.m = New(filepath.Join(base, "trees"), filepath.Join(base, "book"), g, func() vyre.Time { return vyre.At(time.Now()) })
	w.git(w.repo, "init", "-q", "-b", "main")
	w.write(w.repo, "a.txt", "one\n")
	w.write(w.repo, ".gitignore", "*.env\nnode_modules/\n")
	w.write(w.repo, "sub/b.txt", "b\n")
	w.git(w.repo, "add", "-A")
	w.git(w.repo, "commit", "-q", "-m", "first")
	return w
}

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	b, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, b)
	}
	return strings.TrimSpace(string(b))
}

func (w *world) write(dir, name, text string) {
	w.t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) make(id string) Tree {
	w.t.Helper()
	t, cwd, err := w.m.Create(w.t.Context(), CreateInput{CWD: filepath.Join(w.repo, "sub"), ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	if cwd != filepath.Join(t.Path, "sub") {
		w.t.Errorf("the folder is %s", cwd)
	}
	return t
}

func TestTreeIsMadeOnceAndRemovedWhenEmpty(t *testing.T) {
	// A tree begins on a branch of its own; the same id returns the same tree; empty, it is removed with its branch.
	w := newWorld(t)
	a := w.make("one")
	if b := w.make("one"); b.Path != a.Path || w.git(a.Path, "branch", "--show-current") != a.Branch {
		t.Errorf("%+v is not %+v", b, a)
	}
	r, err := w.m.Remove(t.Context(), a, false, "x")
	if err != nil || r.Ref != "" {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := os.Stat(a.Path); !os.IsNotExist(err) {
		t.Error("the folder is there")
	}
	if out := w.git(w.repo, "branch", "--list", a.Branch); out != "" {
		t.Errorf("the branch is there: %s", out)
	}
	if list, _ := w.m.List(t.Context()); len(list) != 0 {
		t.Errorf("recorded: %v", list)
	}
}

func TestBranchThatMovedStays(t *testing.T) {
	// A branch that somebody else has checked out, or moved since it was looked at, outlives its tree.
	w := newWorld(t)
	used, moved := w.make("used"), w.make("moved")
	w.git(used.Path, "checkout", "-q", "--detach")
	w.git(w.repo, "checkout", "-q", used.Branch)
	if _, err := w.m.Remove(t.Context(), used, false, "x"); err != nil {
		t.Fatal(err)
	}
	tip := w.m.tip(t.Context(), moved)
	w.git(moved.Path, "commit", "-q", "--allow-empty", "-m", "late")
	if err := w.m.drop(t.Context(), moved, tip, false); err != nil {
		t.Fatal(err)
	}
	for _, b := range []string{used.Branch, moved.Branch} {
		if out := w.git(w.repo, "branch", "--list", b); out == "" {
			t.Errorf("%s is gone", b)
		}
	}
}

func TestWorkIsNotRemoved(t *testing.T) {
	// Changed, untracked, ignored, hidden and unmerged work each refuse a removal, and say what would go.
	for name, do := range map[string]func(w *world, dir string){
		"changed":   func(w *world, dir string) { w.write(dir, "a.txt", "two\n") },
		"staged":    func(w *world, dir string) { w.write(dir, "a.txt", "two\n"); w.git(dir, "add", "a.txt") },
		"untracked": func(w *world, dir string) { w.write(dir, "new/x.txt", "x") },
		"ignored":   func(w *world, dir string) { w.write(dir, "my.env", "x") },
		"hidden": func(w *world, dir string) {
			w.git(dir, "update-index", "--assume-unchanged", "a.txt")
			w.write(dir, "a.txt", "two\n")
		},
		"commit": func(w *world, dir string) { w.git(dir, "commit", "-q", "--allow-empty", "-m", "work") },
		"detached": func(w *world, dir string) {
			w.git(dir, "checkout", "-q", "--detach")
			w.git(dir, "commit", "-q", "--allow-empty", "-m", "work")
		},
		"nested": func(w *world, dir string) { w.git(dir, "init", "-q", "inner"); w.write(dir, "inner/x", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tree := w.make("t")
			do(w, tree.Path)
			_, err := w.m.Remove(t.Context(), tree, false, "x")
			if vyre.CodeOf(err) != vyre.CodeConflict {
				t.Fatalf("removed: %v", err)
			}
			if left, _ := w.m.Sweep(t.Context(), vyre.At(time.Now().Add(time.Hour)), func(string) bool { return false }); len(left) != 1 {
				t.Error("the sweeper took it")
			}
			if _, err := os.Stat(tree.Path); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProductsAndMergedWorkGo(t *testing.T) {
	// What a build makes again, and commits that another branch has, hold no removal up.
	w := newWorld(t)
	tree := w.make("t")
	w.write(tree.Path, "node_modules/x/y.js", "x")
	w.git(tree.Path, "commit", "-q", "--allow-empty", "-m", "work")
	w.git(w.repo, "merge", "-q", "--ff-only", tree.Branch)
	if _, err := w.m.Remove(t.Context(), tree, false, "x"); err != nil {
		t.Fatal(err)
	}
}

func TestForceKeepsEverything(t *testing.T) {
	// With force, commits, staged, changed, hidden and untracked work stay under a reference, and ignored files under .kept.
	w := newWorld(t)
	tree := w.make("t")
	w.write(tree.Path, "c.txt", "committed\n")
	w.git(tree.Path, "add", "c.txt")
	w.git(tree.Path, "commit", "-q", "-m", "work")
	w.write(tree.Path, "a.txt", "staged\n")
	w.git(tree.Path, "add", "a.txt")
	w.write(tree.Path, "a.txt", "changed\n")
	w.write(tree.Path, "new.txt", "new\n")
	w.write(tree.Path, "deep/my.env", "secret\n")
	w.git(tree.Path, "update-index", "--assume-unchanged", "sub/b.txt")
	w.write(tree.Path, "sub/b.txt", "hidden\n")
	r, err := w.m.Remove(t.Context(), tree, true, "thread")
	if err != nil || r.Ref != "refs/vyre/kept/thread" {
		t.Fatalf("%+v %v", r, err)
	}
	for path, want := range map[string]string{"a.txt": "changed", "new.txt": "new", "c.txt": "committed", "sub/b.txt": "hidden"} {
		if got := w.git(w.repo, "show", r.Ref+":"+path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if got := w.git(w.repo, "show", r.Ref+"^:a.txt"); got != "staged" {
		t.Errorf("staged is %q", got)
	}
	if out := w.git(w.repo, "log", "--format=%s", r.Ref); !strings.Contains(out, "work") {
		t.Errorf("the commit is gone: %s", out)
	}
	if b, err := os.ReadFile(filepath.Join(r.Moved, "deep/my.env")); err != nil || string(b) != "secret\n" {
		t.Errorf("the ignored file: %q %v", b, err)
	}
	if _, err := os.Stat(tree.Path); !os.IsNotExist(err) {
		t.Error("the folder is there")
	}
}

func TestDiffShowsAllWork(t *testing.T) {
	// A diff holds commits, changes and new files since the base, and leaves the tree's index alone.
	w := newWorld(t)
	tree := w.make("t")
	w.write(tree.Path, "a.txt", "two\n")
	w.git(tree.Path, "commit", "-q", "-am", "work")
	w.write(tree.Path, "new file.txt", "x\ny\n")
	w.write(tree.Path, "my.env", "x")
	before := w.git(tree.Path, "status", "--porcelain")
	c, err := w.m.Diff(t.Context(), tree, false)
	if err != nil || len(c.Files) != 2 || c.Files[1] != (FileStat{Path: "new file.txt", Added: 2}) {
		t.Fatalf("%+v %v", c, err)
	}
	if !strings.Contains(c.Diff, "+two") || !strings.Contains(c.Diff, "+y") || strings.Contains(c.Diff, "my.env") {
		t.Error(c.Diff)
	}
	if after := w.git(tree.Path, "status", "--porcelain"); after != before {
		t.Errorf("the index changed: %s", after)
	}
}

func TestUnfinishedStartLeavesNothing(t *testing.T) {
	// A tree without a thread goes at the next start; one in use, or newer, stays.
	w := newWorld(t)
	a, b := w.make("a"), w.make("b")
	hour := vyre.At(time.Now().Add(time.Hour))
	left, err := w.m.Sweep(t.Context(), hour, func(p string) bool { return p == b.Path })
	if err != nil || len(left) != 0 {
		t.Fatal(left, err)
	}
	if _, err := os.Stat(a.Path); !os.IsNotExist(err) {
		t.Error("a is there")
	}
	if _, err := os.Stat(b.Path); err != nil {
		t.Error(err)
	}
	// Killed before git made the tree: the record alone.
	c := Tree{Name: "my-repo-c", Path: filepath.Join(w.m.root, "my-repo-c"), Repo: w.repo, Branch: "vyre/my-repo-c", Base: a.Base}
	if err := w.m.write(c); err != nil {
		t.Fatal(err)
	}
	if got := w.make("c"); got.Path != c.Path {
		t.Errorf("%+v", got)
	}
}

func TestArgumentsAreSafe(t *testing.T) {
	// A branch or base that looks like an option, or is none, is refused and makes nothing.
	w := newWorld(t)
	for _, in := range []CreateInput{
		{Branch: "-D"}, {Base: "--output=x"}, {Base: "nothing"}, {Branch: "a..b"}, {Branch: "@{-1}"}, {Branch: "main"}, {Base: "HEAD:a.txt"},
	} {
		in.CWD, in.ID = w.repo, "x"
		if _, _, err := w.m.Create(t.Context(), in); err == nil {
			t.Errorf("%+v was taken", in)
		}
	}
	if _, _, err := w.m.Create(t.Context(), CreateInput{CWD: t.TempDir(), ID: "x"}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("no repository: %v", err)
	}
	if list, _ := w.m.List(t.Context()); len(list) != 0 {
		t.Error(list)
	}
	if _, err := w.m.Find("/etc/passwd"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	// What git says is read without a fault, and no entry of a status is overlooked.
	f.Add(" M a.txt\x00?? b\x00!! c/\x00")
	f.Add("1\t2\tp\x00-\t-\tbin\x00")
	f.Add("H a\x00h b\x00160000 abc 0\tsub\x00")
	f.Fuzz(func(t *testing.T, s string) {
		c, u, i := parseStatus(s)
		n := 0
		for e := range strings.SplitSeq(s, "\x00") {
			if e != "" {
				n++
			}
		}
		if len(c)+len(u)+len(i) != n {
			t.Errorf("%d entries of %d", len(c)+len(u)+len(i), n)
		}
		parseFlagged(s)
		parseLinks(s)
		for _, st := range parseStat(s) {
			if st.Path == "" {
				t.Error("an entry without a path")
			}
		}
	})
}
