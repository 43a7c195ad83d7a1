package engine_test

import (
	"testing"
	"time"

	"vyre"
	"vyre/agent"
)

// tasksOf is the peer's list of background work: Status is its state, Open the ids.
func tasksOf(l peerLine) agent.Tasks {
	t := agent.Tasks{State: l.Status, List: []agent.Task{}}
	for _, id := range l.Open {
		t.List = append(t.List, agent.Task{ID: id, State: l.Status})
	}
	return t
}

// A session that will wake up by itself, or works behind its turns, is not closed
// for idleness while the agent says so; then it is.
func TestTasksKeepASession(t *testing.T) {
	for _, state := range []string{agent.TaskScheduled, agent.TaskRunning} {
		w := newWorld(t, slow)
		w.stop()
		w.idle = 20 * time.Millisecond
		w.start()
		busy := w.begin("go")
		p := w.peers.newest()
		id := vyre.MessageID(p.sent(1).Data["id"].(string))
		p.say(peerLine{Type: "tasks", Status: state, Open: []string{"a", "b"}})
		p.say(peerLine{Type: "end", Messages: []vyre.MessageID{id}, Status: "completed"})
		w.untilKind(vyre.EvThreadFinished, 1)
		p.say(peerLine{Type: "tasks", Status: state, Open: []string{"b"}}) // one is over
		other := w.begin("")
		w.until("the other's stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == other })
		if th := w.thread(busy); th.State != vyre.StateIdle {
			t.Errorf("%s: %+v", state, th)
		}
		p.say(peerLine{Type: "tasks", Status: state})
		w.until("its own stop", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadStopped && e.Thread == busy })
	}
}

// What a protocol owes its agent is said as it is, also before the agent is ready.
func TestOwedRepliesAreSaid(t *testing.T) {
	w := newWorld(t, func(p *peerProc, f peerFrame) {
		switch f.Say {
		case "hello":
			p.say(peerLine{Type: "owe", Text: `{"handshake":1}`})
		case "native":
			if f.Data["line"] == `{"handshake":1}` {
				p.say(peerLine{Type: "ready"})
			}
		}
	})
	w.begin("") // returns when the agent is ready, which it is only once it was answered
	p := w.peers.newest()
	p.say(peerLine{Type: "owe", Text: `{"later":1}`})
	if got := p.nth("native", 2).Data["line"]; got != `{"later":1}` {
		t.Errorf("said %v", got)
	}
}
