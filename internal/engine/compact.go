package engine

import (
	"context"
	"strings"

	"vyre"
	"vyre/agent"
)

// compactWord is how a person asks for a shorter conversation, in every agent's thread.
const compactWord = "/compact"

// Compact shortens a thread's conversation: a turn of its own, in which the agent
// sums up what was said. Errors: busy while a turn runs or something waits; invalid
// where the agent can't; those of Send.
func (e *Engine) Compact(ctx context.Context, thread vyre.ThreadID, instructions string, in SendInput) (Sent, error) {
	var out Sent
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		p, err := o.e.provider(o.book.thread.Provider)
		if err != nil {
			return false, err
		}
		if !p.Info().Capabilities.Compact {
			return false, vyre.Errorf(vyre.CodeInvalid, "%s can't shorten a conversation on demand", o.book.thread.Provider)
		}
		in.Text = strings.TrimSpace(compactWord + " " + instructions)
		if in.Key != "" {
			if old, found, err := o.e.cfg.Store.Message(r.ctx, o.id, in.Key); err != nil || found {
				if err == nil {
					out, err = replay(old, in)
				}
				return true, err
			}
		}
		if err := o.atRest("be shortened"); err != nil {
			return false, err
		}
		if len(o.book.queue) > 0 {
			return false, vyre.Errorf(vyre.CodeBusy, "messages wait in the thread's queue").
				WithHint("Let them run, or take them back, and compact then.")
		}
		if out, err = o.send(r.ctx, in); err != nil {
			return false, err
		}
		r.done <- nil
		o.wake(e.ctx)
		return false, nil
	})
	if err != nil {
		return Sent{}, err
	}
	return out, nil
}

// opening is how a message that begins a turn is said to the agent.
func (o *owner) opening(m vyre.Message) agent.Say {
	rest, ok := strings.CutPrefix(m.Text, compactWord)
	if ok && len(m.Attachments) == 0 && (rest == "" || rest[0] == ' ') && o.run.provider.Info().Capabilities.Compact {
		return agent.Compact{ID: m.SentAs(), Instructions: strings.TrimSpace(rest)}
	}
	return o.toSay(m, false)
}
