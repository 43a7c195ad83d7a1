package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"sync/atomic"

	"vyre"
)

// job is one change that waits for the writer. Its caller sleeps on done.
type job struct {
	durable bool
	events  int // how many numbers it will take at most
	// apply makes the change inside the open transaction. It may be called again
	// after undo, when the transaction it was part of failed.
	apply func(ctx context.Context, w *writer) error
	undo  func() // takes back what apply wrote into the caller's values, or nil

	taken atomic.Int32 // claimNone, claimWriter or claimCaller
	err   error
	done  chan struct{}
}

// Who has a job: a caller that gives up and the writer that begins must not both.
const (
	claimNone int32 = iota
	claimWriter
	claimCaller
)

const (
	batchJobs   = 512  // changes in one transaction at most
	batchEvents = 4096 // and events, unless one change alone has more
)

// submit hands a job to the writer and waits for its outcome. A caller whose
// context ends while the job still waits takes it back; once the writer has it
// the outcome is awaited, as nobody could tell it later.
func (db *DB) submit(ctx context.Context, j *job) error {
	if err := ctx.Err(); err != nil {
		return db.fault(err)
	}
	j.done = make(chan struct{})
	select {
	case db.jobs <- j:
	case <-ctx.Done():
		return db.fault(ctx.Err())
	case <-db.stopped:
		return errStopped()
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		if j.taken.CompareAndSwap(claimNone, claimCaller) {
			return db.fault(ctx.Err())
		}
	case <-db.stopped:
		if j.taken.CompareAndSwap(claimNone, claimCaller) {
			return errStopped()
		}
	}
	<-j.done
	return j.err
}

func errStopped() error {
	return vyre.Errorf(vyre.CodeUnavailable, "the daemon is stopping").
		WithHint("Try again once it is back; a repeated call with the same key is safe.")
}

// writer is the one that writes. Only its goroutine touches it.
type writer struct {
	db      *DB
	conn    *sql.Conn
	made    map[string]*sql.Stmt
	full    bool // the connection stands at synchronous=FULL
	log     logState
	fresh   []vyre.Event // of the transaction that is open
	written int          // pages, about, since the checkpointer was told
}

func newWriter(ctx context.Context, db *DB, conn *sql.Conn) (*writer, error) {
	if err := migrate(ctx, conn); err != nil {
		return nil, err
	}
	w := &writer{db: db, conn: conn, made: map[string]*sql.Stmt{}, full: true}
	floor, err := w.log.load(ctx, conn)
	if err != nil {
		return nil, err
	}
	db.head.Store(int64(w.log.head))
	db.floor.Store(int64(floor))
	return w, nil
}

// loop does what waits until ctx ends, then what still waits, and says so.
// Statements run under a context that does not end: a transaction is never
// broken off in the middle.
func (w *writer) loop(ctx context.Context) {
	steady := context.WithoutCancel(ctx)
	var batch []*job
	for {
		select {
		case j := <-w.db.jobs:
			// Callers that the last transaction woke are about to come back; letting
			// them run first makes one transaction of what would be two.
			runtime.Gosched()
			batch = w.gather(append(batch[:0], j))
			w.do(steady, batch)
			clear(batch)
		case <-ctx.Done():
			for batch = w.gather(batch[:0]); len(batch) > 0; batch = w.gather(batch[:0]) {
				w.do(steady, batch)
			}
			close(w.db.stopped)
			return
		}
	}
}

// gather adds what waits, up to the bounds of a transaction, and claims it.
func (w *writer) gather(batch []*job) []*job {
	claimed, events := batch[:0], 0
	for _, j := range batch {
		if j.taken.CompareAndSwap(claimNone, claimWriter) {
			claimed, events = append(claimed, j), events+j.events
		}
	}
	for len(claimed) < batchJobs && events < batchEvents {
		select {
		case j := <-w.db.jobs:
			if j.taken.CompareAndSwap(claimNone, claimWriter) {
				claimed, events = append(claimed, j), events+j.events
			}
		default:
			return claimed
		}
	}
	return claimed
}

// do makes one transaction of the batch. If it fails as a whole, each change is
// tried alone: one that needs more room than there is must not take others with it.
func (w *writer) do(ctx context.Context, batch []*job) {
	if len(batch) == 0 {
		return
	}
	err := w.transaction(ctx, batch)
	switch {
	case err == nil:
		for _, j := range batch {
			close(j.done)
		}
	case len(batch) == 1:
		batch[0].err = w.db.fault(err)
		close(batch[0].done)
	default:
		for _, j := range batch {
			j.err = nil
			w.do(ctx, []*job{j})
		}
	}
}

// transaction applies the batch and commits. An error means that nothing of it
// happened; what went wrong with one change alone is in that job's err.
func (w *writer) transaction(ctx context.Context, batch []*job) (err error) {
	before := w.log
	w.fresh = nil
	durable, events := false, 0
	for _, j := range batch {
		durable, events = durable || j.durable, events+j.events
	}
	reserve := before.head+vyre.Seq(events) > before.reserved
	if err := w.synchronous(ctx, durable || reserve); err != nil {
		return err
	}
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = w.exec(ctx, "ROLLBACK") // SQLite may have done it already
			w.log, w.fresh = before, nil
			for _, j := range batch {
				j.takeBack()
			}
		}
	}()
	if reserve {
		if err := w.log.reserve(ctx, w, events); err != nil {
			return err
		}
	}
	for _, j := range batch {
		if err := w.apply(ctx, j, len(batch) > 1); err != nil {
			return err
		}
	}
	if err := w.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	w.noteWritten(len(batch))
	w.db.head.Store(int64(w.log.head))
	if len(w.fresh) > 0 {
		w.db.opt.OnCommit(w.fresh)
	}
	return nil
}

// apply makes one change. Its failure is its own, unless it spoils the whole.
func (w *writer) apply(ctx context.Context, j *job, shared bool) error {
	log, fresh := w.log, len(w.fresh)
	if !shared { // a failure undoes the transaction, which is this change
		return j.apply(ctx, w)
	}
	if err := w.exec(ctx, "SAVEPOINT change"); err != nil {
		return err
	}
	err := j.apply(ctx, w)
	if err == nil {
		return w.exec(ctx, "RELEASE change")
	}
	if spoilsTransaction(err) {
		return err
	}
	j.err = w.db.fault(err)
	j.takeBack()
	w.log, w.fresh = log, w.fresh[:fresh]
	return errors.Join(w.exec(ctx, "ROLLBACK TO change"), w.exec(ctx, "RELEASE change"))
}

func (j *job) takeBack() {
	if j.undo != nil {
		j.undo()
	}
}

// synchronous sets how far the next transaction has to come before its commit
// returns. SQLite reads this pragma while it compiles it and refuses it inside a
// transaction, so it is neither prepared nor part of one.
func (w *writer) synchronous(ctx context.Context, full bool) error {
	if w.full == full {
		return nil
	}
	text := "PRAGMA synchronous = NORMAL"
	if full {
		text = "PRAGMA synchronous = FULL"
	}
	if _, err := w.conn.ExecContext(ctx, text); err != nil {
		return err
	}
	w.full = full
	return nil
}

func (w *writer) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if st := w.made[text]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	w.made[text] = st
	return st, nil
}

func (w *writer) exec(ctx context.Context, text string, args ...any) error {
	_, err := w.changed(ctx, text, args...)
	return err
}

// changed is exec that says how many rows were changed.
func (w *writer) changed(ctx context.Context, text string, args ...any) (int64, error) {
	st, err := w.prepared(ctx, text)
	if err != nil {
		return 0, err
	}
	r, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (w *writer) close() error {
	var errs []error
	for _, st := range w.made {
		errs = append(errs, st.Close())
	}
	w.made = nil
	return errors.Join(append(errs, w.conn.Close())...)
}
