package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// Stop ends the thread's process, its whole tree, and returns when it is proven
// empty. The queue stays and waits for the next send or resume. Stopping a
// thread without a process is no error. Errors: timeout when something of the
// tree can't be ended yet; it is tried again by itself until it is proven.
func (e *Engine) Stop(ctx context.Context, thread vyre.ThreadID, by string) error {
	r := &request{ctx: ctx, done: make(chan error, 1), stopBy: by}
	r.fn = func(o *owner, _ *request) (bool, error) {
		if o.run == nil {
			return true, o.settleIdle(ctx, by)
		}
		o.run.stopReq = r
		err := o.halt(e.ctx, vyre.StopPerson, "", by)
		return !r.answered, err
	}
	return e.request(ctx, thread, r)
}

// settleIdle marks a thread stopped that is idle or failed without a process.
func (o *owner) settleIdle(ctx context.Context, by string) error {
	o.awake()
	if !vyre.CanStep(o.book.thread.State, vyre.MoveStopped) {
		return nil
	}
	t := o.begin()
	t.move(vyre.MoveStopped, string(vyre.StopPerson))
	o.book.thread.Reason = vyre.StopPerson
	t.event(vyre.ThreadStopped{Reason: vyre.StopPerson, By: by})
	return t.commit(ctx)
}

// ending is how a process ends, kept while that is not proven.
type ending struct {
	reason vyre.StopReason
	detail string        // for people
	by     string        // who asked, or empty
	exit   *agent.Exited // it ended by itself
}

// halt ends the process for a reason of ours.
func (o *owner) halt(ctx context.Context, reason vyre.StopReason, detail, by string) error {
	r := o.run
	if !o.book.stored { // nobody was told of it yet: it leaves nothing
		o.startFailed(ctx, vyre.Errorf(vyre.CodeUnavailable, "the session was stopped while it started"))
		return nil
	}
	r.stopping = reason
	t := o.begin()
	o.withdrawOpen(t, "the session was stopped")
	if err := t.commit(ctx); err != nil {
		// A full disk must not keep an agent running: the asks are withdrawn with the rest.
		o.log.Warn("a stop could not be announced", "error", err)
		r.unsaid = err
	}
	return o.end(ctx, ending{reason: reason, detail: detail, by: by})
}

// gone is the end of an agent that we did not end.
func (o *owner) gone(ctx context.Context) {
	r := o.run
	if r.ending != nil {
		return // it is being ended already
	}
	x := r.proc.Exit()
	if !r.ready && o.book.thread.State == vyre.StateStarting {
		o.startFailed(ctx, notUp(o.book.thread.Provider, &x))
		return
	}
	if r.stopping != "" { // somebody stopped it while nothing could be written
		_ = o.end(ctx, ending{reason: r.stopping, by: r.stoppedBy})
		return
	}
	reason := vyre.StopCrash
	if x.Signal == "restart" || x.Signal == "elsewhere" {
		reason = vyre.StopRestart
	}
	r.stopping = reason
	if o.end(ctx, ending{reason: reason, detail: exitWords(x), exit: &x}) == nil && x.Signal != "elsewhere" {
		o.revive(ctx)
	}
}

// end ends the tree and books it. Nothing is booked before the tree is proven
// empty: what survives would no longer be told from a person. Until then it is
// tried again, and callers inside it stay this thread's.
func (o *owner) end(ctx context.Context, how ending) error {
	r := o.run
	r.clearAlarm()
	if err := r.proc.Stop(ctx); err != nil {
		o.log.Error("a session could not be proven empty", "session", string(r.session.ID), "error", err)
		r.ending = &how
		r.setAlarm(stopRetry)
		return vyre.Errorf(vyre.CodeTimeout, "something of the session does not end yet").
			WithHint("It is tried again by itself; `vyre doctor` and threads.pids show what is left.").Because(err)
	}
	if r.unsaid != nil && r.stopReq != nil {
		// Booking waits for room on the disk; who asked for the stop does not.
		r.stopReq.answered = true
		r.stopReq.done <- r.unsaid
	}
	o.readRest(ctx)
	o.finish(ctx, how)
	return nil
}

const stopRetry = 2 * time.Second

// readRest takes what a stopped agent said last, so that nothing of it is lost.
func (o *owner) readRest(ctx context.Context) {
	for !o.run.readAll {
		select {
		case b := <-o.run.lines:
			if len(b.lines) > 0 {
				o.absorbRest(ctx, b.lines)
			}
			o.run.readAll = b.eof || b.err != nil
		case <-ctx.Done():
			return
		}
	}
}

// absorbRest is absorbLines without handing over what is queued.
func (o *owner) absorbRest(ctx context.Context, lines []Line) {
	t := o.record()
	for _, l := range lines {
		for _, ev := range o.decode(o.run, l) {
			if l.End <= o.book.mark.Committed {
				continue
			}
			if _, ok := ev.(agent.Ready); !ok {
				o.apply(t, ev)
			}
		}
		o.book.mark.Committed = max(o.book.mark.Committed, l.End)
	}
	mark := o.book.mark
	t.c.Spool = &mark
	t.frames = nil // nobody is there to take an input
	o.insist(ctx, t)
}

// finish books the end of a process that is proven empty: turn, asks, messages,
// session, state.
func (o *owner) finish(ctx context.Context, how ending) {
	r, reason := o.run, how.reason
	if r.breach != "" { // also one in its last words, whatever it was ended for
		reason = vyre.StopBreach
		how.detail = or(how.detail, r.breach)
	}
	crashed := reason == vyre.StopCrash || reason == vyre.StopRestart
	where := o.locate(ctx, crashed)
	t := o.record()
	t.durable()
	o.settleFlight(t, where)
	o.undeliver(t, where)
	o.withdrawAll(t, goneWords(reason))
	if o.book.turn != nil {
		status, why, settle := vyre.TurnCanceled, "", vyre.MessageDone
		if crashed {
			status, why, settle = vyre.TurnFailed, "the agent ended: "+how.detail, vyre.MessageUnknown
		}
		o.lastWords(t, how)
		o.closeTurn(t, status, why, settle)
	}
	o.endTasks(t)
	o.dropSlots(t)
	o.forgetCalls(t)
	for _, turn := range openTurns(o.book.items) {
		o.closeItems(t, turn, vyre.ItemCanceled)
	}
	fail.Point("engine.finish.empty") // the tree is gone, our books say it lives
	s := r.session
	s.State, s.Ended = vyre.SessionEnded, o.e.now()
	s.Committed, s.Checkpoint = o.book.mark.Committed, o.book.mark.Checkpoint
	s.Exit = how.detail
	t.putSession(s)
	t.c.Spool = nil
	for n := range o.book.frames {
		t.c.Acked = append(t.c.Acked, vyre.FrameRef{Session: s.ID, N: n})
	}
	o.book.frames = nil
	t.move(vyre.MoveStopped, string(reason))
	o.book.thread.Reason = reason
	t.event(vyre.ThreadStopped{Reason: reason, Detail: how.detail, By: how.by})
	o.insist(ctx, t)
	if ctx.Err() != nil {
		return // the row stays open: the next daemon finishes this
	}
	fail.Point("engine.finish.booked")
	r.end()
	o.run = nil
	o.discard(s)
	o.settleStart(vyre.Errorf(vyre.CodeUnavailable, "the session was stopped while it started"))
	o.turnOver(ctx)
	if r.again && reason != vyre.StopBreach {
		o.wake(ctx)
	}
}

// lastWords keeps what an agent wrote to its error output before it died. It is
// an item and in no event: nobody knows what an agent prints there.
func (o *owner) lastWords(t *tx, how ending) {
	if how.exit == nil || how.exit.Stderr == "" {
		return
	}
	o.item(t, agent.Item{
		Key: "exit:" + string(o.run.session.ID), Kind: vyre.ItemError, Status: vyre.ItemFailed,
		Title: "The agent ended: " + how.detail, Text: how.exit.Stderr,
	})
}

func goneWords(reason vyre.StopReason) string {
	if reason == vyre.StopCrash || reason == vyre.StopRestart {
		return "the agent is gone"
	}
	return "the session was stopped"
}

// locate says where the messages are that were handed over and that the agent has
// not taken, once its process is gone. A stop ends the running turn with its
// message; what only waited behind it goes on later.
func (o *owner) locate(ctx context.Context, crashed bool) map[vyre.MessageID]whereabouts {
	out := map[vyre.MessageID]whereabouts{}
	var opts agent.Options
	for _, m := range o.book.sent {
		if m.State != vyre.MessageSent || !crashed && o.inTurn(m.ID) && m.Via != vyre.ViaSteer {
			continue
		}
		if len(out) == 0 {
			var err error
			if opts, err = o.historyOptions(ctx); err != nil {
				o.log.Warn("the agent's history can't be looked at", "error", err)
				return out
			}
		}
		out[m.ID] = placeUnknown
		if yes, known, err := o.run.provider.Delivered(ctx, opts, m.SentAs()); err == nil && known {
			out[m.ID] = placeQueue
			if yes {
				out[m.ID] = placeAgent
			}
		}
	}
	return out
}

// undeliver queues the message of the running turn again if the agent's history
// lacks it: it is said by a new process. The turn itself is told to have failed.
func (o *owner) undeliver(t *tx, where map[vyre.MessageID]whereabouts) {
	var back []vyre.Message
	for _, m := range o.book.sent {
		if m.State == vyre.MessageSent && o.inTurn(m.ID) && where[m.ID] == placeQueue {
			back = append(back, m)
		}
	}
	o.requeue(t, back)
}

// historyOptions says where the agent's own history of the conversation is. An
// adopted session was not launched by this daemon, so the machine is asked.
func (o *owner) historyOptions(ctx context.Context) (agent.Options, error) {
	opts := o.run.opts
	opts.NativeID = o.book.thread.NativeID // it may have changed since the launch
	if opts.Env == nil {
		full, err := o.e.cfg.Runtime.Options(ctx, o.book.thread)
		if err != nil {
			return opts, err
		}
		opts.Env, opts.Binary = full.Env, full.Binary
	}
	return opts, nil
}

func openTurns(items map[string]vyre.Item) []vyre.TurnID {
	var out []vyre.TurnID
	seen := map[vyre.TurnID]bool{}
	for _, it := range items {
		if !seen[it.Turn] {
			seen[it.Turn] = true
			out = append(out, it.Turn)
		}
	}
	return out
}

// exitWords says how an agent ended, without its own words.
func exitWords(x agent.Exited) string {
	s := fmt.Sprintf("exit code %d", x.Code)
	switch x.Signal {
	case "":
	case "restart":
		s = "the machine was restarted"
	case "elsewhere":
		s = "the session is another home's, from which this store was copied"
	case "unknown":
		s = "the session's parent was killed"
	default:
		s = "signal " + x.Signal
	}
	return s
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
