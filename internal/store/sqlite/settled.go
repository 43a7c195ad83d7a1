package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"vyre"
)

// A wall clock can be wrong, and say so by a jump: a machine without a battery, a
// slip in setting the date. Nothing of the log's order rests on it, but pruning
// does, and what was pruned is gone. So pruning goes by a clock that follows the
// wall clock only as far as it can be believed.
const (
	// believed is how far the wall clock may step forward and be followed at once: a
	// machine that slept over a weekend.
	believed = 3 * 24 * time.Hour
	// standing is how long, while we run, a longer step must stand until it is taken
	// for the truth: a machine that was off for a month.
	standing = 24 * time.Hour
)

// settledClock is the clock that pruning goes by. Back it goes at once: that only
// keeps more.
type settledClock struct {
	wall    func() time.Time
	elapsed func() time.Duration

	mu    sync.Mutex    // protects what follows
	base  time.Duration // elapsed at the last look
	at    time.Time     // the settled time at the last look
	doubt time.Duration // elapsed when the wall clock was first too far ahead; -1: it is not
	ahead time.Duration // how far it was
}

// newSettledClock goes on from the newest event's time, zero for none.
func newSettledClock(wall func() time.Time, elapsed func() time.Duration, newest vyre.Time) *settledClock {
	c := &settledClock{wall: wall, elapsed: elapsed, base: elapsed(), doubt: -1, at: wall()}
	if newest != 0 {
		c.at = newest.Std()
	}
	c.now()
	return c
}

func (c *settledClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, ran := c.wall(), c.elapsed()
	c.at, c.base = c.at.Add(ran-c.base), ran
	ahead := wall.Sub(c.at)
	switch {
	case ahead <= believed:
		c.at, c.doubt = wall, -1
	case c.doubt < 0 || (ahead-c.ahead).Abs() > believed: // a new jump
		c.doubt, c.ahead = ran, ahead
	case ran-c.doubt >= standing:
		c.at, c.doubt = wall, -1
	}
	return c.at
}

// newestTime is what the clock said at the newest event, 0 without one.
func (w *writer) newestTime(ctx context.Context) (t vyre.Time, err error) {
	err = w.conn.QueryRowContext(ctx, "SELECT ts FROM events ORDER BY seq DESC LIMIT 1").Scan((*int64)(&t))
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return t, err
}
