package claude_test

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/agenttest"
)

func TestInterrupt(t *testing.T) {
	// An interrupt ends the turn canceled at every moment, and the session lives on.
	for _, c := range []struct {
		name   string
		script []string
		when   func(*live, *agenttest.ModelAPI)
	}{
		{"before the first word", []string{"gate g", "say never"}, func(l *live, api *agenttest.ModelAPI) {
			if err := api.Gate("g").Wait(l.t.Context()); err != nil {
				l.t.Fatal(err)
			}
			until[agent.TurnStarted](l, nil)
		}},
		{"in the text", []string{"say some words that come first", "gate g", "say never"}, func(l *live, _ *agenttest.ModelAPI) {
			until[agent.Text](l, nil)
		}},
		{"with an ask open", []string{`tool Bash {"command":"touch never"}`, "say never"}, func(l *live, _ *agenttest.ModelAPI) {
			until[agent.Ask](l, nil)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := agenttest.API(t)
			h := agenttest.Claude(t, api)
			l := start(t, h)
			id := l.send(c.script...)
			c.when(l, api)
			l.say(agent.Interrupt{})
			want(t, "status", l.ended(id).Status, vyre.TurnCanceled)
			for _, a := range all[agent.Ask](l) {
				withdrawn := false
				for _, w := range all[agent.AskWithdrawn](l) {
					withdrawn = withdrawn || w.Request == a.Request
				}
				if c.name == "with an ask open" && !withdrawn {
					t.Error("the open ask was not withdrawn")
				}
			}
			api.Gate("g").Open()
			want(t, "the next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
			if exists(t, h, "never") {
				t.Error("what was interrupted ran")
			}
		})
	}
}

func TestInterruptInATool(t *testing.T) {
	// An interrupt ends the command that runs, before the turn is told to have ended
	// or soon after, and the turn is canceled.
	h := agenttest.Claude(t, agenttest.API(t))
	fifo := filepath.Join(h.CWD, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, h)
	id := l.send(`tool Bash {"command":"exec 3> fifo; echo up >&3; tail -f /dev/null; touch never"}`, "say never")
	a := until[agent.Ask](l, nil)
	l.answer(a, agent.Answer{Decision: vyre.Allow})
	f, err := os.Open(fifo) // opens when the command opens it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); line != "up\n" {
		t.Fatalf("the command said %q, %v", line, err)
	}
	l.say(agent.Interrupt{})
	want(t, "status", l.ended(id).Status, vyre.TurnCanceled)
	want(t, "the call", l.result(a.Call).Status, vyre.ItemCanceled)
	if _, err := r.ReadByte(); err == nil { // the end comes when nobody holds the other end any more
		t.Error("the command went on")
	}
	want(t, "the next turn", l.ended(l.send("say next")).Status, vyre.TurnCompleted)
}

func TestInterruptDropsWhatWaits(t *testing.T) {
	// A message that the agent holds and has not begun comes back on an interrupt.
	api := agenttest.API(t)
	l := start(t, agenttest.Claude(t, api))
	first := l.send("say words", "gate g")
	until[agent.Text](l, nil)
	waiting := l.send("say waiting")
	l.say(agent.Interrupt{})
	dropped := until[agent.MessageDropped](l, nil)
	want(t, "dropped", dropped.Message, waiting)
	_ = first
	api.Gate("g").Open()
	l.ended(l.send("say next"))
	want(t, "runs of what waited", api.Runs("say waiting"), 0)
}
