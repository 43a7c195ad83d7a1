package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// AnswerInput is a person's verdict on an ask.
type AnswerInput struct {
	Ask       vyre.AskID
	Decision  vyre.Decision
	Option    string
	Scope     vyre.Scope
	Message   string
	Input     json.RawMessage
	Answers   map[string]string
	Mode      vyre.Mode
	Interrupt bool
	Digest    string // of what was shown, or empty
	// Grants are what the chosen option gives; choose fills them in.
	Grants []vyre.GrantSpec `json:",omitempty"`
	By     vyre.Caller      `json:"-"`
}

func (in AnswerInput) hash() string {
	in.Digest = ""
	b, err := json.Marshal(in)
	if err != nil {
		return "unreadable" // the registry handed on JSON that is none
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// answerWait is a caller that waits until an answer was delivered.
type answerWait struct {
	ask vyre.AskID
	req *request
}

// Answer decides an ask and returns it once the answer was delivered to the
// session, exactly once. The same answer again returns the first outcome, a
// different one is conflict naming what was decided. The caller must be a
// person: the registry sees to it.
func (e *Engine) Answer(ctx context.Context, in AnswerInput) (vyre.Ask, error) {
	a, err := e.cfg.Store.Ask(ctx, in.Ask)
	if err != nil {
		return vyre.Ask{}, err
	}
	err = e.do(ctx, a.Thread, func(o *owner, r *request) (bool, error) { return o.answer(r, in) })
	if err != nil {
		return vyre.Ask{}, err
	}
	return e.cfg.Store.Ask(ctx, in.Ask)
}

func (o *owner) answer(r *request, in AnswerInput) (settled bool, err error) {
	a, ok := o.book.asks[in.Ask]
	if !ok {
		if a, err = o.e.cfg.Store.Ask(r.ctx, in.Ask); err != nil {
			return false, err
		}
	}
	say, err := verdict(a, &in)
	if err == nil {
		err = o.withoutSecrets(&say)
	}
	if err != nil {
		return false, err
	}
	switch a.State {
	case vyre.AskCancelled:
		return false, withdrawn(a)
	case vyre.AskAnswered, vyre.AskAnswering:
		if a.AnswerH != in.hash() {
			return false, decided(a)
		}
		if a.State == vyre.AskAnswered {
			return true, nil
		}
		o.answering = append(o.answering, &answerWait{a.ID, r})
		return false, nil
	case vyre.AskOpen:
	}
	if a.Kind == vyre.AskTrust { // ours, whatever becomes of the process
		return true, o.answerTrust(r, a, in)
	}
	if o.run == nil || o.run.stopping != "" {
		return false, vyre.Errorf(vyre.CodeUnavailable, "the agent that asked is gone").
			WithHint("Send a message: the thread goes on and asks again if it needs to.")
	}
	return false, o.decide(r, a, in, say)
}

// decide writes the verdict and its frame down, and leaves the caller waiting
// for the delivery.
func (o *owner) decide(r *request, a vyre.Ask, in AnswerInput, say agent.Answer) error {
	if err := o.final(a, in); err != nil {
		return err
	}
	t := o.begin()
	t.durable()
	a.State, a.Decision, a.Scope, a.Message = vyre.AskAnswering, in.Decision, in.Scope, in.Message
	a.By, a.Level, a.Proof, a.At, a.AnswerH = in.By.String(), in.By.Level, in.By.Proof, o.e.now(), in.hash()
	a.Mode = in.Mode
	t.putAsk(a)
	o.grant(t, a, in)
	if err := t.say(say, a.ID, ""); err != nil {
		t.rollback()
		return err
	}
	if err := t.commit(r.ctx); err != nil {
		return err
	}
	if in.Interrupt && o.run.ladder == 0 {
		o.cutTurn() // the denial asks the agent to end its turn; the rest of the ladder is the same
	}
	o.answering = append(o.answering, &answerWait{a.ID, r})
	return nil
}

// verdict checks an answer against its ask and words it for the driver. It fills
// in what the chosen option says.
func verdict(a vyre.Ask, in *AnswerInput) (agent.Answer, error) {
	if in.Digest != "" && in.Digest != a.Digest {
		return agent.Answer{}, vyre.Errorf(vyre.CodeConflict, "the question is not the one that was shown").
			WithHint("Load it again and read it.").WithDetail("digest", a.Digest)
	}
	if err := choose(a, in); err != nil {
		return agent.Answer{}, err
	}
	if in.Decision == vyre.Deny && in.Scope != "" && in.Scope != vyre.ScopeOnce {
		return agent.Answer{}, vyre.Invalid("scope", "only an allow reaches further than once")
	}
	if in.Decision == vyre.Allow && in.Message != "" {
		return agent.Answer{}, vyre.Invalid("message", "a note goes with a denial; to say something with an allow, send a message")
	}
	if in.Scope == "" {
		in.Scope = vyre.ScopeOnce
	}
	if in.Decision == vyre.Allow && in.Scope != vyre.ScopeOnce && !slices.ContainsFunc(a.Options, func(x vyre.AskOption) bool {
		return x.Scope == in.Scope
	}) {
		return agent.Answer{}, vyre.Invalid("scope", "%q is not offered by this question", in.Scope)
	}
	if err := checkAnswers(a, in); err != nil {
		return agent.Answer{}, err
	}
	if in.Mode != "" && (a.Kind != vyre.AskPlan || in.Decision != vyre.Allow) {
		return agent.Answer{}, vyre.Invalid("mode", "only the approval of a plan may switch the mode")
	}
	if a.Kind == vyre.AskPlan && in.Decision == vyre.Allow && in.Mode == "" {
		in.Mode = vyre.ModeAsk
	}
	if in.Interrupt && in.Decision != vyre.Deny {
		return agent.Answer{}, vyre.Invalid("interrupt", "only a denial may also stop the turn")
	}
	return agent.Answer{
		Request: a.Request, Native: a.Native, Kind: a.Kind, Decision: in.Decision, Scope: in.Scope,
		Message: in.Message, Input: in.Input, Answers: in.Answers, Mode: in.Mode, Stop: in.Interrupt,
	}, nil
}

// choose applies the option that was named, which must be one that was offered.
func choose(a vyre.Ask, in *AnswerInput) error {
	if in.Option == "" && in.Scope == vyre.ScopeProject { // the narrowest one that is offered
		in.Option = OptionAllowProject
	}
	if in.Option == "" {
		return nil
	}
	i := slices.IndexFunc(a.Options, func(x vyre.AskOption) bool { return x.ID == in.Option })
	if i < 0 {
		ids := make([]string, len(a.Options))
		for j, x := range a.Options {
			ids[j] = x.ID
		}
		return vyre.Invalid("option", "%q is not offered by this question", in.Option).
			WithHint("It offers: "+join(ids)+".").WithDetail("options", ids)
	}
	x := a.Options[i]
	if in.Decision != x.Kind {
		return vyre.Invalid("option", "%q means %s, but the decision is %s", x.ID, x.Kind, in.Decision)
	}
	if in.Scope == "" {
		in.Scope = x.Scope
	}
	if x.Scope != "" && in.Scope != x.Scope {
		return vyre.Invalid("scope", "%q has the scope %s", x.ID, x.Scope)
	}
	switch x.ID {
	case OptionDenyStop:
		in.Interrupt = true
	case OptionApprove:
		in.Mode = vyre.Mode(or(string(in.Mode), string(vyre.ModeAsk)))
	case OptionApproveEdits:
		in.Mode = vyre.Mode(or(string(in.Mode), string(vyre.ModeEdits)))
	}
	in.Option, in.Grants = "", x.Grants
	return nil
}

// checkAnswers holds the answers of a question against its questions.
func checkAnswers(a vyre.Ask, in *AnswerInput) error {
	if a.Kind != vyre.AskQuestion {
		if len(in.Answers) > 0 {
			return vyre.Invalid("answers", "this ask is no question")
		}
		return nil
	}
	if in.Decision != vyre.Allow {
		return nil
	}
	known, ok := questions(a.Input)
	if !ok {
		return nil // a provider's own form of question: its driver takes the answers as they are
	}
	if len(in.Answers) == 0 && in.Input == nil {
		return vyre.Invalid("answers", "a question is answered by the answers, keyed by its full text")
	}
	for k := range in.Answers {
		if !slices.Contains(known, k) {
			return vyre.Invalid("answers", "%q is not one of the questions", k).WithDetail("questions", known)
		}
	}
	for _, q := range known {
		if _, ok := in.Answers[q]; !ok && in.Input == nil {
			return vyre.Invalid("answers", "%q has no answer", q).WithDetail("questions", known)
		}
	}
	return nil
}

// questions lists the full texts of a question ask's questions.
func questions(input json.RawMessage) (texts []string, ok bool) {
	var q struct {
		Questions []struct {
			Question string `json:"question"`
		} `json:"questions"`
	}
	if json.Unmarshal(input, &q) != nil || len(q.Questions) == 0 {
		return nil, false
	}
	for _, x := range q.Questions {
		texts = append(texts, x.Question)
	}
	return texts, true
}

func decided(a vyre.Ask) error {
	return vyre.Errorf(vyre.CodeConflict, "already decided: %s, by %s at %s", a.Decision, a.By, a.At).
		WithHint("The first answer stands.").
		WithDetail("decision", a.Decision).WithDetail("scope", a.Scope).
		WithDetail("by", a.By).WithDetail("at", a.At).WithDetail("state", a.State)
}

// settleAnswers tells everybody who waits for the delivery of an ask's answer.
func (o *owner) settleAnswers(id vyre.AskID, err error) {
	o.answering = slices.DeleteFunc(o.answering, func(w *answerWait) bool {
		if w.ask != id {
			return false
		}
		w.req.done <- err
		return true
	})
}

// acked takes the shim's word on a frame: it is delivered, or the session is
// going down and the end of its output will tell the rest.
func (o *owner) acked(ctx context.Context, k ack) {
	f, ok := o.book.frames[k.n]
	if !ok {
		return
	}
	if k.err != nil {
		o.log.Warn("an input could not be delivered", "frame", int(k.n), "error", k.err)
		if o.run.ready { // before that the handshake's own bound watches
			o.run.stuck = true
			o.run.setAlarm(stuckWait)
		}
		return
	}
	fail.Point("engine.frames.delivered") // the shim has it, we have not noted it
	t := o.record()
	delete(o.book.frames, k.n)
	t.c.Acked = []vyre.FrameRef{{Session: f.Session, N: f.N}}
	o.answerDelivered(t, f.Ask)
	o.insist(ctx, t)
}

// answerDelivered makes a delivered answer final.
func (o *owner) answerDelivered(t *tx, id vyre.AskID) {
	a, ok := o.book.asks[id]
	if !ok || a.State != vyre.AskAnswering {
		return
	}
	o.settle(a.Request)
	a.State = vyre.AskAnswered
	t.durable()
	t.putAsk(a)
	o.markAnswered(t, a)
	t.event(vyre.AskAnsweredData{
		Ask: a.ID, Decision: a.Decision, Scope: a.Scope, By: a.By, Proof: a.Proof, Level: a.Level,
	})
	if a.Kind == vyre.AskPlan && a.Decision == vyre.Allow && a.Mode != "" {
		o.book.thread.Mode, t.thread = a.Mode, true
		t.event(vyre.ThreadMode{Mode: a.Mode, By: a.By})
	}
	if len(o.book.asks) == 0 {
		t.move(vyre.MoveAsksClosed, "")
	}
	t.after = append(t.after, func() { o.settleAnswers(id, nil) })
}
