package engine_test

import (
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
)

// deadly is a peer that dies of every message before it has it.
func deadly(p *peerProc, f peerFrame) {
	switch f.Say {
	case "hello":
		p.say(peerLine{Type: "ready", Attach: f.Data["attach"] == true})
	case "send":
		p.die(agent.Exited{Code: 1})
	}
}

// An agent that dies of every message is started again a few times, each time after a
// longer pause, and no more: then the thread says why, keeps what waits, and goes on
// when a person wants it.
func TestRespawnIsBounded(t *testing.T) {
	w := newWorld(t, deadly)
	id := w.begin("")
	w.send(id, "go", "the-one")
	parked := func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadItem && strings.Contains(string(e.Data), "keeps ending")
	}
	w.until("the thread is parked", parked)
	if n := w.peers.count(); n != 4 { // the first, and three more
		t.Errorf("%d processes", n)
	}
	q, err := w.db.Queue(t.Context(), id)
	if err != nil || len(q) != 1 || q[0].ID != "the-one" {
		t.Errorf("queue %v, %v", q, err)
	}
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopCrash || !strings.Contains(th.Err, "4 times in a row") {
		t.Errorf("thread %+v", th)
	}
	w.peers.mu.Lock()
	w.peers.script = slow
	w.peers.mu.Unlock()
	if err := w.eng.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if f := w.peers.newest().sent(1); f.Data["text"] != "go" {
		t.Errorf("sent %v", f)
	}
	if th := w.thread(id); th.Err != "" {
		t.Errorf("it still says %q", th.Err)
	}
}

// A person who stops a thread in the pause before its next try has stopped it; one who
// sends does not wait for the pause.
func TestPauseBeforeRespawn(t *testing.T) {
	w := newWorld(t, deadly)
	w.stop()
	w.revive = time.Hour
	w.start()
	id := w.begin("")
	w.send(id, "go", "")
	w.untilKind(vyre.EvThreadStopped, 2) // the first try again was at once
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	if n := w.peers.count(); n != 2 {
		t.Errorf("%d processes", n)
	}
	w.peers.mu.Lock()
	w.peers.script = slow
	w.peers.mu.Unlock()
	w.send(id, "now", "")
	eventually(t, "the process of the message", func() bool { return w.peers.count() == 3 })
	w.peers.newest().sent(1)
}
