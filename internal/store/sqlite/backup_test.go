package sqlite

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

func TestBackupWhileRunning(t *testing.T) {
	// A backup taken while others write is private, opens, verifies, holds all that
	// was acknowledged before it began, and a store that goes on from it gives no
	// number that it has.
	db := openRunning(t, Options{})
	seedThread(t, db, "t")
	for i := range 300 {
		must(t, db.Commit(t.Context(), &vyre.Commit{Events: []vyre.Event{textEvent("t", 1, "i", i, "x")}}))
	}
	before := readAll(t, db)
	var wg sync.WaitGroup
	quit := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
				if err := db.Commit(t.Context(), &vyre.Commit{Durable: true, Events: []vyre.Event{{Kind: "x.y"}}}); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	to := filepath.Join(t.TempDir(), "it's a backup.db")
	err := db.Backup(t.Context(), to)
	close(quit)
	wg.Wait()
	must(t, err)
	st, err := os.Stat(to)
	must(t, err)
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	copied := openRunningAt(t, to)
	must(t, copied.Verify(t.Context()))
	all := readAll(t, copied)
	if d := cmp.Diff(before, all[:len(before)]); d != "" {
		t.Error(d)
	}
	c := &vyre.Commit{Events: []vyre.Event{{Kind: "x.y"}}}
	must(t, copied.Commit(t.Context(), c))
	if last := all[len(all)-1].Seq; c.Events[0].Seq <= last {
		t.Errorf("number %d given again after %d", c.Events[0].Seq, last)
	}
}

func openRunningAt(t *testing.T, path string) *DB {
	t.Helper()
	db := openAt(t, path, Options{})
	t.Cleanup(run(t, db))
	return db
}

func TestBackupRefusesWhatIsThere(t *testing.T) {
	// An existing target, a link to one, and a missing folder are refused, and
	// nothing is changed or left behind.
	db := openRunning(t, Options{})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, []byte("mine"), 0o600))
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(filepath.Join(dir, "elsewhere"), link))
	for path, want := range map[string]vyre.Code{
		file: vyre.CodeConflict, link: vyre.CodeConflict, filepath.Join(dir, "no", "x"): vyre.CodeInvalid,
	} {
		if err := db.Backup(t.Context(), path); vyre.CodeOf(err) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "mine" {
		t.Error("the file was written over")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}
