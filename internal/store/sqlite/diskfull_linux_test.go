package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"vyre"
)

func TestFullDisk(t *testing.T) {
	// On a file system without room nothing is acknowledged and the error is
	// no_space, for durable changes and others; reads go on; once there is room the
	// same handle goes on with the very next number, without repair.
	for name, durable := range map[string]bool{"durable": true, "cheap": false} {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t, "8m")
			ballast := filepath.Join(dir, "ballast")
			must(t, os.WriteFile(ballast, make([]byte, 4<<20), 0o600))
			db := openAt(t, filepath.Join(dir, "vyre.db"), Options{})
			t.Cleanup(run(t, db))
			seedThread(t, db, "t")
			acked := fillUp(t, db, durable)
			stillWhole(t, db, acked)
			for range 20 { // it stays so
				err := db.Commit(t.Context(), &vyre.Commit{Durable: durable, Items: []vyre.Item{{
					ID: "big", Thread: "t", Kind: vyre.ItemRaw,
					Status: vyre.ItemCompleted, Text: string(make([]byte, 1<<20)),
				}}, Events: []vyre.Event{{Kind: "x.y"}}})
				if vyre.CodeOf(err) != vyre.CodeNoSpace {
					t.Fatalf("with a full disk: %v", err)
				}
			}
			stillWhole(t, db, acked)
			must(t, os.Remove(ballast))
			c := &vyre.Commit{Durable: durable, Events: []vyre.Event{{Kind: "x.y"}}}
			must(t, db.Commit(t.Context(), c))
			if want := acked[len(acked)-1].Seq + 1; c.Events[0].Seq != want {
				t.Errorf("went on with %d, want %d", c.Events[0].Seq, want)
			}
			must(t, db.Verify(t.Context()))
		})
	}
}

// smallDisk mounts a file system of its own for the test, which takes root.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("needs a small file system of its own, which this user can't mount:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
