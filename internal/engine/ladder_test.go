package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"vyre"
	"vyre/internal/engine"
)

// An agent that ignores an interrupt gets a signal and is then ended, each step
// after its bound; the turn ends canceled, and the next message resumes.
func TestInterruptLadder(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.bound = 30 * time.Millisecond
	w.start()
	id := w.begin("go")
	p := w.peers.newest()
	p.sent(1)
	if _, err := w.eng.Interrupt(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	u, _, err := w.db.Turn(t.Context(), vyre.MakeTurnID(id, 1))
	if err != nil || u.Status != vyre.TurnCanceled {
		t.Errorf("turn %+v, %v", u, err)
	}
	if len(p.said("interrupt")) != 1 || len(p.signals) != 1 || p.signals[0] != "INT" || !p.stopped {
		t.Errorf("ladder: %d interrupts, signals %v, stopped %v", len(p.said("interrupt")), p.signals, p.stopped)
	}
	if th := w.thread(id); th.State != vyre.StateStopped {
		t.Errorf("state %s", th.State)
	}
	w.send(id, "again", "")
	w.untilKind(vyre.EvThreadSent, 2)
}

// fullDisk refuses commits while full, as a store on a full disk does.
type fullDisk struct {
	engine.Store
	full    atomic.Bool
	refused chan struct{} // gets one for each refusal
}

func (s *fullDisk) Commit(ctx context.Context, c *vyre.Commit) error {
	if s.full.Load() {
		select {
		case s.refused <- struct{}{}:
		default:
		}
		return vyre.Errorf(vyre.CodeNoSpace, "the disk is full").Because(errors.New("test"))
	}
	return s.Store.Commit(ctx, c)
}

// With a full disk nothing is acknowledged and reading goes on; when there is
// room again the turn goes on by itself, and nothing of it is lost or doubled.
func TestFullDisk(t *testing.T) {
	w := newWorld(t, slow)
	disk := &fullDisk{refused: make(chan struct{}, 1)}
	w.wrap = func(s engine.Store) engine.Store { disk.Store = s; return disk }
	w.restart()
	id := w.begin("go")
	p := w.peers.newest()
	first := p.sent(1).Data["id"].(string)
	disk.full.Store(true)
	p.say(peerLine{Type: "text", Key: "t", Text: "while full "})
	<-disk.refused
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "no room"}); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("send on a full disk: %v", err)
	}
	if th := w.thread(id); th.State != vyre.StateRunning {
		t.Errorf("state %s", th.State)
	}
	disk.full.Store(false)
	p.say(peerLine{Type: "said", Key: "t", Text: "while full and after"})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(first)}, Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	texts := 0
	for _, e := range w.events() {
		if e.Kind == vyre.EvThreadText {
			texts++
		}
	}
	q, _ := w.db.Queue(t.Context(), id)
	if texts != 1 || len(q) != 0 {
		t.Errorf("%d texts, queue %v", texts, q)
	}
}
