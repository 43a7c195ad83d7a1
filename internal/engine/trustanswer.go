package engine

import (
	"context"

	"vyre"
)

// answerTrust decides on what a folder brings. Nobody else has to be told, so the answer
// is final at once: decision and verdict are one commit.
func (o *owner) answerTrust(r *request, a vyre.Ask, in AnswerInput) error {
	switch {
	case in.Input != nil:
		return vyre.Invalid("input", "what a folder brings is used as it is, or not at all")
	case in.Message != "":
		return vyre.Invalid("message", "no agent waits for this answer")
	case in.Interrupt:
		return vyre.Invalid("interrupt", "no agent waits for this answer")
	}
	s := subjectOf(a)
	d := vyre.TrustDecision{
		Path: s.Path, Provider: s.Provider, Digest: s.Digest, Decision: in.Decision,
		By: in.By.String(), Level: in.By.Level, At: o.e.now(),
	}
	t := o.begin()
	t.durable()
	o.settleTrustAsk(t, a, d, in.By.Proof, in.hash())
	t.c.Trust = append(t.c.Trust, d)
	t.event(vyre.TrustChanged{Path: s.Path, Provider: s.Provider, Digest: s.Digest, Decision: string(in.Decision), By: in.By.String()})
	if err := t.commit(r.ctx); err != nil {
		return err
	}
	o.reload(s.Digest, in.Decision)
	o.e.spawn(o.e.settleTrust)
	return nil
}

// settleTrustAsk writes the verdict on the thread's question down, as part of a change.
func (o *owner) settleTrustAsk(t *tx, a vyre.Ask, d vyre.TrustDecision, proof, hash string) {
	a.State, a.Decision, a.Scope = vyre.AskAnswered, d.Decision, vyre.ScopeOnce
	a.By, a.Level, a.Proof, a.At, a.AnswerH = d.By, d.Level, proof, d.At, hash
	if o.book.trust != nil && o.book.trust.ID == a.ID {
		o.book.trust = nil
	}
	t.c.Asks = append(t.c.Asks, a)
	t.event(vyre.AskAnsweredData{Ask: a.ID, Decision: a.Decision, Scope: a.Scope, By: a.By, Proof: proof, Level: d.Level})
	if d.Decision == vyre.Allow {
		o.folderNotice(t, "allowed", "The folder's settings are used", "What this folder brings is used from the agent's next start. "+
			"A process that rests is closed for it; the next message starts one.")
	}
}

// reload has a process that rests make room for one with the folder's settings. One at
// work goes on without them.
func (o *owner) reload(digest string, d vyre.Decision) {
	if o.run == nil || d != vyre.Allow {
		return
	}
	if c, err := o.choices(); err == nil && c.Folder != digest {
		o.run.refolder = "the folder's settings are used from now on"
	}
}

// settleTrust gives every other question about the same thing the verdict that a person
// gave, so that nobody is asked twice. Also at a start, for what a daemon left.
func (e *Engine) settleTrust() {
	open, err := e.cfg.Store.OpenTrustAsks(e.ctx)
	if err != nil {
		e.cfg.Log.Error("questions about folders can't be read", "error", err)
		return
	}
	for _, a := range open {
		s := subjectOf(a)
		d, found, err := e.cfg.Store.Trust(e.ctx, s.Path, s.Provider, s.Digest)
		if err != nil || !found {
			continue
		}
		err = e.do(e.ctx, a.Thread, func(o *owner, r *request) (bool, error) { return true, o.takeVerdict(r.ctx, a.ID, d) })
		if err != nil && e.ctx.Err() == nil {
			e.cfg.Log.Warn("a question about a folder could not be settled", "thread", string(a.Thread), "error", err)
		}
	}
}

// takeVerdict settles the thread's own question by a decision that was made elsewhere.
func (o *owner) takeVerdict(ctx context.Context, id vyre.AskID, d vyre.TrustDecision) error {
	if o.book.trust == nil || o.book.trust.ID != id {
		return nil
	}
	t := o.begin()
	t.durable()
	o.settleTrustAsk(t, *o.book.trust, d, "", AnswerInput{Ask: id, Decision: d.Decision, Scope: vyre.ScopeOnce}.hash())
	if err := t.commit(ctx); err != nil {
		return err
	}
	o.reload(d.Digest, d.Decision)
	return nil
}
