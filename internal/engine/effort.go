package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// SetEffort sets how hard the thread's model thinks; empty is the agent's default. A
// live session takes it at its next step, where its agent can; else the next process
// has it. Errors: invalid for a word that the agent does not have.
func (e *Engine) SetEffort(ctx context.Context, thread vyre.ThreadID, effort, by string) error {
	return e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		if o.book.thread.Effort == effort {
			return true, nil
		}
		p, err := e.provider(o.book.thread.Provider)
		if err != nil {
			return false, err
		}
		// The protocol knows the words; writing one down for nobody has no effect.
		if _, err := p.Protocol(agent.Options{}).Encode(1, agent.SetEffort{Effort: effort}); err != nil {
			return false, vyre.Invalid("effort", "%s has no effort %q", p.Info().Label, effort).Because(err)
		}
		t := o.begin()
		t.durable()
		o.book.thread.Effort, t.thread = effort, true
		t.event(vyre.ThreadEffort{Effort: effort, By: by})
		if o.run != nil && o.run.ready && p.Info().Capabilities.SetEffort {
			if err := t.say(agent.SetEffort{Effort: effort}, "", ""); err != nil {
				t.rollback()
				return false, err
			}
		}
		return true, t.commit(r.ctx)
	})
}
