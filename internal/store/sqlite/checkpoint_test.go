package sqlite

import (
	"bytes"
	"log/slog"
	"os"
	"testing"

	"vyre"
)

func TestCheckpointsRunBesideTheWriter(t *testing.T) {
	// What was written comes into the database file itself long before SQLite's own
	// bound, without a complaint, while the store runs.
	var said bytes.Buffer
	db := open(t, Options{Log: slog.New(slog.NewTextHandler(&said, nil))})
	stop := run(t, db)
	seedThread(t, db, "t")
	before, err := os.Stat(db.path)
	must(t, err)
	for i := range checkpointAfter / 3 {
		must(t, db.Commit(t.Context(), &vyre.Commit{Events: []vyre.Event{textEvent("t", 1, "i", i, "some words")}}))
	}
	waitFor(t, func() bool {
		now, err := os.Stat(db.path)
		return err == nil && now.Size() > before.Size()
	})
	stop()
	if wal, err := os.Stat(db.path + "-wal"); err != nil || wal.Size() > checkpointPages*4096 {
		t.Errorf("the write-ahead log: %v %v", wal, err)
	}
	if said.Len() > 0 {
		t.Error(said.String())
	}
}
