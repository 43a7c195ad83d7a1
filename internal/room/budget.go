package room

import (
	"context"
	"os"
	"time"
)

// steps are the ages at which what may go goes before its time, when the budget
// is passed: the oldest first, and never what is younger than an hour. Events
// other than words stay for a month in any case, so that clients that were away
// miss nothing.
var steps = []Ages{
	{Words: 30 * day, Raw: 30 * day, Outputs: 30 * day, Events: 365 * day},
	{Words: 7 * day, Raw: 7 * day, Outputs: 7 * day, Events: 90 * day},
	{Words: day, Raw: day, Outputs: day, Events: 30 * day},
	{Words: time.Hour, Raw: time.Hour, Outputs: time.Hour},
}

const day = 24 * time.Hour

// fit measures what the home takes, and while that is more than the budget drops
// the oldest of what may go.
func (k *Keeper) fit(ctx context.Context) error {
	used, err := k.measure(ctx)
	if err != nil || k.cfg.Budget == 0 || used <= k.cfg.Budget {
		return err
	}
	if _, err := k.dropLeftover(ctx); err != nil {
		return err
	}
	if err := k.cfg.Store.Shrink(ctx); err != nil {
		return err
	}
	for _, older := range steps {
		if used, err = k.measure(ctx); err != nil || used <= k.cfg.Budget {
			return err
		}
		n, err := k.cfg.Store.Prune(ctx, older)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		k.cfg.Log.Info("the disk budget is passed: what was oldest went", "rows", n)
		if err := k.cfg.Store.Shrink(ctx); err != nil {
			return err
		}
	}
	_, err = k.measure(ctx)
	return err
}

// measure adds up what counts against the budget: everything of the home but the
// worktrees, which are the person's.
func (k *Keeper) measure(ctx context.Context) (int64, error) {
	used, err := sizeOf(ctx, k.cfg.Places.Home, k.cfg.Places.Worktrees)
	if err != nil {
		return 0, err
	}
	k.mu.Lock()
	k.state.Used = used
	k.mu.Unlock()
	return used, nil
}

// dropLeftover removes the folders of sessions that ended.
func (k *Keeper) dropLeftover(ctx context.Context) (freed int64, err error) {
	folders, err := k.cfg.Leftover(ctx)
	if err != nil {
		return 0, err
	}
	for _, f := range folders {
		n, err := sizeOf(ctx, f)
		if err != nil {
			return freed, err
		}
		if err := os.RemoveAll(f); err != nil {
			return freed, err
		}
		freed += n
	}
	return freed, nil
}
