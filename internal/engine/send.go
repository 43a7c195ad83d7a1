package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"vyre"
)

// SendInput is a message for a thread.
type SendInput struct {
	Text  string
	Key   vyre.MessageID // or empty
	Queue bool           // it waits for the running turn's end, also where it could join it
	By    string

	Attachments []vyre.Attachment
	// Waker is the mode of the agent that sends; empty for a person. A session that it
	// wakes begins at the stricter mode of both; only a person loosens it again.
	Waker vyre.Mode
}

// Sent says what became of a message. Via is what it was answered first; Turn is
// the turn it is in now, and empty while it waits. State is set for a message
// that was taken back: a retry of its send says so and sends nothing.
type Sent struct {
	Message vyre.MessageID
	Via     vyre.Via
	Turn    vyre.TurnID
	State   vyre.MessageState
}

// Send hands a message to a thread and returns once it is on disk. Idle, it
// becomes a turn; while a turn runs it joins that turn, or waits in the stored
// queue where it asks for that or the agent can't be steered; without a process
// one is started. The same key and words again return the first outcome, also
// after the message was edited or taken back; other words, conflict.
func (e *Engine) Send(ctx context.Context, thread vyre.ThreadID, in SendInput) (Sent, error) {
	var out Sent
	err := e.do(ctx, thread, func(o *owner, r *request) (bool, error) {
		var err error
		if out, err = o.send(r.ctx, in); err != nil {
			return false, err
		}
		r.done <- nil // it is on disk; what a resume takes is not the sender's to wait for
		o.wake(e.ctx)
		return false, nil
	})
	if err != nil {
		return Sent{}, err // out is the owner's until it said that all is well
	}
	return out, nil
}

// wake starts a process for a message that waits for one. A person asks: it is
// tried again however often it failed.
func (o *owner) wake(ctx context.Context) {
	if o.run == nil && len(o.book.queue) > 0 && o.starting == nil {
		o.starts = 0
		o.resume(ctx)
	}
	o.giveRoom()
}

// wanted notes, in the change that takes a message, that somebody wants the thread to
// work again, whatever it was stopped or failed for: a daemon that dies before it
// could wake the thread is followed by one that does.
func (o *owner) wanted(t *tx) {
	if th := &o.book.thread; o.run == nil && (th.Reason != "" || th.Err != "") {
		th.Reason, th.Err, t.thread = "", "", true
	}
}

func (o *owner) send(ctx context.Context, in SendInput) (Sent, error) {
	if in.Key != "" {
		old, found, err := o.e.cfg.Store.Message(ctx, o.id, in.Key)
		if err != nil {
			return Sent{}, err
		}
		if found {
			return replay(old, in)
		}
	}
	if err := o.refuses(true); err != nil {
		return Sent{}, err
	}
	if err := o.afterBreach(in.Waker == ""); err != nil {
		return Sent{}, err
	}
	m := vyre.Message{
		ID: in.Key, Thread: o.id, Text: in.Text, State: vyre.MessageQueued,
		By: in.By, Order: o.lastOrder() + 1, Created: o.e.now(), Hash: hashOf(in.Text, in.Attachments),
		Attachments: in.Attachments,
	}
	if m.ID == "" {
		m.ID = vyre.NewMessageID()
	}
	return o.place(ctx, m, in)
}

// replay answers a send whose key the thread knows.
func replay(old vyre.Message, in SendInput) (Sent, error) {
	same := old.Hash == hashOf(in.Text, in.Attachments)
	if old.Hash == "" { // from before messages were hashed; none of those was edited
		same = old.Text == in.Text
	}
	if !same {
		return Sent{}, vyre.Errorf(vyre.CodeConflict, "key %q was used for another text in this thread", in.Key).
			WithHint("Use a new key for a new message.").WithDetail("message", in.Key)
	}
	out := Sent{Message: old.ID, Via: old.Via, Turn: old.Turn}
	if old.State == vyre.MessageRemoved {
		out.State = old.State
	}
	return out, nil
}

// hashOf is the fingerprint of what was first sent under an id.
func hashOf(text string, attached []vyre.Attachment) string {
	b, err := json.Marshal(struct {
		Text     string            `json:"text"`
		Attached []vyre.Attachment `json:"attached,omitempty"`
	}{text, attached})
	if err != nil {
		panic("engine: a message is plain data: " + err.Error())
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// place decides where a new message goes.
func (o *owner) place(ctx context.Context, m vyre.Message, in SendInput) (Sent, error) {
	if o.held() && o.book.turn == nil {
		return o.hold(ctx, m, in.Waker)
	}
	if o.run == nil {
		if err := o.takeRoom(ctx); err != nil {
			return Sent{}, err // refused whole, before anything is stored
		}
	}
	t := o.begin()
	t.durable()
	o.tighten(t, in.Waker, m.By)
	o.wanted(t)
	th := &o.book.thread
	switch {
	case o.run != nil && o.run.stopping == "" && th.State == vyre.StateIdle && len(o.book.queue) == 0:
		m.Via = vyre.ViaTurn
		m = o.dispatch(t, m)
	case !in.Queue && o.canSteer():
		m.Via = vyre.ViaSteer
		m = o.steer(t, m)
	case o.run == nil && len(o.book.queue) == 0:
		m.Via = vyre.ViaResume
		th.Turns++
		m.Turn = vyre.MakeTurnID(o.id, th.Turns)
		t.putMessage(m)
		t.thread = true
		t.event(queued(m))
	default:
		m.Via = vyre.ViaQueue
		if o.run == nil {
			m.Via = vyre.ViaResume
		}
		t.putMessage(m)
		t.event(queued(m))
	}
	if err := t.commit(ctx); err != nil {
		o.giveRoom()
		return Sent{}, err
	}
	if o.run != nil && o.run.stopping != "" {
		o.run.again = true
	}
	return Sent{Message: m.ID, Via: m.Via, Turn: m.Turn}, nil
}

// queued is the event of a message that waits. It shows how the message begins;
// the whole is in threads.queue.
func queued(m vyre.Message) vyre.ThreadQueued {
	return vyre.ThreadQueued{Message: m.ID, Text: shown(m.Text), By: m.By}
}

// shown is how words begin, as an event tells them.
func shown(s string) string {
	text := []rune(s)
	if len(text) > maxShown {
		text = append(text[:maxShown:maxShown], '…')
	}
	return string(text)
}

const maxShown = 400

func (o *owner) lastOrder() int64 {
	if n := len(o.book.queue); n > 0 {
		return o.book.queue[n-1].Order
	}
	return int64(o.book.thread.Turns)
}

// dispatch makes a turn of a message and writes it to the agent. The thread is idle.
func (o *owner) dispatch(t *tx, m vyre.Message) vyre.Message {
	th := &o.book.thread
	if m.Turn.N() <= o.book.newest.N() { // none reserved, or another message went first
		th.Turns++
		m.Turn = vyre.MakeTurnID(o.id, th.Turns)
	}
	if m.Via == "" {
		m.Via = vyre.ViaTurn
	}
	m.State = vyre.MessageSent
	t.putMessage(m)
	o.openTurn(t, m.Turn, vyre.OriginPerson, []vyre.MessageID{m.ID})
	via := m.Via
	if via == vyre.ViaSteer { // it was to join a turn, and begins one now
		via = vyre.ViaTurn
	}
	t.event(vyre.ThreadSent{Message: m.ID, Via: via, Turn: m.Turn, By: m.By})
	o.userItem(t, m)
	if err := t.say(o.opening(m), "", m.ID); err != nil {
		o.log.Error("a message could not be written in the agent's words", "error", err)
		o.closeTurn(t, vyre.TurnFailed, "the agent can't take this message", vyre.MessageDone)
		o.carry(t)
	}
	return m
}

// next hands over the oldest queued message if the thread is free for one.
func (o *owner) next(ctx context.Context) {
	if o.run == nil || !o.run.ready || o.run.stopping != "" || o.held() ||
		o.book.thread.State != vyre.StateIdle || len(o.book.queue) == 0 {
		return
	}
	t := o.record()
	t.durable()
	o.dispatch(t, o.book.queue[0])
	o.insist(ctx, t)
}

func (o *owner) userItem(t *tx, m vyre.Message) {
	key := "user:" + string(m.ID)
	body, err := json.Marshal(UserBody{m.ID, m.Attachments})
	if err != nil {
		panic("engine: an id is plain text: " + err.Error())
	}
	it := vyre.Item{
		ID: vyre.ItemIDFor(o.id, m.Turn, key), Thread: o.id, Turn: m.Turn, Kind: vyre.ItemUser,
		Status: vyre.ItemCompleted, Text: m.Text, Body: body, Key: key, Created: o.e.now(),
	}
	t.putItem(it)
	t.event(vyre.ThreadItem{Item: it.ID, Kind: it.Kind, Status: it.Status})
}
