package daemon

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRealFollowsLinks(t *testing.T) {
	// Every link on the way is followed, also of what is not there yet; a circle and /proc are not known.
	dir := followed(t.TempDir())
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, "real/deep"), 0o755))
	must(os.Symlink("real", filepath.Join(dir, "link")))
	must(os.Symlink(filepath.Join(dir, "link/deep"), filepath.Join(dir, "abs")))
	must(os.Symlink("nowhere/yet", filepath.Join(dir, "dangling")))
	must(os.Symlink("loop", filepath.Join(dir, "loop")))
	for in, want := range map[string]string{
		"link/deep/new/file": "real/deep/new/file", "abs/x": "real/deep/x", "dangling": "nowhere/yet", "real/../link": "real",
		"abs/../y": "real/y", "none/../x": "x",
	} {
		if got, ok := (disk{}).Real(dir + "/" + in); !ok || got != filepath.Join(dir, want) {
			t.Errorf("%s: %s %v", in, got, ok)
		}
	}
	for _, in := range []string{dir + "/loop", "/proc/self/cwd/x", "relative"} {
		if got, ok := (disk{}).Real(in); ok {
			t.Errorf("%s is known: %s", in, got)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "a"), nil, 0o644))
	must(os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	a, n := (disk{}).ID(filepath.Join(dir, "a"))
	b, _ := (disk{}).ID(filepath.Join(dir, "b"))
	if a != b || n != 2 {
		t.Errorf("%v %v %d", a, b, n)
	}
}
