package sqlite

import (
	"context"
	"log/slog"
)

// SQLite copies the write-ahead log back into the database inside whatever
// commit crosses a bound, and that commit waits for two fsyncs and the copy. A
// goroutine does it sooner, on a reading connection, while the writer goes on.
// Under load without a pause it can't finish; then SQLite's own bound holds, and
// finds little left to do.
const (
	checkpointAfter = 1000 // pages, about, after which the goroutine is told
	checkpointPages = 4000 // 16 MB: SQLite's own bound
)

// noteWritten tells the checkpointer now and then. It never waits. A small
// transaction writes about three pages; many changes at once share theirs.
func (w *writer) noteWritten(jobs int) {
	w.written += 3 + jobs/8
	if w.written < checkpointAfter {
		return
	}
	w.written = 0
	select {
	case w.db.checkpoints <- struct{}{}:
	default: // it has been told
	}
}

func (db *DB) checkpoint(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-db.checkpoints:
			// Failing does no harm (a full disk, say): the log just stays longer.
			if _, err := db.reading.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil && ctx.Err() == nil {
				db.opt.Log.Warn("checkpoint failed", slog.String("error", err.Error()))
			}
		}
	}
}
