package engine

import (
	"context"

	"vyre"
)

// spend counts what the agent says it used, in the commit that ends the turn, so
// that nothing is counted twice. What comes after its turn was closed (an
// interrupt did not wait for it) is added to the turn that runs, or ran last.
func (o *owner) spend(t *tx, u *vyre.Usage) {
	if u == nil {
		return
	}
	o.book.thread.CostMicros += u.CostMicros
	t.thread = true
	if o.book.turn != nil {
		o.book.turn.Usage = addUsage(o.book.turn.Usage, *u)
		return
	}
	last, ok, err := o.e.cfg.Store.Turn(o.e.ctx, o.book.newest)
	if err != nil || !ok {
		o.log.Warn("usage came for no turn", "cost_micros", u.CostMicros, "error", err)
		return
	}
	last.Usage = addUsage(last.Usage, *u)
	t.putTurn(last)
}

func addUsage(a *vyre.Usage, b vyre.Usage) *vyre.Usage {
	if a == nil {
		return &b
	}
	b.InputTokens += a.InputTokens
	b.OutputTokens += a.OutputTokens
	b.CacheReadTokens += a.CacheReadTokens
	b.CacheWriteTokens += a.CacheWriteTokens
	b.CostMicros += a.CostMicros
	if b.ContextWindow == 0 {
		b.ContextWindow = a.ContextWindow
	}
	if b.ContextTokens == 0 {
		b.ContextTokens = a.ContextTokens
	}
	return &b
}

func (o *owner) overBudget() bool {
	th := &o.book.thread
	return th.BudgetMicros > 0 && th.CostMicros >= th.BudgetMicros
}

// budgetLeft bounds the next process; 0 is no bound.
func (o *owner) budgetLeft() int64 {
	th := &o.book.thread
	if th.BudgetMicros == 0 {
		return 0
	}
	return max(th.BudgetMicros-th.CostMicros, 1)
}

// SetBudget sets what a thread may cost in micro-dollars; 0 is no bound. A live
// process that carries the old bound is replaced when it rests. With room in the
// budget again, what waits goes on.
func (e *Engine) SetBudget(ctx context.Context, thread vyre.ThreadID, micros int64, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		th := &o.book.thread
		if th.BudgetMicros == micros {
			return true, nil
		}
		t := o.begin()
		t.durable()
		th.BudgetMicros, t.thread = micros, true
		t.event(vyre.ThreadBudget{BudgetMicros: micros, CostMicros: th.CostMicros, By: by})
		if err := t.commit(r.ctx); err != nil {
			return false, err
		}
		r.done <- nil
		if o.run != nil {
			o.run.rebudget = true
		}
		if th.Reason == vyre.StopBudget {
			o.goOn(e.ctx)
		}
		return false, nil
	})
}

// refuses says why the thread can't go on, or with another message not; nil if it
// can.
func (o *owner) refuses(message bool) error {
	th := &o.book.thread
	switch {
	case th.Purpose == vyre.PurposeJob && (message || o.jobDone()):
		return vyre.Errorf(vyre.CodeConflict, "a job is one turn, and this one has its message").
			WithHint("Start another job, or a thread of another purpose.")
	case o.overBudget():
		return vyre.Errorf(vyre.CodeLimit, "the thread's budget is used up").
			WithHint("Raise it with threads.budget; then send again.").
			WithDetail("budget_micros", th.BudgetMicros).WithDetail("cost_micros", th.CostMicros)
	}
	return nil
}

// jobDone reports whether the thread is a job whose only turn has begun or ended.
func (o *owner) jobDone() bool {
	return o.book.thread.Purpose == vyre.PurposeJob && len(o.book.queue) == 0 && o.book.newest != ""
}
