package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"sync"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine/slots"
)

// shelf guards the ledger of slots. Every change is told by whoever made it, in the
// commit that it belongs to.
type shelf struct {
	mu     sync.Mutex // guards what follows; nothing is called while it is held
	ledger *slots.Ledger
	moved  chan struct{} // closed and replaced at each change
}

func newShelf(bounds map[vyre.SlotKind]slots.Bound) *shelf {
	return &shelf{ledger: slots.New(bounds), moved: make(chan struct{})}
}

func (s *shelf) bounded(k vyre.SlotKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.Bounded(k)
}

func (s *shelf) load(kept []vyre.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Load(kept)
}

func (s *shelf) ask(x vyre.Slot, wait bool) (vyre.Slot, []vyre.Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got, changes := s.ledger.Ask(x, wait)
	s.wake(changes)
	return got, changes
}

func (s *shelf) release(match func(vyre.Slot) bool) []vyre.Slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes := s.ledger.Release(match)
	s.wake(changes)
	return changes
}

// wake tells those who wait in TakeSlot. The caller holds mu.
func (s *shelf) wake(changes []vyre.Slot) {
	if len(changes) > 0 {
		close(s.moved)
		s.moved = make(chan struct{})
	}
}

func (s *shelf) list() ([]vyre.Slot, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.List(), s.moved
}

func (s *shelf) events(changes []vyre.Slot) []vyre.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]vyre.Event, 0, len(changes))
	for _, c := range changes {
		held, limit := s.ledger.Held(c.Kind)
		out = append(out, vyre.NewEvent(c.Thread, "", vyre.SlotsChanged{
			Slot: c.ID, Kind: string(c.Kind), Project: c.Project, State: string(c.State),
			Position: c.Position, Held: held, Limit: limit,
		}))
	}
	return out
}

// Slots lists every place for parallel work: the held ones of each kind, then its line.
func (e *Engine) Slots() []vyre.Slot {
	all, _ := e.slots.list()
	return all
}

// restoreSlots takes over what an earlier daemon kept. A slot whose thread has no
// session any more is given back, and so is a teammate's that was waited for: who
// waited went with that daemon. Bounds that were raised since give more at once.
func (e *Engine) restoreSlots(ctx context.Context, open []vyre.Session) error {
	kept, err := e.cfg.Store.Slots(ctx)
	if err != nil || len(kept) == 0 {
		return err
	}
	live := map[vyre.ThreadID]bool{}
	for _, s := range open {
		live[s.Thread] = true
	}
	e.slots.load(kept)
	changes := e.slots.release(func(s vyre.Slot) bool {
		return !live[s.Thread] || s.Kind == vyre.SlotTeammate && s.State == vyre.SlotWaiting
	})
	if len(changes) == 0 {
		return nil
	}
	return e.cfg.Store.Commit(ctx, &vyre.Commit{Durable: true, Slots: changes, Events: e.slots.events(changes)})
}

// slotID names the slot of a call the same way for every daemon.
func slotID(thread vyre.ThreadID, call string) string {
	h := sha256.Sum256([]byte(string(thread) + "\x00" + call))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h[:16]))
}

// hookSlot asks for the slot of a subagent's call. While there is none the agent
// waits in its hook. One that a subagent begins is refused instead: whoever began it
// holds a place for as long as it would wait, so that all could wait for each other.
func (o *owner) hookSlot(t *tx, ev agent.Hook) {
	if o.run.stopping != "" || o.cutting() {
		o.pass(t, ev) // the turn is being ended: the call is cut off with it
		return
	}
	th := o.book.thread
	got, changes := o.e.slots.ask(vyre.Slot{
		ID: slotID(o.id, ev.Call), Kind: vyre.SlotSubagent, Project: th.Project, Thread: o.id, Since: o.e.now(), Call: ev.Call,
	}, ev.AgentID == "")
	o.tellSlots(t, changes)
	switch {
	case got.State == vyre.SlotHeld:
		o.pass(t, ev)
		return
	case ev.AgentID != "":
		o.replyHook(t, agent.HookReply{Request: ev.Request, Kind: ev.Kind, Decision: vyre.Deny, Why: fmt.Sprintf(
			"No place is free for one more subagent; it would stand at %d in the line, and a subagent can't wait there. Do the work yourself.", got.Position)})
		return
	}
	if o.run.hooks == nil {
		o.run.hooks = map[string]agent.Hook{}
	}
	o.run.hooks[ev.Call] = ev
}

// tellSlots writes changes of slots down and tells them; whoever got a place goes
// on once that is on disk.
func (o *owner) tellSlots(t *tx, changes []vyre.Slot) {
	if len(changes) == 0 {
		return
	}
	t.durable()
	t.c.Slots = append(t.c.Slots, changes...)
	t.c.Events = append(t.c.Events, o.e.slots.events(changes)...)
	t.after = append(t.after, func() { o.e.giveSlots(changes) })
}

// giveSlots lets the agents go on that wait in a hook for a slot that is theirs now.
func (e *Engine) giveSlots(changes []vyre.Slot) {
	for _, s := range changes {
		if s.State != vyre.SlotHeld || s.Call == "" {
			continue
		}
		e.spawn(func() {
			_ = e.do(e.ctx, s.Thread, func(o *owner, _ *request) (bool, error) { // a thread that is gone waits for nothing
				o.granted(s.Call)
				return true, nil
			})
		})
	}
}

func (o *owner) granted(call string) {
	if o.run == nil || o.run.stopping != "" {
		return
	}
	h, waits := o.run.hooks[call]
	if !waits {
		return
	}
	delete(o.run.hooks, call)
	t := o.record()
	o.pass(t, h)
	o.insist(o.e.ctx, t)
}

// freeSlots gives back the slots of calls that are over. A call that went on in the
// background keeps its slot until that work ends.
func (o *owner) freeSlots(t *tx) {
	all, _ := o.e.slots.list()
	over := map[string]bool{}
	for _, s := range all {
		if s.Thread == o.id && s.Call != "" && o.callOver(s.Call) {
			over[s.ID] = true
		}
	}
	if len(over) > 0 {
		o.tellSlots(t, o.e.slots.release(func(s vyre.Slot) bool { return over[s.ID] }))
	}
}

// callOver reports whether the work of a call is at its end.
func (o *owner) callOver(call string) bool {
	if _, waits := o.run.hooks[call]; waits || o.background(call) {
		return false
	}
	it, known := o.book.items[call]
	if known {
		return it.Status != vyre.ItemRunning
	}
	return o.book.turn == nil && !o.behind() // its item has gone with the turn
}

// behind reports whether any call goes on in the background: what that begins has no
// item of a turn, and is over with it at the latest.
func (o *owner) behind() bool {
	for _, t := range o.book.tasks {
		if t.Key != "" {
			return true
		}
	}
	return false
}

// dropSlots gives back all slots of a thread whose session has ended.
func (o *owner) dropSlots(t *tx) {
	o.tellSlots(t, o.e.slots.release(func(s vyre.Slot) bool { return s.Thread == o.id }))
}

// spawn runs f on a goroutine of the engine's, unless it is leaving.
func (e *Engine) spawn(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closing && e.ctx.Err() == nil {
		e.owners.Go(f)
	}
}
