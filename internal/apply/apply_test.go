package apply_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/apply"
	"vyre/internal/policy/disk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func hand(never ...string) apply.Hand { return apply.Hand{Real: disk.Files{}.Real, Never: never} }

func whole(s string) []vyre.FileEdit { return []vyre.FileEdit{{Whole: true, New: s}} }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a plan shows is what is written, whole, with the file's own permissions; a second
// time changes nothing.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".claude", "settings.json")
	p, err := hand().Plan(file, whole("{}"))
	if err != nil || p.Exists || p.After != "{}" {
		t.Fatalf("%+v %v", p, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("a plan wrote")
	}
	if err := hand().Write(p); err != nil {
		t.Fatal(err)
	}
	if err := hand().Write(p); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err = hand().Plan(file, []vyre.FileEdit{{Old: "{", New: "{\"a\":1"}, {Old: "1", New: "2"}})
	if err != nil || p.After != `{"a":2}` || p.Before != "{}" {
		t.Fatalf("%+v %v", p, err)
	}
	if err := hand().Write(p); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(file)
	st, _ := os.Stat(file)
	if string(b) != `{"a":2}` || st.Mode().Perm() != 0o600 {
		t.Errorf("%s %v", b, st.Mode())
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".claude", ".vyre-*"))
	if len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A file that changed since it was shown, or that a link leads elsewhere by now, is not
// written.
func TestApplyIsWhatWasShown(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "a", "f"), filepath.Join(dir, "b", "f")
	for name, change := range map[string]func(){
		"another content": func() { write(t, file, "changed") },
		"a link for it": func() {
			_ = os.Remove(file)
			_ = os.Symlink(other, file)
		},
		"a link on its way": func() {
			_ = os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c"))
			_ = os.Symlink(filepath.Join(dir, "b"), filepath.Join(dir, "a"))
		},
		"it is gone": func() { _ = os.Remove(file) },
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.RemoveAll(filepath.Join(dir, "a"))
			_ = os.RemoveAll(filepath.Join(dir, "c"))
			write(t, file, "one")
			write(t, other, "one")
			p, err := hand().Plan(file, whole("two"))
			if err != nil {
				t.Fatal(err)
			}
			change()
			if err := hand().Write(p); vyre.CodeOf(err) != vyre.CodeConflict {
				t.Errorf("%v", err)
			}
			if b, _ := os.ReadFile(other); string(b) != "one" {
				t.Errorf("the other file holds %s", b)
			}
		})
	}
}

// A link that was there is followed in the plan, so the person sees the real file.
func TestPlanShowsTheRealFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "real", "f"), "one")
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	p, err := hand().Plan(filepath.Join(dir, "link", "f"), whole("two"))
	if err != nil || p.Path != filepath.Join(dir, "real", "f") {
		t.Fatalf("%+v %v", p, err)
	}
	if err := hand().Write(p); err != nil {
		t.Error(err)
	}
}

// What can't be shown or does not fit is refused with the reason.
func TestPlanRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "x x")
	write(t, filepath.Join(dir, "bin"), "\xff\x00")
	write(t, filepath.Join(dir, "own", "db"), "x")
	for _, c := range []struct {
		path  string
		edits []vyre.FileEdit
		code  vyre.Code
	}{
		{"f", nil, vyre.CodeInvalid},
		{"f", []vyre.FileEdit{{Old: "x", New: "y"}}, vyre.CodeConflict},
		{"f", []vyre.FileEdit{{Old: "z", New: "y"}}, vyre.CodeConflict},
		{"f", []vyre.FileEdit{{New: "y"}}, vyre.CodeConflict},
		{"f", []vyre.FileEdit{{Old: "x", New: "y", All: true}}, ""},
		{"new", []vyre.FileEdit{{New: "y"}}, ""},
		{"bin", whole("x"), vyre.CodeInvalid},
		{"f", whole(strings.Repeat("x", 2<<20)), vyre.CodeInvalid},
		{"own/db", whole("y"), vyre.CodeInvalid},
		{".", whole("y"), vyre.CodeInvalid},
	} {
		if _, err := hand(filepath.Join(dir, "own")).Plan(filepath.Join(dir, c.path), c.edits); vyre.CodeOf(err) != c.code {
			t.Errorf("%s %+v: %v", c.path, c.edits, err)
		}
	}
}
