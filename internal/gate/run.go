package gate

import (
	"context"
	"time"

	"vyre"
	"vyre/internal/fail"
)

// runner is what Run knows. Only its goroutine touches it.
type runner struct {
	*Gate
	busy  map[vyre.GateID]bool
	due   map[vyre.GateID]int64 // when the next attempt of an act that is sending may begin, in the machine's ms
	ended chan ended
}

// ended is an attempt that is over.
type ended struct {
	act    vyre.GateAct
	result Result
}

// pause is how soon the store is asked again after it failed, and the longest wait
// between two looks: a machine that slept wakes no timer in time.
const (
	pause   = 2 * time.Second
	longest = time.Minute
)

// Run attempts what is approved until ctx ends, and returns after its attempts have
// ended: they have GraceAtEnd, and what has no answer by then is as after a crash.
func (g *Gate) Run(ctx context.Context) error {
	r := &runner{Gate: g, busy: map[vyre.GateID]bool{}, due: map[vyre.GateID]int64{}, ended: make(chan ended)}
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	wait := r.recover(ctx)
	for ctx.Err() == nil {
		if wait == 0 {
			wait = r.look(ctx, sending)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-g.wake:
			wait = 0
		case <-timer.C:
			wait = 0
		case e := <-r.ended:
			r.settle(ctx, e)
			wait = 0
		}
		timer.Stop()
	}
	return r.drain(ctx, stop)
}

// drain waits for the attempts that run, with a bound.
func (r *runner) drain(ctx context.Context, stop func()) error {
	timer := time.AfterFunc(GraceAtEnd, stop)
	defer timer.Stop()
	for len(r.busy) > 0 {
		r.settle(ctx, <-r.ended)
	}
	return nil
}

// recover looks at what an earlier daemon was attempting when it ended: what has a key
// is attempted again, the rest is unknown. It returns how long to wait before a look,
// 0 for none; a store that fails is asked again.
func (r *runner) recover(ctx context.Context) time.Duration {
	for ctx.Err() == nil {
		live, err := r.Store.GateLive(ctx)
		if err == nil {
			err = r.recovered(ctx, live)
		}
		if err == nil {
			return 0
		}
		r.tell("acts that were being sent can't be looked at yet", err)
		if !sleep(ctx, pause) {
			break
		}
	}
	return 0
}

func (r *runner) recovered(ctx context.Context, live []vyre.GateAct) error {
	_, ms := r.Machine()
	for _, a := range live {
		if a.State != vyre.GateSending {
			continue
		}
		if r.again(a) {
			r.due[a.ID] = ms
			continue
		}
		if _, err := r.lose(ctx, a, Result{Why: "the daemon ended during the attempt"}); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether another attempt under the same key is safe. The clock is asked
// as well: after a start of the machine there is no other count, and one that went back
// lets nothing be sent again.
func (g *Gate) again(a vyre.GateAct) bool {
	age := g.Now().Sub(a.Claimed.Std())
	return a.Idempotent && a.Attempts < MaxAttempts && age >= 0 && age < KeyLife && a.Sum() == a.Hash
}

// look does what is due and returns when to look again.
func (r *runner) look(ctx, sending context.Context) time.Duration {
	live, err := r.Store.GateLive(ctx)
	if err != nil {
		r.tell("acts can't be listed", err)
		return pause
	}
	wait := longest
	for _, a := range live {
		next, err := r.one(ctx, sending, a)
		if err != nil && vyre.CodeOf(err) != vyre.CodeConflict { // somebody decided at the same moment: that holds
			r.tell("an act can't be moved on", err)
			next = pause
		}
		if next > 0 {
			wait = min(wait, next)
		}
	}
	return wait
}

// one moves one act on if it is due, and says when to look at it again (0: when
// something happens).
func (r *runner) one(ctx, sending context.Context, a vyre.GateAct) (time.Duration, error) {
	if r.busy[a.ID] {
		return 0, nil
	}
	_, ms := r.Machine()
	if a.State != vyre.GateSending {
		if why, yes := r.over(a); yes {
			_, err := r.expire(ctx, a, why)
			return 0, err
		}
	}
	left := time.Duration(a.Deadline-ms) * time.Millisecond
	switch a.State {
	case vyre.GateWaiting:
		return left, nil
	case vyre.GateApproved:
		if soon := time.Duration(a.NotSooner-ms) * time.Millisecond; soon > 0 {
			return min(soon, left), nil
		}
		if len(r.busy) >= Parallel {
			return 0, nil
		}
		return 0, r.claim(ctx, sending, a, vyre.GateClaim)
	default: // it is being sent: is there to be another attempt?
	}
	due, known := r.due[a.ID]
	if soon := time.Duration(due-ms) * time.Millisecond; known && soon > 0 {
		return soon, nil
	}
	if len(r.busy) >= Parallel {
		return 0, nil
	}
	if !r.again(a) {
		_, err := r.lose(ctx, a, Result{Why: "no attempt had an answer that says", Status: a.Status, Answer: a.Answer})
		return 0, err
	}
	return 0, r.claim(ctx, sending, a, vyre.GateRetry)
}

// claim writes down that an attempt begins, and begins it.
func (r *runner) claim(ctx, sending context.Context, a vyre.GateAct, m vyre.GateMove) error {
	sender := r.Senders[a.Kind]
	if a.Sum() != a.Hash || sender == nil {
		const why = "it is not what was approved any more: nothing was sent"
		_, err := r.move(ctx, a, vyre.GateFail, func(a *vyre.GateAct) { a.Outcome = why }, vyre.GateUndone{Act: a.ID, Why: why})
		return err
	}
	fail.Point("gate." + string(m) + ".before")
	a, err := r.move(ctx, a, m, func(a *vyre.GateAct) {
		a.Attempts++
		if a.Claimed == 0 {
			a.Claimed = vyre.At(r.Now())
		}
	}, vyre.GateBegun{Act: a.ID, Attempt: a.Attempts + 1})
	if err != nil {
		return err
	}
	r.busy[a.ID] = true
	go func() { // ends with a message that Run takes, also while it ends
		ctx, cancel := context.WithTimeout(sending, SendBound)
		defer cancel()
		key := ""
		if a.Idempotent {
			key = a.SendKey()
		}
		res := sender.Send(ctx, a, key)
		fail.Point("gate.send.after")
		r.ended <- ended{a, res}
	}()
	return nil
}

// settle writes down how an attempt ended, also while the daemon ends. What the store
// can't take yet is tried again until it can; at the daemon's end the act is then as
// after a crash.
func (r *runner) settle(ctx context.Context, e ended) {
	for {
		err := r.written(ctx, e)
		if err == nil || vyre.CodeOf(err) == vyre.CodeConflict { // gone with its thread
			break
		}
		r.tell("how an act ended can't be written down", err)
		if !sleep(ctx, pause) {
			break
		}
	}
	delete(r.busy, e.act.ID)
}

func (r *runner) written(ctx context.Context, e ended) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*pause)
	defer cancel()
	return r.result(ctx, e)
}

func (r *runner) result(ctx context.Context, e ended) error {
	a, res := e.act, e.result
	note := func(a *vyre.GateAct) { a.Status, a.Outcome, a.Answer = res.Status, res.Why, res.Answer }
	var err error
	switch {
	case res.End == Done:
		_, err = r.move(ctx, a, vyre.GateDone, note, vyre.GateDelivered{Act: a.ID, Status: res.Status, Attempts: a.Attempts})
	case res.End == Refused, res.End == Unsent && a.Attempts == 1 && !a.Idempotent:
		_, err = r.move(ctx, a, vyre.GateFail, note, vyre.GateUndone{Act: a.ID, Why: res.Why})
	case r.again(a):
		_, ms := r.Machine()
		r.due[a.ID] = ms + (r.Backoff << (a.Attempts - 1)).Milliseconds()
	case res.End == Unsent && a.Attempts == 1:
		_, err = r.move(ctx, a, vyre.GateFail, note, vyre.GateUndone{Act: a.ID, Why: res.Why})
	default:
		_, err = r.lose(ctx, a, res)
	}
	return err
}

func (g *Gate) lose(ctx context.Context, a vyre.GateAct, res Result) (vyre.GateAct, error) {
	return g.move(ctx, a, vyre.GateLose, func(a *vyre.GateAct) { a.Status, a.Outcome, a.Answer = res.Status, res.Why, res.Answer },
		vyre.GateLost{Act: a.ID, Why: res.Why})
}

func (g *Gate) tell(what string, err error) { g.Log.Error("the gate failed", "at", what, "error", err) }

// sleep waits and reports whether ctx still holds.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
