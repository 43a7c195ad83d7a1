package engine_test

import (
	"testing"
	"time"

	"vyre"
	"vyre/internal/feed"
)

// A wall clock that is put back and forward by years during a turn changes
// nothing: numbers only rise, a reader at its cursor gets each event once, the
// queue keeps its order, and the turn ends as any other.
func TestClockJumps(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	w := newWorld(t, slow)
	w.idle = time.Hour
	w.restart()
	id := w.begin("one")
	p := w.peers.newest()
	w.untilKind(vyre.EvThreadSent, 1)
	var read []vyre.Event
	var cursor vyre.Seq
	follow := func() {
		t.Helper()
		for {
			evs, next, err := w.feed.Since(t.Context(), cursor, feed.Filter{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if next < cursor {
				t.Fatalf("the cursor went back from %d to %d", cursor, next)
			}
			read, cursor = append(read, evs...), next
			if len(evs) == 0 {
				return
			}
		}
	}
	words := ""
	for i, jump := range []time.Duration{-years, 0, years, -time.Minute, 0} {
		w.jump.Store(int64(jump))
		p.say(peerLine{Type: "text", Key: "t", Offset: len(words), Text: "w "})
		words += "w "
		w.untilKind(vyre.EvThreadText, i+1)
		w.send(id, string(rune('a'+i)), "")
		follow()
		if i == 2 {
			w.restart() // a daemon that starts with a wrong clock
		}
	}
	if w.thread(id).State != vyre.StateRunning {
		t.Fatalf("state %s", w.thread(id).State)
	}
	for n := 1; n <= 6; n++ {
		f := p.sent(n)
		if n > 1 && f.Data["text"] != string(rune('a'+n-2)) {
			t.Errorf("message %d is %v", n, f.Data["text"])
		}
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{vyre.MessageID(f.Data["id"].(string))}, Status: "completed"})
		w.untilKind(vyre.EvThreadFinished, n)
	}
	follow()
	all := w.events()
	if len(all) != len(read) {
		t.Errorf("the reader got %d events of %d", len(read), len(all))
	}
	for i := range all {
		if i > 0 && all[i].Seq <= all[i-1].Seq || i < len(read) && read[i].Seq != all[i].Seq {
			t.Fatalf("number %d at place %d", all[i].Seq, i)
		}
	}
	if err := w.db.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
