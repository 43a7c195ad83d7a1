package sqlite

import (
	"context"
	"fmt"
	"os"

	"vyre"
)

// DiskUse says what the database's bytes are for. The classes are what their data
// has without SQLite's own share, so they come to less than File.
type DiskUse struct {
	File int64 // the database
	WAL  int64 // its write-ahead log
	Free int64 // pages of the database that hold nothing; Shrink gives them back where CanShrink
	// CanShrink is false for a database that was made before pages could be given
	// back: they are used again, and a backup does not have them.
	CanShrink bool
	Words     int64 // words of turns as events
	Events    int64 // how many other events there are
	Raw       int64 // bodies of messages that nobody here knows
	Outputs   int64 // large outputs of tools
}

// Size is what the files take on the disk.
func (u DiskUse) Size() int64 { return u.File + u.WAL }

// Disk adds up what is there. It walks indexes of the classes that can grow.
func (db *DB) Disk(ctx context.Context) (u DiskUse, err error) {
	u = db.quickUsage()
	for _, q := range []struct {
		to   *int64
		text string
	}{
		{&u.Words, "SELECT coalesce(sum(length(data)), 0) FROM events WHERE item IS NOT NULL"},
		{&u.Raw, "SELECT coalesce(sum(length(body)), 0) FROM items WHERE kind = 'raw' AND body IS NOT NULL"},
		{&u.Outputs, "SELECT coalesce(sum(bytes), 0) FROM outputs"},
		{&u.Events, "SELECT count(*) FROM events WHERE item IS NULL"},
		{&u.Free, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"},
	} {
		if *q.to, _, err = one(ctx, db, func(r scanner) (n int64, err error) { return n, r.Scan(&n) }, q.text); err != nil {
			return u, err
		}
	}
	u.CanShrink, _, err = one(ctx, db, func(r scanner) (ok bool, err error) { return ok, r.Scan(&ok) },
		"SELECT auto_vacuum = 2 FROM pragma_auto_vacuum")
	return u, err
}

// quickUsage is the size of the files alone.
func (db *DB) quickUsage() (u DiskUse) {
	if st, err := os.Stat(db.path); err == nil {
		u.File = st.Size()
	}
	if st, err := os.Stat(db.path + "-wal"); err == nil {
		u.WAL = st.Size()
	}
	return u
}

// shrinkAtOnce is how many pages one transaction gives back, 1 MB.
const shrinkAtOnce = 256

// Shrink gives free pages back to the disk and cuts the write-ahead log, in small
// transactions. It returns by how much the files became smaller.
func (db *DB) Shrink(ctx context.Context) (freed int64, err error) {
	before := db.quickUsage()
	for {
		left := int64(0)
		err := db.submit(ctx, &job{apply: func(ctx context.Context, w *writer) (err error) {
			left, err = w.giveBack(ctx)
			return err
		}})
		if err != nil {
			return 0, err
		}
		if left == 0 {
			break
		}
	}
	// Between two transactions of the writer; a reader in the way only means less.
	_, err = db.reading.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return before.Size() - db.quickUsage().Size(), db.fault(err)
}

// giveBack takes free pages off the end of the file and says how many are left
// that could go.
func (w *writer) giveBack(ctx context.Context) (left int64, err error) {
	before, err := w.freePages(ctx)
	if err != nil || before == 0 {
		return 0, err
	}
	if err := w.vacuum(ctx); err != nil {
		return 0, err
	}
	if left, err = w.freePages(ctx); left == before { // a database that can't
		return 0, err
	}
	return left, err
}

func (w *writer) freePages(ctx context.Context) (n int64, err error) {
	return n, w.conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&n)
}

// vacuum gives back up to shrinkAtOnce pages. Each step of the pragma is one page,
// so its rows are read to the end.
func (w *writer) vacuum(ctx context.Context) error {
	rows, err := w.conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", shrinkAtOnce))
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // its error is that of rows.Err
	for rows.Next() {
	}
	return rows.Err()
}

// SettledNow is the time that pruning goes by.
func (db *DB) SettledNow() vyre.Time { return vyre.At(db.settled.now()) }
