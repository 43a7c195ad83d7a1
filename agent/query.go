package agent

import (
	"context"
	"iter"
	"slices"
	"sync"

	"vyre"
)

const nobody = "Nobody is here to answer, so this was denied."

// Query runs one turn and gives its events as they happen; the last is the
// turn's TurnEnded. The error is not nil at most once, at the end: unavailable
// when the agent is not there, does not come up or dies (its last words are in
// the message), timeout when ctx ended. What was started is ended when the loop
// is left, however it is left.
//
// What the agent asks goes to WithAnswer's function; without one every ask is
// denied, with a message that nobody is there.
func Query(ctx context.Context, p Provider, prompt string, opts ...QueryOption) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		c := newConfig(opts)
		s, err := open(ctx, p, c)
		if err != nil {
			yield(nil, err)
			return
		}
		q := &query{s: s, answer: c.answer, open: map[string]context.CancelFunc{}}
		defer q.close()
		q.run(ctx, prompt, yield)
	}
}

// query is one running Query.
type query struct {
	s      *Session
	answer func(context.Context, Ask) Answer
	wg     sync.WaitGroup
	open   map[string]context.CancelFunc // questions being answered, by request
}

func (q *query) close() {
	for _, cancel := range q.open {
		cancel()
	}
	q.s.Close()
	q.wg.Wait()
}

func (q *query) run(ctx context.Context, prompt string, yield func(Event, error) bool) {
	id, err := q.s.Send(prompt)
	if err != nil {
		yield(nil, err)
		return
	}
	for ev := range q.s.Events() {
		if ex, ok := ev.(Exited); ok {
			yield(nil, ended(ctx, ex))
			return
		}
		if !yield(ev, nil) {
			return
		}
		switch ev := ev.(type) {
		case TurnEnded:
			if slices.Contains(ev.Messages, id) {
				return
			}
		case Ask:
			q.ask(ctx, ev)
		case AskWithdrawn:
			if cancel, ok := q.open[ev.Request]; ok {
				cancel()
			}
		case Request:
			_ = q.s.say(Refuse{Request: ev.Request, Why: "not served here"}) // if it fails, Exited follows
		}
	}
}

func ended(ctx context.Context, ex Exited) error {
	if ctx.Err() != nil {
		return vyre.Errorf(vyre.CodeTimeout, "the turn was cut short").Because(context.Cause(ctx))
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the agent ended in the middle of the turn (%s)", ex)
}

// ask answers one question, in a goroutine of its own when a person may think.
func (q *query) ask(ctx context.Context, a Ask) {
	if q.answer == nil {
		_ = q.s.Answer(a, Answer{Decision: vyre.Deny, Message: nobody}) // if it fails, Exited follows
		return
	}
	if cancel, ok := q.open[a.Request]; ok { // an id that is used again
		cancel()
	}
	ctx, cancel := context.WithCancel(ctx)
	q.open[a.Request] = cancel
	q.wg.Go(func() {
		defer cancel()
		v := q.answer(ctx, a)
		if ctx.Err() == nil {
			_ = q.s.Answer(a, v) // if it fails, Exited follows
		}
	})
}
