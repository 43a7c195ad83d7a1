package attach

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
)

var png = append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40)...)

func TestFilesAreKeptOnceAndPrivate(t *testing.T) {
	// The same file is one attachment, readable by the user alone; its bytes come back.
	dir := t.TempDir()
	s := New(dir, time.Now)
	a, err := s.Put(t.Context(), "p.png", "", png)
	if err != nil || a.MediaType != "image/png" || a.Size != int64(len(png)) {
		t.Fatalf("%+v %v", a, err)
	}
	if b, err := s.Put(t.Context(), "p.png", "image/jpeg", png); err != nil || b != a {
		t.Errorf("%+v %v", b, err) // the bytes say what it is
	}
	path, data, err := s.Open(t.Context(), a, true)
	if err != nil || string(data) != string(png) {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 || filepath.Base(path) != "p.png" {
		t.Errorf("%s %v %v", path, st.Mode(), err)
	}
	if st, err := os.Stat(filepath.Join(dir, a.ID)); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	if l, err := os.ReadDir(dir); err != nil || len(l) != 1 {
		t.Errorf("%v %v", l, err)
	}
}

func TestNamesAndTypesAreChecked(t *testing.T) {
	// A name is one path element, a picture is one, and what is empty or too large is refused.
	s := New(t.TempDir(), time.Now)
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a\x00b", "a\nb", "a\u202eb", strings.Repeat("x", 300), "\xff"} {
		if _, err := s.Put(t.Context(), name, "", []byte("x")); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := s.Put(t.Context(), "a.png", "image/png", []byte("<html>")); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("a picture that is none: %v", err)
	}
	if _, err := s.Put(t.Context(), "a", "", nil); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Error(err)
	}
	if _, err := s.Put(t.Context(), "a", "", make([]byte, MaxSize+1)); vyre.CodeOf(err) != vyre.CodeTooLarge {
		t.Error(err)
	}
	if a, err := s.Put(t.Context(), "a.png", "", []byte("plain")); err != nil || a.MediaType != "text/plain" {
		t.Errorf("%+v %v", a, err)
	}
}

func TestOnlyRegularFilesAreCopied(t *testing.T) {
	// A FIFO, a device or a folder is refused without waiting; a link of the person's is followed.
	s, dir := New(t.TempDir(), time.Now), t.TempDir()
	fifo, link, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "link"), filepath.Join(dir, "a.txt")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{fifo, dir, "/dev/zero", "/dev/tty", "rel.txt", filepath.Join(dir, "none"), "/proc/self/\x00"} {
		if _, err := s.PutPath(t.Context(), p, "", ""); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: %v", p, err)
		}
	}
	if a, err := s.PutPath(t.Context(), link, "", ""); err != nil || a.Name != "link" || a.Size != 5 {
		t.Errorf("%+v %v", a, err)
	}
}

func TestSweepKeepsWhatIsNamedOrFresh(t *testing.T) {
	// Only what no message names, and nobody looked up for a day, is removed; an id from outside names no other path.
	now := time.Now()
	s := New(t.TempDir(), func() time.Time { return now })
	var ids []string
	for _, n := range []string{"used", "fresh", "old"} {
		a, err := s.Put(t.Context(), n, "", []byte(n))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	now = now.Add(Grace + time.Hour)
	if _, err := s.Get(t.Context(), ids[1:2]); err != nil {
		t.Fatal(err)
	}
	n, err := s.Sweep(t.Context(), map[string]bool{ids[0]: true})
	if err != nil || n != 1 {
		t.Fatalf("%d %v", n, err)
	}
	if _, err := s.Get(t.Context(), ids[:2]); err != nil {
		t.Error(err)
	}
	for _, id := range []string{ids[2], "../x", "..", ""} {
		if _, err := s.Get(t.Context(), []string{id}); vyre.CodeOf(err) != vyre.CodeNotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	if err := s.Remove(t.Context(), []string{"../x", ids[0]}); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), ids[:1]); err == nil {
		t.Error("it is there")
	}
}
