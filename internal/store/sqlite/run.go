package sqlite

import (
	"context"
	"log/slog"
	"sync"

	"vyre"
)

// Run writes and prunes until ctx ends or Close is called. Changes that wait
// then are still made; the mark is set to the last number used, so that the next
// start goes on without a gap. It is called once, and returns after its
// goroutines did.
func (db *DB) Run(ctx context.Context) error {
	db.running.Add(1)
	defer db.running.Done()
	select {
	case <-db.quit:
		return errStopped()
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var own sync.WaitGroup
	own.Go(func() {
		select {
		case <-db.quit:
			cancel()
		case <-ctx.Done():
		}
	})

	own.Go(func() { db.prune(ctx) })
	own.Go(func() { db.checkpoint(ctx) })
	db.writer.loop(ctx)
	cancel()
	own.Wait()
	if err := db.writer.settle(context.WithoutCancel(ctx)); err != nil {
		db.opt.Log.Warn("the log's mark stays ahead: the next start skips numbers", slog.String("error", err.Error()))
	}
	return nil
}

// settle makes the mark exact. Where that fails (a full disk, say) the next
// start merely skips the numbers that were reserved.
func (w *writer) settle(ctx context.Context) error {
	if w.log.reserved == w.log.head {
		return nil
	}
	j := &job{durable: true, apply: func(ctx context.Context, w *writer) error {
		return w.log.setMark(ctx, w, w.log.head)
	}}
	return w.transaction(ctx, []*job{j})
}

// Bounds returns the highest pruned number and the newest one, from memory.
func (db *DB) Bounds(context.Context) (floor, head vyre.Seq, err error) {
	return vyre.Seq(db.floor.Load()), vyre.Seq(db.head.Load()), nil
}

// Head returns the newest number, from memory: the one of the newest event, or,
// after a start that followed a crash, the last that may have been in use.
func (db *DB) Head() vyre.Seq { return vyre.Seq(db.head.Load()) }
