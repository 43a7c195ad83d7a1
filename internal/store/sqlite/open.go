package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"vyre"
)

// Options are what the store needs from outside.
type Options struct {
	// Now is the clock of events and of pruning; nil means time.Now.
	Now func() time.Time
	// OnCommit gets the events of each transaction, in order, on the writer's
	// goroutine, before the Commit calls of that transaction return. It must not
	// block and must not call the store. The events are shared: nobody may change
	// their Data. Nil: nobody wants to know.
	OnCommit func([]vyre.Event)
	// Elapsed is how much time has passed since some moment of this process, by a
	// clock that nobody sets; nil means since Open, monotonic.
	Elapsed func() time.Duration
	// Clean takes out of a change what must not be written, before anything of it
	// is; nil takes out nothing. It is the one place that every change passes.
	Clean func(*vyre.Commit)
	// Retention says how long what may go is kept.
	Retention Retention
	// Log gets what has no caller to tell; nil means nowhere.
	Log *slog.Logger
	// Timer gives the moments at which the pruner looks: it returns a channel
	// that is ready after d, and a function that lets go of it. Nil means a
	// time.Timer.
	Timer func(d time.Duration) (<-chan time.Time, func())
}

// DB is an open store. Its methods may be called from any goroutine; those that
// write need Run to be running, and wait for it.
type DB struct {
	path string
	opt  Options

	writing     *sql.DB // exactly one connection, which the writer holds
	writer      *writer
	jobs        chan *job
	checkpoints chan struct{}
	quit        chan struct{} // closed by Close: Run must end
	stopped     chan struct{} // closed by the writer: no job is taken any more
	running     sync.WaitGroup
	closing     sync.Once

	reading *sql.DB
	reads   statements

	settled *settledClock // what pruning goes by

	head  atomic.Int64 // newest published seq; only the writer sets it
	floor atomic.Int64 // highest pruned seq; raised before the pruning commits
}

const (
	readers      = 4                // reading connections at most
	idleReaders  = 2                // kept open between bursts, about 0.3 MB each
	readerIdle   = time.Minute      // an unused one is closed after this
	waitingJobs  = 1024             // commits in line before a caller has to wait to get in line
	busyTimeout  = 5 * time.Second  // for another program that holds the file, such as a shell
	walKeepBytes = 16 * 1024 * 1024 // a larger log file is cut back after a checkpoint
)

// Open opens the store at path, which it makes if there is none, and brings its
// schema up to date. The folder must exist. It reads a handful of rows whatever
// the size of the store. Errors: conflict when the file is of a newer vyre,
// no_space, internal.
//
// That no other process has the file open is for the daemon's lock to see to.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	db := &DB{
		path: path, opt: o.withDefaults(),
		jobs: make(chan *job, waitingJobs), checkpoints: make(chan struct{}, 1),
		quit: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := privateFiles(path); err != nil {
		return nil, db.fault(err)
	}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(db.fault(err), db.closeFiles())
	}
	return db, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Elapsed == nil {
		start := time.Now()
		o.Elapsed = func() time.Duration { return time.Since(start) }
	}
	if o.OnCommit == nil {
		o.OnCommit = func([]vyre.Event) {}
	}
	if o.Clean == nil {
		o.Clean = func(*vyre.Commit) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Timer == nil {
		o.Timer = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	return o
}

func (db *DB) open(ctx context.Context) error {
	var err error
	pragmas := []string{"cache_size(-4096)", "foreign_keys(1)", fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages)}
	if st, err := os.Stat(db.path); err == nil && st.Size() == 0 {
		// Said to a file that has something it would write, and opening must not.
		pragmas = append(pragmas, "auto_vacuum(INCREMENTAL)")
	}
	if db.writing, err = sql.Open("sqlite", address(db.path, pragmas...)); err != nil {
		return err
	}
	db.writing.SetMaxOpenConns(1)
	conn, err := db.writing.Conn(ctx)
	if err != nil {
		return err
	}
	if db.writer, err = newWriter(ctx, db, conn); err != nil {
		return errors.Join(err, conn.Close())
	}
	if db.reading, err = sql.Open("sqlite", address(db.path, "cache_size(-1024)", "query_only(1)")); err != nil {
		return err
	}
	last, err := db.writer.newestTime(ctx)
	if err != nil {
		return err
	}
	db.settled = newSettledClock(db.opt.Now, db.opt.Elapsed, last)
	db.reading.SetMaxOpenConns(readers)
	db.reading.SetMaxIdleConns(idleReaders)
	db.reading.SetConnMaxIdleTime(readerIdle)
	db.reads.db = db.reading
	return nil
}

// Close ends Run if it runs, waits for it, and closes the files. Commits that
// wait are still done; later ones get unavailable. Safe to repeat.
func (db *DB) Close() error {
	var err error
	db.closing.Do(func() {
		close(db.quit)
		db.running.Wait()
		err = db.closeFiles()
	})
	return err
}

func (db *DB) closeFiles() error {
	var errs []error
	if db.reading != nil {
		errs = append(errs, db.reads.close(), db.reading.Close())
	}
	if db.writer != nil {
		errs = append(errs, db.writer.close())
	}
	if db.writing != nil {
		errs = append(errs, db.writing.Close())
	}
	return errors.Join(errs...)
}

// address makes the driver's name of a connection. The path is escaped, so that
// a home with "?" or "%" in it opens the file it means. On macOS only fullfsync
// reaches the medium; elsewhere SQLite ignores it.
func address(path string, pragmas ...string) string {
	q := url.Values{"_pragma": append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"fullfsync(1)",
		"checkpoint_fullfsync(1)",
		"temp_store(MEMORY)",
		"secure_delete(ON)", // what is removed is overwritten
		fmt.Sprintf("journal_size_limit(%d)", walKeepBytes),
	}, pragmas...)}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

// privateFiles makes the file if it is missing and takes group and others off
// all three. SQLite gives -wal and -shm the mode of the database.
func privateFiles(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(path+suffix, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
