package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// Tools is what an owned session is offered of ours. internal/door/session
// implements it.
type Tools interface {
	// Offer lists the tools, the same at every call.
	Offer() []agent.ToolSpec
	// Call runs one for a thread. Errors are *vyre.Error.
	Call(ctx context.Context, thread vyre.ThreadID, name string, input json.RawMessage) (json.RawMessage, error)
}

const (
	maxCalls    = 8                // of one session at once
	callTime    = 10 * time.Minute // of one call
	maxToolText = 256 << 10        // bytes of an output
)

// called is what came of a call.
type called struct {
	ev     agent.ToolCall
	output json.RawMessage
	failed bool
}

// toolCall begins a call of one of our tools. What changes something is written
// down first: a daemon that died in the middle of it is followed by one that says
// that nobody knows how it ended, and does not run it again.
func (o *owner) toolCall(t *tx, ev agent.ToolCall) {
	r := o.run
	if r.stopping != "" || o.framed(ev.Request) || r.calls[ev.Request] != nil {
		return
	}
	i := slices.IndexFunc(r.opts.Tools, func(s agent.ToolSpec) bool { return s.Name == ev.Tool })
	switch {
	case i < 0:
		o.callEnded(t, called{ev, failure(vyre.NotFound("tool", ev.Tool)), true})
		return
	case o.book.calls[ev.Request]:
		o.callEnded(t, called{ev, failure(vyre.Errorf(vyre.CodeUnavailable, "the daemon ended while this ran; its outcome is not known").
			WithHint("Look whether it took effect before trying again.")), true})
		return
	case len(r.calls) >= maxCalls:
		o.callEnded(t, called{ev, failure(vyre.Errorf(vyre.CodeBusy, "%d calls of this session run already", maxCalls)), true})
		return
	}
	if !r.opts.Tools[i].ReadOnly {
		t.durable()
		t.c.Calls = append(t.c.Calls, vyre.CallMark{Thread: o.id, Request: ev.Request, Tool: ev.Tool})
		o.book.calls[ev.Request] = true
	}
	ctx, cancel := context.WithTimeout(r.ctx, callTime)
	if r.calls == nil {
		r.calls = map[string]context.CancelFunc{}
	}
	r.calls[ev.Request] = cancel
	t.after = append(t.after, func() {
		if t.lost { // nothing says that it began, so it does not
			x := called{ev, failure(vyre.Errorf(vyre.CodeInternal, "the call could not be written down, so it was not made")), true}
			r.helpers.Go(func() { give(ctx, o.e.ctx, r.results, x) })
			return
		}
		r.helpers.Go(func() { o.e.callTool(ctx, o.id, ev, r.results) })
	})
}

// callTool runs on a goroutine of its own, which ends with the session.
func (e *Engine) callTool(ctx context.Context, thread vyre.ThreadID, ev agent.ToolCall, results chan<- called) {
	fail.Point("engine.call.written") // it may begin
	out, err := e.cfg.Tools.Call(ctx, thread, ev.Tool, ev.Input)
	x := called{ev, out, err != nil}
	switch {
	case err != nil:
		x.output = failure(err)
	case len(out) > maxToolText:
		x.output, x.failed = failure(vyre.Errorf(vyre.CodeTooLarge, "the answer has %d bytes, at most %d are given", len(out), maxToolText).
			WithHint("Ask for less at once.")), true
	}
	give(ctx, e.ctx, results, x)
}

// give hands what came of a call to its owner.
func give(ctx, leaving context.Context, results chan<- called, x called) {
	select {
	case results <- x:
	case <-leaving.Done():
	case <-ctx.Done():
		select { // a call that took too long still has to be answered
		case results <- x:
		case <-leaving.Done():
		case <-time.After(acceptedWait): // the session is gone, or its owner is busy ending it
		}
	}
}

func failure(err error) json.RawMessage {
	b, mErr := json.Marshal(vyre.EnvelopeOf(err))
	if mErr != nil {
		b = []byte(`"it failed"`)
	}
	return b
}

func (o *owner) results() <-chan called {
	if o.run == nil {
		return nil
	}
	return o.run.results
}

// toolDone takes what came of a call.
func (o *owner) toolDone(ctx context.Context, x called) {
	t := o.record()
	cancel, waits := o.run.calls[x.ev.Request]
	if waits {
		cancel()
		delete(o.run.calls, x.ev.Request)
	}
	o.callEnded(t, x)
	o.insist(ctx, t)
}

// callEnded answers the agent, if it still waits, and forgets the call.
func (o *owner) callEnded(t *tx, x called) {
	t.durable()
	if o.book.calls[x.ev.Request] {
		delete(o.book.calls, x.ev.Request)
		t.c.Calls = append(t.c.Calls, vyre.CallMark{Thread: o.id, Request: x.ev.Request, Done: true})
	}
	if o.run.gone[x.ev.Request] {
		delete(o.run.gone, x.ev.Request)
		return
	}
	if err := t.say(agent.ToolReply{Request: x.ev.Request, Output: x.output, Failed: x.failed}, "", ""); err != nil {
		o.log.Warn("a call could not be answered", "tool", x.ev.Tool, "error", err)
	}
}

// toolWithdrawn: the agent does not wait for a call any more. It is told to stop;
// how it ends is not said to anybody.
func (o *owner) toolWithdrawn(request string) {
	if cancel, runs := o.run.calls[request]; runs {
		if o.run.gone == nil {
			o.run.gone = map[string]bool{}
		}
		o.run.gone[request] = true
		cancel()
	}
}

// forgetCalls drops the marks of a session's calls: their requests don't come back.
func (o *owner) forgetCalls(t *tx) {
	for request := range o.book.calls {
		t.c.Calls = append(t.c.Calls, vyre.CallMark{Thread: o.id, Request: request, Done: true})
	}
	o.book.calls = map[string]bool{}
}

func (o *owner) loadCalls(ctx context.Context) error {
	list, err := o.e.cfg.Store.Calls(ctx, o.id)
	for _, c := range list {
		o.book.calls[c.Request] = true
	}
	return err
}
