package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/fail"
)

// tx is one change in the making: it alters the owner's book and collects what
// the store must be told. commit makes it real or takes it back.
type tx struct {
	o      *owner
	before *book // nil: the change can't be taken back
	c      vyre.Commit
	thread bool // the thread's row changed
	frames []vyre.Frame
	after  []func() // what may be told once it is on disk
	lost   bool     // it was given up: only the reading position is on disk
}

// begin starts a change that may be refused. Nothing else may happen on the owner
// until commit or rollback.
func (o *owner) begin() *tx {
	before := o.book.clone()
	return &tx{o: o, before: &before}
}

// record starts a change that has happened already and is written with insist. It
// can't be taken back, so nothing is copied: a long turn's deltas stay cheap.
func (o *owner) record() *tx { return &tx{o: o} }

func (b book) clone() book {
	b.queue = slices.Clone(b.queue)
	b.sent = slices.Clone(b.sent)
	b.items = maps.Clone(b.items)
	b.asks = maps.Clone(b.asks)
	b.frames = maps.Clone(b.frames)
	b.tasks = maps.Clone(b.tasks)
	b.calls = maps.Clone(b.calls)
	if b.turn != nil {
		t := *b.turn
		b.turn = &t
	}
	return b
}

// commit writes the change. After an error the book is as it was at begin.
func (t *tx) commit(ctx context.Context) error {
	if err := t.write(ctx); err != nil {
		t.rollback()
		return err
	}
	return nil
}

// insist writes a change that has already happened (the agent said it, the
// process is gone): it tries until the store takes it or ctx ends. Meanwhile
// callers are told why they have to wait; nothing is acknowledged. The agent
// waits too, as its output is not read. A change that the store refuses for what
// it is would be refused for ever: after a few tries only the reading position is
// kept of it, so that one bad line can't hold the thread.
func (o *owner) insist(ctx context.Context, t *tx) {
	defer o.holdFrames(t)()
	for try := 1; ; try++ {
		err := t.write(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		o.noRoom(t, err)
		if try == 1 || try%logTries == 0 { // the log may lie on the full disk too
			o.log.Error("a change could not be written; trying again", "error", err, "try", try)
		}
		if try >= maxTries && vyre.CodeOf(err) == vyre.CodeInternal {
			o.log.Error("a change was given up")
			t.c = vyre.Commit{Durable: true, Spool: t.c.Spool}
			t.thread, t.frames, t.lost = false, nil, true
		}
		o.refuseFor(ctx, err, retryEvery)
	}
}

const (
	retryEvery = time.Second
	maxTries   = 4
	logTries   = 60
)

// refuseFor answers requests with err for a while. A stop is done all the same:
// it needs no room on the disk; the books follow when there is some.
func (o *owner) refuseFor(ctx context.Context, err error, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			return
		case r := <-o.inbox:
			if r.stopBy != "" && o.run != nil {
				o.run.stopping, o.run.stoppedBy = vyre.StopPerson, r.stopBy
				if stopErr := o.run.proc.Stop(ctx); stopErr != nil {
					o.log.Error("a session could not be proven empty", "error", stopErr)
				}
			}
			r.done <- o.refusal(ctx, r, err)
		case <-ctx.Done():
			return
		}
	}
}

func (t *tx) write(ctx context.Context) error {
	o := t.o
	if t.thread && o.book.stored {
		o.book.thread.Updated = o.e.now()
		t.c.Threads = []vyre.Thread{o.book.thread}
	}
	t.c.Frames = t.frames
	if t.c.Empty() && len(t.after) == 0 {
		return nil
	}
	if err := o.e.cfg.Store.Commit(ctx, &t.c); err != nil {
		return err
	}
	if len(t.frames) > 0 && o.run != nil {
		fail.Point("engine.frames.written") // decided and on disk, not delivered
		o.run.courier.push(t.frames)
	}
	for _, f := range t.after {
		f()
	}
	t.after = nil
	return nil
}

func (t *tx) rollback() { t.o.book = *t.before }

// durable makes the commit wait for the disk.
func (t *tx) durable() { t.c.Durable = true }

func (t *tx) event(d vyre.EventData) {
	t.c.Events = append(t.c.Events, vyre.NewEvent(t.o.id, t.o.turnID(), d))
}

// move takes a move of the state table. A move the table does not have is a
// fault of the engine; it is logged and refused so that it can't spread.
func (t *tx) move(m vyre.Move, reason string) bool {
	th := &t.o.book.thread
	to, err := vyre.Step(th.State, m)
	if err != nil {
		t.o.log.Error("a move was refused by the state table", "from", string(th.State), "move", string(m))
		return false
	}
	from := th.State
	th.State = to
	if to != vyre.StateStopped && (t.o.run == nil || t.o.run.breach == "") {
		th.Reason = ""
	}
	t.thread = true
	t.durable()
	t.event(vyre.ThreadState{From: from, To: to, Reason: reason})
	return true
}

// say writes down an input frame. ask and msg name what it carries, or are empty.
func (t *tx) say(s agent.Say, ask vyre.AskID, msg vyre.MessageID) error {
	o := t.o
	if o.run == nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the thread has no process")
	}
	n := o.book.next
	b, err := o.run.proto.Encode(n, s)
	if err != nil {
		return vyre.Errorf(vyre.CodeInvalid, "%s can't do this", o.book.thread.Provider).Because(err)
	}
	f := vyre.Frame{Session: o.run.session.ID, N: n, Bytes: b, Ask: ask, Message: msg, Request: answered(s)}
	o.book.next++
	o.book.frames[n] = f
	t.frames = append(t.frames, f)
	return nil
}

// answered is the agent's request that s answers, or "".
func answered(s agent.Say) string {
	switch s := s.(type) {
	case agent.Answer:
		return s.Request
	case agent.HookReply:
		return s.Request
	case agent.ToolReply:
		return s.Request
	}
	return ""
}

func (t *tx) putItem(it vyre.Item) {
	t.o.book.items[it.Key] = it
	if t.o.book.turn == nil && it.Status != vyre.ItemRunning {
		delete(t.o.book.items, it.Key) // nothing of a turn that ended is kept in memory
	}
	t.c.Items = put(t.c.Items, it, func(x vyre.Item) vyre.ItemID { return x.ID })
}

// putAsk notes an ask; a settled one leaves the book.
func (t *tx) putAsk(a vyre.Ask) {
	if a.State == vyre.AskOpen || a.State == vyre.AskAnswering {
		t.o.book.asks[a.ID] = a
	} else {
		delete(t.o.book.asks, a.ID)
	}
	t.c.Asks = put(t.c.Asks, a, func(x vyre.Ask) vyre.AskID { return x.ID })
}

func (t *tx) putTurn(u vyre.Turn) {
	t.c.Turns = put(t.c.Turns, u, func(x vyre.Turn) vyre.TurnID { return x.ID })
}

// putMessage notes a message and files it under the list of its state. Among
// those that were handed over it keeps its place.
func (t *tx) putMessage(m vyre.Message) {
	b := &t.o.book
	same := func(x vyre.Message) bool { return x.ID == m.ID }
	b.queue = slices.DeleteFunc(b.queue, same)
	if m.State == vyre.MessageSent || m.State == vyre.MessageTaken {
		b.sent = put(b.sent, m, func(x vyre.Message) vyre.MessageID { return x.ID })
	} else {
		b.sent = slices.DeleteFunc(b.sent, same)
	}
	if m.State == vyre.MessageQueued {
		i := 0
		for i < len(b.queue) && b.queue[i].Order <= m.Order {
			i++
		}
		b.queue = slices.Insert(b.queue, i, m)
	}
	t.c.Messages = put(t.c.Messages, m, func(x vyre.Message) vyre.MessageID { return x.ID })
}

func (t *tx) putSession(s vyre.Session) {
	t.c.Sessions = put(t.c.Sessions, s, func(x vyre.Session) vyre.SessionID { return x.ID })
}

// put replaces the element with the same id, or appends.
func put[T any, K comparable](list []T, v T, id func(T) K) []T {
	for i := range list {
		if id(list[i]) == id(v) {
			list[i] = v
			return list
		}
	}
	return append(list, v)
}

// turnID is the turn that runs, or that ran last: what is said between turns
// belongs to the one that ended. Empty before the first.
func (o *owner) turnID() vyre.TurnID {
	return o.book.newest
}
