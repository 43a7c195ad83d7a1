package engine

import (
	"context"
	"encoding/json"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// RewindInput asks for a conversation to go back before a message.
type RewindInput struct {
	Message vyre.MessageID
	Files   bool // put files back as well
	DryRun  bool // change nothing, say what would be
	// Text, if not empty, is sent afterwards: that is how a message is edited which
	// the agent has. Key is its id, or empty.
	Text string
	Key  vyre.MessageID
	By   string
}

// Rewound is what a rewind did, or would do.
type Rewound struct {
	Turn  vyre.TurnID // the first turn that is not part of the conversation any more
	Turns int64       // how many there are
	Items int64
	Files *agent.FilesRewound // nil where no files were asked for
	Sent  *Sent               // what became of the text
}

// Rewind takes a conversation back before a message. Nothing is deleted: the turns
// from that message on are marked, and the agent goes on in a copy of its history
// that ends before it. Files are put back first, by the agent, in the old
// conversation; a daemon that dies in between leaves the old conversation, and the
// same call again does the rest. Errors: not_found; busy while a turn runs or
// something waits for a person; invalid where the agent can't; conflict for a message
// that it can't go back before.
func (e *Engine) Rewind(ctx context.Context, thread vyre.ThreadID, in RewindInput) (Rewound, error) {
	if err := e.settled(ctx, thread); err != nil {
		return Rewound{}, err
	}
	var out Rewound
	var m vyre.Message
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		var err error
		if out.Sent, err = o.editedBefore(r.ctx, in); err != nil || out.Sent != nil {
			return true, err
		}
		out, m, _, err = o.planRewind(r.ctx, in)
		return true, err
	})
	if err != nil {
		return Rewound{}, err // out is the owner's until it said that all is well
	}
	if out.Sent != nil {
		return out, nil
	}
	if in.Files {
		if out.Files, err = e.rewindFiles(ctx, thread, m, in.DryRun); err != nil {
			return Rewound{}, err
		}
	}
	if in.DryRun {
		return out, nil
	}
	fail.Point("engine.rewind.files") // put back, the conversation is not
	err = e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		sent, err := o.rewind(r.ctx, in)
		if err != nil {
			return false, err
		}
		if sent.Message != "" {
			out.Sent = &sent
		}
		r.done <- nil
		o.wake(e.ctx)
		return false, nil
	})
	if err != nil {
		return Rewound{}, err
	}
	return out, nil
}

// rewindFiles has the agent put files back, or say which it would.
func (e *Engine) rewindFiles(ctx context.Context, thread vyre.ThreadID, m vyre.Message, dry bool) (*agent.FilesRewound, error) {
	if err := e.Resume(ctx, thread); err != nil { // only the agent knows what they were
		return nil, err
	}
	var out agent.FilesRewound
	body, err := e.Query(ctx, thread, agent.RewindFiles{Message: m.SentAs(), DryRun: true})
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(body, &out) != nil {
		out = agent.FilesRewound{}
	}
	if !dry {
		_, err = e.Query(ctx, thread, agent.RewindFiles{Message: m.SentAs()})
	}
	return &out, err
}

// planRewind says what going back would do, and where the conversation would end.
func (o *owner) planRewind(ctx context.Context, in RewindInput) (out Rewound, m vyre.Message, row branch, err error) {
	p, err := o.e.provider(o.book.thread.Provider)
	if err != nil {
		return out, m, row, err
	}
	can := p.Info().Capabilities
	back, ok := p.(agent.Rewinder)
	switch {
	case !ok || !can.Rewind || !can.Fork:
		return out, m, row, vyre.Errorf(vyre.CodeInvalid, "%s can't go back in a conversation", o.book.thread.Provider)
	case in.Files && !can.RewindFiles:
		return out, m, row, vyre.Invalid("files", "%s can't put files back", o.book.thread.Provider)
	}
	if err := o.atRest("go back"); err != nil {
		return out, m, row, err
	}
	if m, err = o.rewindTo(ctx, in.Message); err != nil {
		return out, m, row, err
	}
	opts, _, err := o.history(ctx, p)
	if err != nil {
		return out, m, row, err
	}
	if row.At, err = back.Before(ctx, opts, m.SentAs()); err != nil {
		return out, m, row, err
	}
	if row.At != "" {
		row.Of = opts.NativeID
	}
	out.Turn = m.Turn
	out.Turns, out.Items, err = o.e.cfg.Store.CountFrom(ctx, o.id, m.Turn.N())
	return out, m, row, err
}

// atRest refuses while a turn runs or the thread is on its way to one.
func (o *owner) atRest(what string) error {
	if o.book.turn != nil || len(o.book.asks) > 0 || o.starting != nil || o.run != nil && (!o.run.ready || o.run.stopping != "") {
		return vyre.Errorf(vyre.CodeBusy, "the thread can't %s while it is at work", what).
			WithHint("Interrupt the turn, or wait for its end.")
	}
	return nil
}

// rewindTo finds the message to go back before.
func (o *owner) rewindTo(ctx context.Context, id vyre.MessageID) (vyre.Message, error) {
	m, found, err := o.e.cfg.Store.Message(ctx, o.id, id)
	if err != nil {
		return m, err
	}
	if !found {
		return m, vyre.NotFound("message", string(id))
	}
	if m.State == vyre.MessageQueued || m.State == vyre.MessageRemoved || m.Turn == "" {
		return m, vyre.Errorf(vyre.CodeConflict, "the agent never got this message").
			WithHint("What waits is edited with threads.edit and taken back with threads.unqueue.").WithDetail("state", m.State)
	}
	turn, found, err := o.e.cfg.Store.Turn(ctx, m.Turn)
	if err != nil {
		return m, err
	}
	first, rewound := id, turn.Rewound
	if found && len(turn.Messages) > 0 {
		first = turn.Messages[0]
	}
	if !found { // a copied turn has items alone
		if first, rewound, err = o.copiedTurn(ctx, m); err != nil {
			return m, err
		}
	}
	switch {
	case rewound:
		return m, vyre.Errorf(vyre.CodeConflict, "the conversation went back before this message already")
	case first != id:
		return m, vyre.Errorf(vyre.CodeConflict, "this message joined a turn that ran already").
			WithHint("Go back before the message that began the turn.").WithDetail("message", first)
	}
	return m, nil
}

// copiedTurn reads from its items which message began the turn of m, and whether the
// conversation went back before it.
func (o *owner) copiedTurn(ctx context.Context, m vyre.Message) (first vyre.MessageID, rewound bool, err error) {
	it, found, err := o.e.cfg.Store.FirstSaid(ctx, o.id, m.Turn)
	if err != nil || !found {
		return m.ID, false, err
	}
	var b UserBody
	if err := json.Unmarshal(it.Body, &b); err != nil {
		return m.ID, false, vyre.Errorf(vyre.CodeInternal, "a message's item can't be read").Because(err)
	}
	return b.Message, it.Rewound, nil
}

// rewind leaves the old conversation: its process ends, and one durable commit says
// where the thread goes on.
func (o *owner) rewind(ctx context.Context, in RewindInput) (Sent, error) {
	if old, err := o.editedBefore(ctx, in); err != nil || old != nil {
		if err != nil {
			return Sent{}, err
		}
		return *old, nil
	}
	out, m, from, err := o.planRewind(ctx, in)
	if err != nil {
		return Sent{}, err
	}
	p, err := o.e.provider(o.book.thread.Provider)
	if err != nil {
		return Sent{}, err
	}
	ctx = o.e.ctx // from here on it is brought to its end, also without its caller
	if o.run != nil {
		if err := o.halt(ctx, vyre.StopPerson, "the conversation goes back before a message", in.By); err != nil {
			return Sent{}, err
		}
	}
	fail.Point("engine.rewind.stopped")
	t := o.begin()
	t.durable()
	if err := o.branchOff(p, from); err != nil {
		t.rollback()
		return Sent{}, err
	}
	t.thread = true
	t.c.Rewind = &vyre.RewindMark{Thread: o.id, From: out.Turn.N()}
	t.event(vyre.ThreadRewound{Message: m.ID, Turn: out.Turn, Files: in.Files, By: in.By})
	var sent Sent
	if in.Text != "" {
		o.wanted(t)
		sent = o.queueFirst(t, in)
	}
	if err := t.commit(ctx); err != nil {
		return Sent{}, err
	}
	fail.Point("engine.rewind.written")
	return sent, nil
}

// editedBefore answers a retry: its text was sent under the key already.
func (o *owner) editedBefore(ctx context.Context, in RewindInput) (*Sent, error) {
	if in.Key == "" {
		return nil, nil
	}
	old, found, err := o.e.cfg.Store.Message(ctx, o.id, in.Key)
	if err != nil || !found {
		return nil, err
	}
	sent, err := replay(old, SendInput{Text: in.Text, Key: in.Key})
	return &sent, err
}

// queueFirst puts the new words before everything that waits.
func (o *owner) queueFirst(t *tx, in RewindInput) Sent {
	m := vyre.Message{
		ID: in.Key, Thread: o.id, Text: in.Text, State: vyre.MessageQueued, Via: vyre.ViaResume,
		By: in.By, Created: o.e.now(), Hash: hashOf(in.Text, nil),
	}
	if m.ID == "" {
		m.ID = vyre.NewMessageID()
	}
	o.arrange(t, append([]vyre.Message{m}, o.book.queue...))
	t.event(queued(m))
	return Sent{Message: m.ID, Via: m.Via}
}
