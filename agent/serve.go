package agent

import (
	"context"
	"encoding/json"

	"vyre"
)

// WithHooks makes the agent wait at the hooks of these kinds for f's answer; its
// Request and Kind are filled in. f runs in a goroutine of its own and its context
// ends when the agent does not wait any more. The agent waits for days if it must.
func WithHooks(f func(context.Context, Hook) HookReply, kinds ...HookKind) QueryOption {
	return func(c *config) { c.o.Hooks, c.hook = kinds, f }
}

// WithTools offers tools of this program to the agent and calls f for them, in a
// goroutine of its own whose context ends when the agent does not wait any more. f
// gives the output, a JSON string or any JSON value, and whether the call failed.
// A call is asked about like any other before it gets here.
func WithTools(f func(context.Context, ToolCall) (output json.RawMessage, failed bool), tools ...ToolSpec) QueryOption {
	return func(c *config) { c.o.Tools, c.tool = tools, f }
}

// Do says something that the agent acknowledges (GetContext, GetFiles, GetServers,
// RewindFiles, SetModel, …) and returns the Body of its Replied. Somebody must read
// the Events meanwhile. Errors: conflict with the agent's own words when it refused,
// unavailable when it is gone, timeout when ctx ended first.
func (s *Session) Do(ctx context.Context, c Say) (json.RawMessage, error) {
	reply := make(chan Replied, 1)
	if err := s.sayFor(c, reply); err != nil {
		return nil, err
	}
	select {
	case r := <-reply:
		if r.Err != "" {
			return nil, vyre.Errorf(vyre.CodeConflict, "the agent refused: %s", r.Err)
		}
		return r.Body, nil
	case <-s.ctx.Done():
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the agent is gone")
	case <-ctx.Done():
		return nil, vyre.Errorf(vyre.CodeTimeout, "the agent did not answer in time").Because(context.Cause(ctx))
	}
}

// serve answers what the agent waits for and its program promised to answer. It is
// called by the reader alone; what takes time runs beside it.
func (s *Session) serve(ev Event) {
	switch ev := ev.(type) {
	case Replied:
		s.mu.Lock()
		reply := s.replies[ev.ID]
		delete(s.replies, ev.ID)
		s.mu.Unlock()
		if reply != nil {
			reply <- ev // it has room for the one
		}
	case Reply:
		s.wg.Go(func() { _ = s.say(ev.Say) }) // if it fails, Exited follows
	case Hook:
		s.beside(ev.Request, s.hook != nil, func(ctx context.Context) Say {
			r := s.hook(ctx, ev)
			r.Request, r.Kind = ev.Request, ev.Kind
			return r
		})
	case ToolCall:
		s.beside(ev.Request, s.tool != nil, func(ctx context.Context) Say {
			out, failed := s.tool(ctx, ev)
			return ToolReply{Request: ev.Request, Output: out, Failed: failed}
		})
	case HookWithdrawn:
		s.withdraw(ev.Request)
	case ToolWithdrawn:
		s.withdraw(ev.Request)
	}
}

// beside runs f in a goroutine of its own and says what it gave.
func (s *Session) beside(request string, served bool, f func(context.Context) Say) {
	if !served {
		return
	}
	s.withdraw(request) // an id that is used again
	ctx, cancel := context.WithCancel(s.ctx)
	s.serving[request] = cancel
	s.wg.Go(func() {
		defer cancel()
		say := f(ctx)
		if ctx.Err() == nil {
			_ = s.say(say) // if it fails, Exited follows
		}
	})
}

func (s *Session) withdraw(request string) {
	if cancel, ok := s.serving[request]; ok {
		cancel()
		delete(s.serving, request)
	}
}
