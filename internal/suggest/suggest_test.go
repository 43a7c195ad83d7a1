package suggest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"

	"vyre/internal/git"
)

func folder(t *testing.T, files ...string) (*git.Git, string) {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return git.New(func(k string) string {
		if k == "PATH" {
			return os.Getenv("PATH")
		}
		return ""
	}), dir
}

func TestLikeliestFirst(t *testing.T) {
	// A name that is the query comes before one that begins with it, then one that holds it, then scattered letters.
	paths := []string{"a/x/main_test.go", "src/domain.go", "cmd/main.go", "main.go", "docs/my_ai_notes", "unrelated", "main/"}
	got := Rank(paths, "main", 10)
	if !slices.Equal(got[:2], []string{"main/", "main.go"}) || slices.Contains(got, "unrelated") {
		t.Errorf("%v", got)
	}
	if got := Rank(paths, "mgo", 1); got[0] != "main.go" {
		t.Errorf("%v", got)
	}
	if got := Rank([]string{"README.md", "readme2"}, "READ", 5); !slices.Equal(got, []string{"README.md"}) {
		t.Errorf("capitals: %v", got)
	}
}

func TestNothingOutsideOrIgnored(t *testing.T) {
	// A link that leads out is not followed; what git ignores, and what builds fill, is not suggested.
	g, dir := folder(t, "in.txt", "node_modules/x.txt", "secret.env", "sub/deep.txt")
	_, out := folder(t, "outside.txt")
	if err := os.Symlink(out, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	got, err := Files(t.Context(), g, dir, "txt", 50)
	if err != nil || !slices.Equal(got, []string{"in.txt", "sub/deep.txt"}) {
		t.Errorf("%v %v", got, err)
	}
	if b, err := exec.CommandContext(t.Context(), "git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%s", b)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.env\nnode_modules\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err = Files(t.Context(), g, dir, "", 50)
	if err != nil || slices.Contains(got, "secret.env") || slices.Contains(got, "link/outside.txt") || !slices.Contains(got, "sub/") {
		t.Errorf("%v %v", got, err)
	}
	if _, err := Files(t.Context(), g, filepath.Join(dir, "none"), "", 5); err == nil {
		t.Error("a folder that is not there")
	}
}

func FuzzRank(f *testing.F) {
	// Every suggestion holds the query's letters in order, whatever they are.
	f.Add("src/main.go", "mg")
	f.Add("İx", "i")
	f.Fuzz(func(t *testing.T, p, q string) {
		if !utf8.ValidString(p) || !utf8.ValidString(q) {
			return
		}
		for _, got := range Rank([]string{p}, q, 3) {
			if got != p {
				t.Errorf("%q", got)
			}
		}
	})
}
