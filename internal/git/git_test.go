package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func repo(t *testing.T) (*Git, string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	g := New(func(name string) string {
		switch name {
		case "PATH":
			return os.Getenv("PATH")
		case "HOME":
			return home
		}
		return ""
	})
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "t"}, {"config", "user.email", "t@example.invalid"}} {
		if _, err := g.Run(t.Context(), Call{Dir: dir, Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	return g, dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestNothingOfTheRepositoryRuns(t *testing.T) {
	// Hooks, monitors, filters and external programs that a repository's own settings name are not run.
	g, dir := repo(t)
	mark := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	write(t, evil, "#!/bin/sh\necho $0 >> "+mark+"\ncat\n")
	for _, kv := range [][2]string{
		{"core.fsmonitor", evil},
		{"core.pager", evil},
		{"diff.external", evil},
		{"diff.x.textconv", evil},
		{"diff.x.command", evil},
		{"filter.x.clean", evil},
		{"filter.x.smudge", evil},
		{"filter.x.process", evil},
		{"filter.a=b.clean", evil},
		{"filter.x.required", "true"},
	} {
		if _, err := g.Run(t.Context(), Call{Dir: dir, Args: []string{"config", kv[0], kv[1]}}); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, ".gitattributes"), "*.txt filter=x diff=x\n*.a filter=a=b\n")
	write(t, filepath.Join(dir, "f.txt"), "one\n")
	write(t, filepath.Join(dir, "f.a"), "one\n")
	for _, h := range []string{"pre-commit", "post-checkout", "post-commit", "reference-transaction", "post-index-change"} {
		write(t, filepath.Join(dir, ".git", "hooks", h), "#!/bin/sh\necho hook >> "+mark+"\n")
	}
	for _, args := range [][]string{
		{"add", "-A"},
		{"commit", "-q", "-m", "one"},
		{"status", "--porcelain"},
		{"diff", "--no-ext-diff", "--no-textconv"},
		{"checkout", "-q", "-b", "other"},
		{"worktree", "add", "-q", filepath.Join(t.TempDir(), "w"), "-b", "w"},
	} {
		if _, err := g.RunFiltered(t.Context(), Call{Dir: dir, Args: args}); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	write(t, filepath.Join(dir, "f.txt"), "two\n")
	if o, err := g.RunFiltered(t.Context(), Call{Dir: dir, Args: []string{"diff", "--no-ext-diff", "--no-textconv"}}); err != nil || !strings.Contains(string(o.Out), "+two") {
		t.Fatalf("diff: %s %v", o.Out, err)
	}
	if b, err := os.ReadFile(mark); err == nil {
		t.Errorf("a program of the repository ran:\n%s", b)
	}
}

func TestOutputIsBounded(t *testing.T) {
	// What a command says over the bound is cut, and said to be.
	g, dir := repo(t)
	o, err := g.Run(t.Context(), Call{Dir: dir, Args: []string{"config", "--list"}, Max: 10})
	if err != nil || !o.Cut || len(o.Out) != 10 {
		t.Errorf("%q %v %v", o.Out, o.Cut, err)
	}
	if _, err := g.Run(t.Context(), Call{Dir: dir, Args: []string{"rev-parse", "--verify", "nothing"}}); Code(err) != 128 {
		t.Errorf("code of a failure: %v", err)
	}
}
