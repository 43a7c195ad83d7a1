package sweep

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre/internal/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSweep(t *testing.T) {
	// A protected file that changes, appears (with its folder, too) or goes is told once, by name and digests; others are not.
	root := t.TempDir()
	settings := filepath.Join(root, ".claude", "settings.json")
	put(t, settings, "a")
	told := make(chan []Change, 16)
	stop, err := Watch(root, Names{policy.SweptFolders, policy.Swept}, func(c []Change) { told <- c })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	next := func(what, path string, appeared, gone bool) {
		t.Helper()
		begun := time.Now()
		select {
		case c := <-told:
			if len(c) != 1 || c[0].Path != path || c[0].Appeared() != appeared || (c[0].After == "") != gone {
				t.Errorf("%s: %+v", what, c)
			}
			t.Logf("%s: noticed after %v", what, time.Since(begun))
		case <-time.After(10 * time.Second):
			t.Fatalf("%s was not noticed", what)
		}
	}
	put(t, filepath.Join(root, "main.go"), "x")
	put(t, filepath.Join(root, ".claude", "scheduled_tasks.json"), "x")
	put(t, settings, "b")
	next("a change", settings, false, false)
	put(t, settings, "b")
	mcp := filepath.Join(root, ".mcp.json")
	put(t, mcp, "{}")
	next("a new file, after one that was written as it was", mcp, true, false)
	codex := filepath.Join(root, ".codex", "config.toml")
	put(t, codex, "x")
	next("a file in a new folder", codex, true, false)
	deep := filepath.Join(root, ".claude", "hooks", "x.sh")
	put(t, deep, "x")
	next("a file deeper", deep, true, false)
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	next("a file that goes", settings, false, true)
}
