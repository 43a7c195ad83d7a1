package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"vyre"
	"vyre/agent"
	"vyre/internal/redact"
)

// Hand makes one edit of a file as the person. internal/apply implements it.
type Hand interface {
	// Plan says what edits would make of a file and changes nothing. Errors: invalid for
	// what can't be done here, conflict for edits that do not fit the file.
	Plan(path string, edits []vyre.FileEdit) (vyre.FilePlan, error)
	// Write makes the file what the plan shows. Written already is no error. Errors:
	// conflict when it is not the file that was shown any more; unavailable.
	Write(p vyre.FilePlan) error
}

// ApplyInput names an edit that the agent wanted: an open ask, or a call of a thread that
// the floor refused. Digest is the plan's that the person read.
type ApplyInput struct {
	Ask    vyre.AskID
	Thread vyre.ThreadID
	Item   vyre.ItemID
	Digest string
	By     vyre.Caller
}

// Applied is what came of an edit. Told says that the agent was told by a message, or by
// the answer to its question; else it learns when it looks.
type Applied struct {
	Plan vyre.FilePlan
	Told bool
}

// wanted is an edit that an agent wanted.
type wanted struct {
	thread vyre.ThreadID
	ask    *vyre.Ask
	item   vyre.Item
	title  string
	plan   vyre.FilePlan
}

// PlanApply says what a person would apply. Errors: not_found; conflict where the edit
// is neither asked about nor refused; invalid and conflict of Hand.Plan.
func (e *Engine) PlanApply(ctx context.Context, in ApplyInput) (vyre.FilePlan, error) {
	x, err := e.wanted(ctx, in)
	return x.plan, err
}

// Apply makes the edit by the person's hand, once it is the one that was shown: intent,
// file, outcome. An ask is answered by a denial that says so. The caller must be a
// person who is present: the registry sees to it.
func (e *Engine) Apply(ctx context.Context, in ApplyInput) (Applied, error) {
	x, err := e.wanted(ctx, in)
	if err != nil {
		return Applied{}, err
	}
	if in.Digest != x.plan.Digest {
		return Applied{}, vyre.Errorf(vyre.CodeConflict, "this is not the edit that was shown").
			WithHint("Look at it again (threads.apply_preview) and apply that.").WithDetail("digest", x.plan.Digest)
	}
	out := Applied{Plan: x.plan}
	err = e.do(ctx, x.thread, func(o *owner, r *request) (bool, error) {
		if err := o.apply1(r.ctx, x, in.By); err != nil {
			return false, err
		}
		if x.ask != nil {
			out.Told = true
			return o.answer(r, AnswerInput{Ask: x.ask.ID, Decision: vyre.Deny, Message: appliedWords(x.plan), By: in.By})
		}
		out.Told = o.tellApplied(r.ctx, x, in.By)
		return true, nil
	})
	if err != nil {
		return Applied{}, err
	}
	return out, nil
}

// wanted finds the edit and plans it on the file as it is now.
func (e *Engine) wanted(ctx context.Context, in ApplyInput) (wanted, error) {
	var x wanted
	var call vyre.ToolBody
	switch {
	case e.cfg.Hand == nil:
		return x, vyre.Errorf(vyre.CodeUnavailable, "nothing here can apply an edit")
	case in.Ask != "":
		a, err := e.cfg.Store.Ask(ctx, in.Ask)
		if err != nil {
			return x, err
		}
		if a.Kind != vyre.AskTool || a.State != vyre.AskOpen {
			return x, vyre.Errorf(vyre.CodeConflict, "this question is not an open one about a call").WithDetail("state", a.State)
		}
		x.ask, x.thread, x.title = &a, a.Thread, a.Title
		call = vyre.ToolBody{Tool: a.Tool, Source: a.Source, Input: a.Input}
	default:
		it, err := e.cfg.Store.Item(ctx, in.Thread, in.Item)
		if err != nil {
			return x, err
		}
		call = toolBody(it)
		if call.Decision != vyre.Deny || call.By != vyre.ByFloor {
			return x, vyre.Errorf(vyre.CodeConflict, "this is not a call that was refused without a question")
		}
		x.item, x.thread, x.title = it, in.Thread, or(call.Title, call.Tool)
	}
	th, err := e.cfg.Store.Thread(ctx, x.thread)
	if err != nil {
		return x, err
	}
	p, err := e.provider(th.Provider)
	if err != nil {
		return x, err
	}
	x.plan, err = e.plan(p.Acts(call.Tool, call.Source, call.Input, th.CWD), call.Input)
	return x, err
}

// plan turns the acts of a call into one file's change.
func (e *Engine) plan(acts []agent.Act, input json.RawMessage) (vyre.FilePlan, error) {
	cant := func(why string) error {
		return vyre.Errorf(vyre.CodeInvalid, "this call can't be applied by hand: %s", why).
			WithHint("Only an edit of one file by a file tool can. Do the rest in your own terminal.")
	}
	if len(acts) != 1 || acts[0].Kind != vyre.ActWrite || len(acts[0].Paths) != 1 || len(acts[0].Edits) == 0 {
		return vyre.FilePlan{}, cant("it is no edit of one file whose result it says")
	}
	if strings.Contains(string(input), redact.Begins) {
		return vyre.FilePlan{}, cant("it holds a secret of the vault, which is not kept with the call")
	}
	return e.cfg.Hand.Plan(acts[0].Paths[0], acts[0].Edits)
}

// apply1 writes down what is about to be done, does it, and writes down how it went.
func (o *owner) apply1(ctx context.Context, x wanted, by vyre.Caller) error {
	ev := vyre.ThreadApplied{
		State: "begun", Item: x.item.ID, Path: x.plan.Path, Digest: x.plan.Digest,
		By: by.String(), Proof: by.Proof, Level: by.Level,
	}
	if x.ask != nil {
		ev.Ask = x.ask.ID
	}
	t := o.begin()
	t.durable()
	t.event(ev)
	if err := t.commit(ctx); err != nil {
		return err
	}
	o.e.byHand(x.plan)
	err := o.e.cfg.Hand.Write(x.plan)
	ev.State = "done"
	if err != nil {
		ev.State, ev.Why = "failed", vyre.AsError(err).Message
	}
	t = o.record()
	t.durable()
	t.event(ev)
	if err == nil {
		words := "Applied by the person: " + x.title
		o.item(t, agent.Item{
			Key: "applied:" + x.plan.Digest, Kind: vyre.ItemNotice, Status: vyre.ItemCompleted, Title: words, Text: words + "\n" + x.plan.Path,
		})
	}
	o.insist(o.e.ctx, t)
	return err
}

// byHand notes what a person is about to write, before it is there: no session that
// watches the file is to be blamed for just that content.
func (e *Engine) byHand(p vyre.FilePlan) {
	h := sha256.Sum256([]byte(p.After))
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.handmade == nil {
		e.handmade = map[FileChange]bool{}
	}
	e.handmade[FileChange{Path: p.Path, After: hex.EncodeToString(h[:])}] = true
}

// isByHand reports whether a change is what a person had us write, to the letter.
func (e *Engine) isByHand(c FileChange) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.handmade[FileChange{Path: c.Path, After: c.After}]
}

// appliedWords tells the agent.
func appliedWords(p vyre.FilePlan) string {
	return "The person made exactly this edit of " + p.Path + " themself. It is done: don't make it again."
}

// tellApplied says it to an agent that works. One that rests is not woken for it.
func (o *owner) tellApplied(ctx context.Context, x wanted, by vyre.Caller) bool {
	if o.book.turn == nil || o.run == nil || !o.run.ready || o.run.stopping != "" {
		return false
	}
	_, err := o.send(ctx, SendInput{Text: appliedWords(x.plan), Key: vyre.MessageID("applied-" + x.plan.Digest[:40]), By: by.String()})
	return err == nil
}
