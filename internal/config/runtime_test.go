package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vyre"
)

// shortDir is a folder with a path that a socket fits in.
func shortDir(t *testing.T) string {
	d, err := os.MkdirTemp("/tmp", "vt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(d) })
	return d
}

func TestRuntimeDir(t *testing.T) {
	// Sockets lie in the person's runtime folder; two spellings of a home share one folder.
	x := shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", x)
	home := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	a, err := RuntimeDir(home)
	if err != nil {
		t.Fatal(err)
	}
	b, err := RuntimeDir(link)
	if err != nil || a != b || filepath.Dir(a) != x {
		t.Fatalf("got %q and %q (%v), want one folder in %q", a, b, err, x)
	}
	if fi, _ := os.Lstat(a); fi.Mode() != os.ModeDir|0o700 {
		t.Fatalf("mode %v, want 0700", fi.Mode())
	}
	if other, _ := RuntimeDir(t.TempDir()); other == a {
		t.Fatal("two homes share a folder")
	}
}

func TestSocketPathFits(t *testing.T) {
	// A socket's path is below 104 bytes for any home and any XDG_RUNTIME_DIR.
	homes := []string{"/h", "/" + strings.Repeat("x", 200), "/" + strings.Repeat("long/", 300)}
	long := filepath.Join(shortDir(t), strings.Repeat("r", 80))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, x := range []string{"", "relative", long, "/nowhere"} {
		t.Setenv("XDG_RUNTIME_DIR", x)
		for _, h := range homes {
			for _, d := range runtimeDirs(h) {
				if s := filepath.Join(d, strings.Repeat("n", 40)); len(s) >= 104 {
					t.Errorf("home of %d bytes, XDG_RUNTIME_DIR %q: %d bytes", len(h), x, len(s))
				}
			}
		}
	}
}

func TestRuntimeDirRefusesLink(t *testing.T) {
	// A link that somebody laid at the folder's place is refused, not followed.
	x := shortDir(t)
	t.Setenv("XDG_RUNTIME_DIR", x)
	home := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(x, "vyre-"+homeHash(home))); err != nil {
		t.Fatal(err)
	}
	if _, err := RuntimeDir(home); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
}

func TestFindSocket(t *testing.T) {
	// A client without XDG_RUNTIME_DIR finds what it can, and else the place RuntimeDir would give.
	x := shortDir(t)
	home := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", x)
	if got, want := FindSocket(home), filepath.Join(x, "vyre-"+homeHash(home), "daemon.sock"); got != want {
		t.Errorf("before a start: got %q, want %q", got, want)
	}
	shared := runtimeDirs(home)[1]
	if err := makeDir(shared); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(shared) })
	if err := os.WriteFile(SocketPath(shared), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := FindSocket(home); got != SocketPath(shared) {
		t.Errorf("got %q, want the one that is there, %q", got, SocketPath(shared))
	}
}
