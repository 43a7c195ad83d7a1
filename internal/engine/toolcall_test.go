package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// toolbox is what a daemon would offer, behind the engine's port.
type toolbox struct {
	mu    sync.Mutex
	calls []string
	hold  chan struct{} // a call waits for it, or for its context
	begun chan struct{}
}

func (b *toolbox) Offer() []agent.ToolSpec {
	return []agent.ToolSpec{{Name: "look", ReadOnly: true, Unasked: true}, {Name: "change"}}
}

func (b *toolbox) Call(ctx context.Context, thread vyre.ThreadID, name string, _ json.RawMessage) (json.RawMessage, error) {
	b.mu.Lock()
	b.calls = append(b.calls, name+" "+string(thread))
	hold := b.hold
	b.mu.Unlock()
	if hold != nil {
		b.begun <- struct{}{}
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if name == "change" {
		return json.RawMessage(`"changed"`), nil
	}
	return json.RawMessage(`"seen"`), nil
}

func (b *toolbox) made() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string{}, b.calls...)
}

func tooled(t *testing.T) (*world, *toolbox) {
	b := &toolbox{begun: make(chan struct{})}
	w := newWorld(t, slow)
	w.stop()
	w.tools = b
	w.start()
	return w, b
}

// A session's call of a tool of ours is made for its own thread and answered; one
// that is not offered is refused.
func TestToolCall(t *testing.T) {
	w, b := tooled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "ourcall", Tool: "look", Request: "r1"})
	if f := p.nth("tool", 1); f.Data["output"] != `"seen"` || f.Data["failed"] != false || b.made()[0] != "look "+string(id) {
		t.Errorf("%+v %v", f, b.made())
	}
	p.say(peerLine{Type: "ourcall", Tool: "forbidden", Request: "r2"})
	if f := p.nth("tool", 2); f.Data["failed"] != true || len(b.made()) != 1 {
		t.Errorf("%+v %v", f, b.made())
	}
}

// A daemon that dies while a tool changes something is followed by one that says
// that nobody knows how it ended; it does not run it again. One that only reads is
// run again.
func TestToolCallOverARestart(t *testing.T) {
	w, b := tooled(t)
	w.begin("go")
	p := w.peers.newest()
	b.hold = make(chan struct{})
	p.say(peerLine{Type: "ourcall", Tool: "change", Request: "r1"})
	<-b.begun
	p.say(peerLine{Type: "ourcall", Tool: "look", Request: "r2"})
	<-b.begun
	w.stop()
	b.mu.Lock()
	b.hold = nil
	b.mu.Unlock()
	w.start()
	p.say(peerLine{Type: "ourcall", Tool: "change", Request: "r1"}) // told again
	p.say(peerLine{Type: "ourcall", Tool: "look", Request: "r2"})
	p.nth("tool", 2)
	for _, f := range p.said("tool") {
		if f.Data["request"] == "r1" && (f.Data["failed"] != true || !strings.Contains(f.Data["output"].(string), "not known")) {
			t.Errorf("%+v", f)
		}
		if f.Data["request"] == "r2" && f.Data["output"] != `"seen"` {
			t.Errorf("%+v", f)
		}
	}
	changes := 0
	for _, c := range b.made() {
		if strings.HasPrefix(c, "change") {
			changes++
		}
	}
	if changes != 1 {
		t.Errorf("it ran %d times", changes)
	}
	left, err := w.db.Calls(t.Context(), "")
	if err != nil || len(left) != 0 {
		t.Errorf("%+v %v", left, err)
	}
}

// noMarks refuses what says that a call began, as a store with a fault would.
type noMarks struct{ engine.Store }

func (s noMarks) Commit(ctx context.Context, c *vyre.Commit) error {
	if len(c.Calls) > 0 && !c.Calls[0].Done {
		return vyre.Errorf(vyre.CodeInternal, "a fault of the store")
	}
	return s.Store.Commit(ctx, c)
}

// A call whose beginning can't be written down is not made: its agent is told so. An
// answer that is on its way is not followed by a second call.
func TestToolCallThatCanNotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := tooled(t)
		w.wrap = func(s engine.Store) engine.Store { return noMarks{s} }
		w.restart()
		w.begin("go")
		p := w.peers.newest()
		p.say(peerLine{Type: "ourcall", Tool: "change", Request: "r1"})
		if f := p.nth("tool", 1); f.Data["failed"] != true || len(b.made()) != 0 {
			t.Errorf("%+v %v", f, b.made())
		}
		p.say(
			peerLine{Type: "ourcall", Tool: "forbidden", Request: "r2"},
			peerLine{Type: "ourcall", Tool: "forbidden", Request: "r2"},
			peerLine{Type: "ourcall", Tool: "look", Request: "r3"},
		)
		p.nth("tool", 3)
		if n := p.answersTo("tool", "r2"); n != 1 || len(b.made()) != 1 {
			t.Errorf("%d answers, %v", n, b.made())
		}
	})
}

// A call that the agent does not wait for any more is told to stop, and not answered.
func TestToolWithdrawn(t *testing.T) {
	w, b := tooled(t)
	w.begin("go")
	p := w.peers.newest()
	b.hold = make(chan struct{})
	p.say(peerLine{Type: "ourcall", Tool: "look", Request: "r1"})
	<-b.begun
	p.say(peerLine{Type: "untool", Request: "r1"})
	b.mu.Lock()
	b.hold = nil
	b.mu.Unlock()
	p.say(peerLine{Type: "ourcall", Tool: "look", Request: "r2"})
	p.nth("tool", 1)
	if n := p.answersTo("tool", "r1"); n != 0 {
		t.Errorf("%d answers to what was withdrawn", n)
	}
}

// A tool of ours that tells a session about itself runs without a question, and the
// item says by what. A tool of the same name from anywhere else is asked about, and
// so is one of ours that is not on the list.
func TestOwnToolsPass(t *testing.T) {
	w, _ := tooled(t)
	id := w.begin("go")
	p := w.peers.newest()
	p.say(peerLine{Type: "call", Key: "k1", Tool: "look"})
	p.say(peerLine{Type: "ourask", Request: "q1", Key: "k1", Tool: "look", Source: "vyre"})
	if f := p.nth("answer", 1); f.Data["request"] != "q1" || f.Data["decision"] != "allow" {
		t.Errorf("%+v", f)
	}
	p.say(peerLine{Type: "result", Key: "k1"})
	w.until("the result", func(e vyre.Event) bool {
		var d vyre.ThreadTool
		return e.Kind == vyre.EvThreadTool && json.Unmarshal(e.Data, &d) == nil && d.By == vyre.ByRule
	})
	p.say(peerLine{Type: "ourask", Request: "q2", Key: "k2", Tool: "look", Source: "config:vyre"})
	p.say(peerLine{Type: "ourask", Request: "q3", Key: "k3", Tool: "change", Source: "vyre"})
	w.untilKind(vyre.EvAskRaised, 2)
	if open := w.asks(id); len(open) != 2 || len(p.said("answer")) != 1 {
		t.Errorf("%d open asks, answers %+v", len(open), p.said("answer"))
	}
}
