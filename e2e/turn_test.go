package e2e

import (
	"strings"
	"sync"
	"syscall"
	"testing"

	"vyre"
)

// A turn on the real Claude Code streams its words, ends once, and the thread
// can be stopped and resumed with its history.
func TestTurnAndResume(t *testing.T) {
	h := newHome(t)
	id := h.begin("words 20")
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	th := h.thread(id)
	if th.State != vyre.StateIdle || th.Provider != "claude" || th.Driver != "claude" || th.CWD != h.agent.CWD {
		t.Errorf("thread %+v", th)
	}
	want := h.text(id, vyre.ItemText)
	if got := h.streamed(id); got != want || len(strings.Fields(got)) != 20 {
		t.Errorf("streamed %q, item %q", got, want)
	}
	h.call("threads.stop", map[string]any{"thread": id}, &th)
	if th.State != vyre.StateStopped || th.Reason != vyre.StopPerson {
		t.Errorf("after stop %+v", th)
	}
	var sent struct {
		Via  vyre.Via
		Turn vyre.TurnID
	}
	h.call("threads.send", map[string]any{"thread": id, "text": "say back again"}, &sent)
	if sent.Via != vyre.ViaResume || sent.Turn != vyre.MakeTurnID(id, 2) {
		t.Errorf("sent %+v", sent)
	}
	h.finished(id, 2)
	if got := h.text(id, vyre.ItemText); got != want+"|back again" {
		t.Errorf("words %q", got)
	}
	// The resumed agent knows what was said: its request holds the first message.
	reqs := h.api.Requests()
	if last := reqs[len(reqs)-1]; !strings.Contains(string(last.Body), "words 20") {
		t.Error("the resumed session has no history")
	}
}

const touch = `tool Bash {"command":"touch made.txt"}` + "\nsay done"

// An ask that is allowed lets the tool run; denied, it does not and the turn
// goes on with the note; denied with interrupt, the turn ends canceled.
func TestAskDecisions(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	a := h.ask(id)
	if a.Kind != vyre.AskTool || a.Tool != "Bash" || a.Display == "" || !strings.Contains(a.Display, "touch made.txt") ||
		a.Source != "builtin" || a.Digest == "" || h.thread(id).State != vyre.StateWaiting {
		t.Errorf("ask %+v", a)
	}
	if h.exists("made.txt") {
		t.Fatal("the tool ran before the answer")
	}
	h.mustAnswer(a, vyre.Allow, nil)
	if s := h.finished(id, 1); s != vyre.TurnCompleted || !h.exists("made.txt") {
		t.Errorf("status %s", s)
	}

	h.send(id, `tool Bash {"command":"touch denied.txt"}`+"\nsay $RESULT")
	a = h.ask(id)
	h.mustAnswer(a, vyre.Deny, map[string]any{"message": "use the other folder"})
	if s := h.finished(id, 2); s != vyre.TurnCompleted || h.exists("denied.txt") {
		t.Errorf("after a denial: %s", s)
	}
	if got := h.text(id, vyre.ItemText); !strings.Contains(got, "use the other folder") {
		t.Errorf("the note did not arrive: %q", got)
	}

	h.send(id, `tool Bash {"command":"touch never.txt"}`+"\nsay not reached")
	a = h.ask(id)
	h.mustAnswer(a, vyre.Deny, map[string]any{"interrupt": true})
	if s := h.finished(id, 3); s != vyre.TurnCanceled || h.exists("never.txt") {
		t.Errorf("after deny and stop: %s", s)
	}
	h.send(id, "say still here")
	if s := h.finished(id, 4); s != vyre.TurnCompleted {
		t.Errorf("the session did not outlive it: %s", s)
	}
}

// The same answer again gives the first outcome, another is a conflict that says
// what was decided; of two at once one wins.
func TestAnsweredTwice(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	a := h.ask(id)
	var wg sync.WaitGroup
	results := make([]error, 10)
	decisions := []vyre.Decision{vyre.Allow, vyre.Deny}
	for i := range results {
		wg.Go(func() { _, results[i] = h.answer(a, decisions[i%2], nil) })
	}
	wg.Wait()
	h.finished(id, 1)
	won := ""
	for i, err := range results {
		d := string(decisions[i%2])
		switch {
		case err == nil && (won == "" || won == d):
			won = d
		case err == nil:
			t.Errorf("both decisions won")
		case vyre.CodeOf(err) != vyre.CodeConflict || vyre.AsError(err).Details["by"] != "person:owner:cli":
			t.Errorf("loser: %v %v", err, vyre.AsError(err).Details)
		}
	}
	if h.exists("made.txt") != (won == "allow") {
		t.Errorf("%s won, the file says otherwise", won)
	}
	if again, err := h.answer(a, vyre.Decision(won), nil); err != nil || again.Decision != vyre.Decision(won) {
		t.Errorf("again: %+v %v", again, err)
	}
}

// "Allow in this session" holds for the session and asks no more for that rule.
func TestAllowSession(t *testing.T) {
	h := newHome(t)
	id := h.begin(touch)
	a := h.ask(id)
	h.mustAnswer(a, vyre.Allow, map[string]any{"option": "allow_session"})
	h.finished(id, 1)
	h.send(id, touch)
	h.finished(id, 2)
	raised := 0
	for _, e := range h.events() {
		if e.Kind == vyre.EvAskRaised {
			raised++
		}
	}
	if raised != 1 {
		t.Errorf("%d asks", raised)
	}
	if h.thread(id).Mode != vyre.ModeAsk {
		t.Error("the grant switched the mode")
	}
	if h.exists(".claude/settings.local.json") {
		t.Error("the grant was written into the provider's own file")
	}
}

// A question is answered by its full text; a plan's approval switches the mode
// that was chosen and no other.
func TestQuestionAndPlan(t *testing.T) {
	h := newHome(t)
	q := "Which colour do you want?"
	id := h.begin(`tool AskUserQuestion {"questions":[{"question":"` + q + `","header":"Colour","multiSelect":false,` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}` + "\nsay $RESULT")
	a := h.ask(id)
	if a.Kind != vyre.AskQuestion {
		t.Fatalf("kind %s", a.Kind)
	}
	if _, err := h.answer(a, vyre.Allow, map[string]any{"answers": map[string]string{"nonsense": "Blue"}}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("unknown question: %v", err)
	}
	h.mustAnswer(a, vyre.Allow, map[string]any{"answers": map[string]string{q: "Blue"}})
	h.finished(id, 1)
	if got := h.text(id, vyre.ItemText); !strings.Contains(got, "Blue") {
		t.Errorf("the answer did not arrive: %q", got)
	}

	h.call("threads.mode", map[string]any{"thread": id, "mode": "plan"}, nil)
	h.send(id, "tool ExitPlanMode {}\nsay planned")
	a = h.ask(id)
	if a.Kind != vyre.AskPlan {
		t.Fatalf("kind %s", a.Kind)
	}
	h.mustAnswer(a, vyre.Allow, map[string]any{"option": "approve_edits"})
	h.finished(id, 2)
	if m := h.thread(id).Mode; m != vyre.ModeEdits {
		t.Errorf("mode %s", m)
	}
	h.send(id, `tool Write {"file_path":"$CWD/free.txt","content":"x"}`+"\nsay written")
	if s := h.finished(id, 3); s != vyre.TurnCompleted || !h.exists("free.txt") {
		t.Errorf("an edit was not free in mode edits: %s", s)
	}
}

// An interrupt works before the first token, in the middle of the words, in a
// tool and with an ask open; the session outlives each.
func TestInterruptEverywhere(t *testing.T) {
	h := newHome(t)
	id := h.begin("")
	n := 0
	cut := func(name, script string, ready func()) {
		n++
		h.send(id, script)
		ready()
		var out struct{ Status vyre.TurnStatus }
		h.call("threads.interrupt", map[string]any{"thread": id}, &out)
		if s := h.finished(id, n); s != vyre.TurnCanceled || out.Status != vyre.TurnCanceled {
			t.Errorf("%s: %s", name, s)
		}
		n++
		h.send(id, "say after "+name)
		if s := h.finished(id, n); s != vyre.TurnCompleted {
			t.Errorf("after %s: %s", name, s)
		}
	}
	gate := h.api.Gate("stall")
	cut("before the first token", "stall\nsay late", func() {
		if err := gate.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	gate.Open()
	cut("mid-text", "words 400 every 20ms", func() {
		h.until("words", func() bool { return h.streamed(id) != "" && strings.Count(h.streamed(id), " ") > 5 })
	})
	cut("in a tool", `tool Bash {"command":"touch begun.txt; tail -f /dev/null"}`+"\nsay late", func() {
		h.mustAnswer(h.ask(id), vyre.Allow, nil)
		h.file("begun.txt")
	})
	cut("with an ask open", touch, func() { h.ask(id) })
	if len(h.asks(id)) != 0 || h.exists("made.txt") {
		t.Error("an ask outlived its turn")
	}
}

// A thread that was stopped, or whose agent died, before anything was said to it
// goes on with the next message as any other.
func TestResumeOfTheUnspoken(t *testing.T) {
	h := newHome(t)
	id := h.begin("")
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	h.send(id, "say first words")
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("after a stop: %s", s)
	}
	other := h.begin("")
	if err := syscall.Kill(h.agentPID(other), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.until("the stop", func() bool { return h.thread(other).State == vyre.StateStopped })
	h.send(other, "say also first")
	if s := h.finished(other, 1); s != vyre.TurnCompleted {
		t.Errorf("after a crash: %s", s)
	}
}
