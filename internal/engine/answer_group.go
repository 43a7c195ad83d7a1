package engine

import (
	"context"

	"vyre"
)

// GroupInput is one verdict on several asks about the same act.
type GroupInput struct {
	Asks     []GroupAsk
	Decision vyre.Decision
	Option   string
	Scope    vyre.Scope
	Message  string
	By       vyre.Caller
}

// GroupAsk is one of them, with the digest of what was shown of it.
type GroupAsk struct {
	Ask    vyre.AskID `json:"ask"`
	Digest string     `json:"digest"`
}

// GroupAnswer is what became of one of them: the ask, or why it was not answered.
type GroupAnswer struct {
	Ask vyre.Ask
	Err error
}

// AnswerGroup decides several asks by one act. All are looked at first: if one of them is
// not open, is not what was shown, is about another act or can't be answered so, nothing
// is decided and the error names it. Then each is answered like any other, once, with its
// own row and event; one that somebody else decided in between says so alone.
func (e *Engine) AnswerGroup(ctx context.Context, in GroupInput) ([]GroupAnswer, error) {
	alike := ""
	for i, x := range in.Asks {
		a, err := e.cfg.Store.Ask(ctx, x.Ask)
		if err != nil {
			return nil, err
		}
		if err := e.fits(ctx, a, in.answer(x)); err != nil {
			return nil, named(err, x.Ask)
		}
		if i == 0 {
			alike = a.Alike
		}
		if a.Alike == "" || a.Alike != alike {
			return nil, named(vyre.Invalid("asks", "they are not all about the same act"), x.Ask)
		}
	}
	out := make([]GroupAnswer, len(in.Asks))
	for i, x := range in.Asks {
		out[i].Ask, out[i].Err = e.Answer(ctx, in.answer(x))
	}
	return out, nil
}

func (in GroupInput) answer(x GroupAsk) AnswerInput {
	return AnswerInput{
		Ask: x.Ask, Digest: x.Digest, Decision: in.Decision, Option: in.Option, Scope: in.Scope, Message: in.Message, By: in.By,
	}
}

// fits reports whether an ask could be answered so now, without deciding anything.
func (e *Engine) fits(ctx context.Context, a vyre.Ask, in AnswerInput) error {
	if in.Digest == "" {
		return vyre.Invalid("digest", "each ask with the digest of what was shown")
	}
	if _, err := verdict(a, &in); err != nil {
		return err
	}
	switch a.State {
	case vyre.AskCancelled:
		return withdrawn(a)
	case vyre.AskAnswered, vyre.AskAnswering:
		if a.AnswerH != in.hash() {
			return decided(a)
		}
		return nil
	case vyre.AskOpen:
	}
	return e.do(ctx, a.Thread, func(o *owner, _ *request) (bool, error) { return true, o.final(a, in) })
}

// named says which ask an error is about.
func named(err error, id vyre.AskID) error {
	e := vyre.AsError(err)
	return e.WithDetail("ask", id)
}
