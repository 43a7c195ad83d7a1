package engine

import (
	"context"
	"maps"
	"slices"

	"vyre"
	"vyre/agent"
)

// load fills the book of a thread from the store and takes over its process, if
// an earlier daemon left one.
func (o *owner) load(ctx context.Context, s *vyre.Session, fresh *vyre.Thread) error {
	o.book = book{
		items: map[string]vyre.Item{}, asks: map[vyre.AskID]vyre.Ask{},
		frames: map[uint64]vyre.Frame{}, tasks: map[string]agent.Task{}, calls: map[string]bool{},
	}
	if fresh != nil {
		o.book.thread = *fresh
		return nil
	}
	if s == nil {
		s = o.e.openSession(o.id) // an adoption that failed is tried again, never passed over
	}
	th, err := o.e.cfg.Store.Thread(ctx, o.id)
	if vyre.CodeOf(err) == vyre.CodeNotFound && s != nil {
		return o.sweepUnborn(ctx, *s)
	}
	if err != nil {
		return err
	}
	o.book.thread, o.book.stored = th, true
	if err := o.loadRows(ctx); err != nil {
		return err
	}
	if s != nil {
		return o.adopt(ctx, *s)
	}
	o.settleLeftover(ctx)
	return nil
}

func (o *owner) loadRows(ctx context.Context) error {
	st := o.e.cfg.Store
	var err error
	if o.book.queue, err = st.Queue(ctx, o.id); err != nil {
		return err
	}
	if o.book.sent, err = st.Unfinished(ctx, o.id); err != nil {
		return err
	}
	asks, err := st.UnsettledAsks(ctx, o.id)
	if err != nil {
		return err
	}
	for _, a := range asks {
		if a.Kind == vyre.AskTrust {
			o.book.trust = &a
			continue
		}
		o.book.asks[a.ID] = a
	}
	if err := o.loadTasks(ctx); err != nil {
		return err
	}
	if err := o.loadCalls(ctx); err != nil {
		return err
	}
	return o.loadTurn(ctx)
}

func (o *owner) loadTurn(ctx context.Context) error {
	n := o.book.thread.Turns
	for ; n > 0; n-- { // a number may be reserved for a message that waits
		u, ok, err := o.e.cfg.Store.Turn(ctx, vyre.MakeTurnID(o.id, n))
		if err != nil {
			return err
		}
		if ok {
			o.book.newest = u.ID
			if u.Status == vyre.TurnStarted {
				o.book.turn = &u
			}
			break
		}
	}
	items, err := o.e.cfg.Store.WorkingItems(ctx, o.id, vyre.MakeTurnID(o.id, n))
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Status == vyre.ItemRunning || (o.book.turn != nil && it.Turn == o.book.turn.ID) {
			o.book.items[it.Key] = it
		}
	}
	if o.book.turn != nil {
		o.book.taken = o.book.turn.Origin == vyre.OriginAgent || slices.ContainsFunc(o.book.sent, func(m vyre.Message) bool {
			return m.Turn == o.book.turn.ID && m.State == vyre.MessageTaken
		})
	}
	return nil
}

// adopt takes over a session that an earlier daemon recorded.
func (o *owner) adopt(ctx context.Context, s vyre.Session) error {
	p, err := o.e.provider(o.book.thread.Provider)
	if err != nil {
		return err
	}
	s, proc, err := o.e.find(ctx, s)
	if err != nil {
		return err
	}
	opts := agent.Options{
		NativeID: o.book.thread.NativeID, CWD: o.book.thread.CWD, Model: o.book.thread.Model,
		Mode: o.book.thread.Mode, Resume: true,
	}
	o.e.equipHost(p, o.book.thread, &opts)
	r := &run{session: s, proc: proc, provider: p, opts: opts, proto: p.Protocol(opts)}
	if o.book.thread.Fallback != "" {
		r.stale = "nobody knows whether it has the credential " + o.book.thread.Fallback + " already"
	}
	o.book.mark = vyre.SpoolMark{Session: s.ID, Committed: s.Committed, Checkpoint: s.Checkpoint}
	if st := o.book.thread.State; st == vyre.StateStarting || !st.Live() || s.State != vyre.SessionLive {
		return o.abandon(ctx, r)
	}
	r.ready = true
	proc.SetOffset(s.Checkpoint)
	proc.Committed(s.Committed)
	if err := o.loadFrames(ctx, r); err != nil {
		proc.Detach()
		return err
	}
	o.brokerAgain(ctx, p, s)
	o.next(ctx)
	return nil
}

// loadFrames takes up the inputs that were written down: those the shim has are
// acknowledged, the others are delivered now. Then it says hello again, which
// lists the questions that are still open.
func (o *owner) loadFrames(ctx context.Context, r *run) error {
	frames, err := o.e.cfg.Store.Frames(ctx, r.session.ID)
	if err != nil {
		return err
	}
	for _, f := range frames {
		o.book.frames[f.N] = f
		o.book.next = max(o.book.next, f.N+1)
	}
	last, err := r.proc.Accepted(ctx)
	if err != nil && !exited(r.proc) {
		return err // without it a number could be used twice, and what it carries be lost
	}
	o.book.next = max(o.book.next, last+1)
	r.unsure = !exited(r.proc)
	o.attach(ctx, r)
	r.courier.push(frames)
	if !exited(r.proc) {
		o.greetAgain(ctx)
	}
	return nil
}

// greetAgain asks a living agent which questions are still open. One that can't
// be asked is only read on.
func (o *owner) greetAgain(ctx context.Context) {
	t := o.begin()
	if t.say(agent.Initialize{Attach: true}, "", "") != nil {
		t.rollback()
		return
	}
	o.run.settled = map[string]bool{}
	o.insist(ctx, t)
}

func exited(p Process) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// abandon ends a session whose start an earlier daemon did not finish: nothing
// was said to its agent yet. The thread is stopped and, with work left, started
// again.
func (o *owner) abandon(ctx context.Context, r *run) error {
	defer r.proc.Detach()
	if err := r.proc.Stop(ctx); err != nil {
		return err
	}
	o.forget(ctx, r.session)
	o.book.mark = vyre.SpoolMark{}
	o.settleLeftover(ctx)
	return nil
}

// sweepUnborn ends the session of a thread that was never acknowledged.
func (o *owner) sweepUnborn(ctx context.Context, s vyre.Session) error {
	s, proc, err := o.e.find(ctx, s)
	if err != nil {
		return err
	}
	defer proc.Detach()
	if err := proc.Stop(ctx); err != nil {
		return err
	}
	o.forget(ctx, s)
	return vyre.NotFound("thread", string(o.id))
}

// settleLeftover puts a thread right that has no process although its state says
// so, and goes on with what waits. A thread that a person stopped stays stopped, and
// one that was stopped for a breach waits for a person.
func (o *owner) settleLeftover(ctx context.Context) {
	th := &o.book.thread
	wanted := len(o.book.queue) > 0 && (th.State != vyre.StateStopped || th.Reason != vyre.StopPerson && th.Reason != vyre.StopBreach) &&
		(th.State != vyre.StateFailed || th.Err == "")
	if th.State.Live() && th.State != vyre.StateIdle {
		t := o.record()
		t.durable()
		o.settleFlight(t, nil)
		if o.book.turn != nil {
			o.closeTurn(t, vyre.TurnFailed, "the daemon ended while the agent was not there", vyre.MessageUnknown)
		}
		for _, turn := range openTurns(maps.Clone(o.book.items)) {
			o.closeItems(t, turn, vyre.ItemCanceled)
		}
		t.move(vyre.MoveStopped, string(vyre.StopCrash))
		th.Reason = vyre.StopCrash
		t.event(vyre.ThreadStopped{Reason: vyre.StopCrash, Detail: "the daemon ended while the session was starting"})
		o.insist(ctx, t)
	}
	if wanted && ctx.Err() == nil {
		o.resume(ctx)
	}
}
