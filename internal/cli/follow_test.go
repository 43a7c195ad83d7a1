package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"vyre"
)

const endSignal = syscall.SIGTERM

// turnPeer is a peer whose threads.start begins a turn on thread A.
func turnPeer(t *testing.T) *peer {
	p := newPeer(t)
	p.answer("threads.start", func() any {
		p.tell(threadA, vyre.ThreadTurn{Status: vyre.TurnStarted})
		return map[string]any{"thread": threadA, "turn": vyre.MakeTurnID(threadA, 1)}
	})
	p.block("threads.interrupt") // as a daemon does, which answers when the turn has ended
	return p
}

// block makes a tool give no answer before the test is over.
func (p *peer) block(name string) {
	p.answer(name, func() any { <-p.closed; return map[string]any{} })
}

func (p *peer) say(text string) {
	p.tell(threadA, vyre.ThreadText{Item: vyre.ItemID("i" + text), Kind: vyre.ItemText, Text: text})
}

func (p *peer) finish(s vyre.TurnStatus) {
	p.tell(threadA, vyre.ThreadTurn{Status: s})
	p.tell(threadA, vyre.ThreadFinished{Turn: vyre.MakeTurnID(threadA, 1), Status: s})
}

// raise opens an ask; its answer is told as an event, as the daemon does.
func (p *peer) raise(a vyre.Ask) {
	a.Thread, a.Digest = threadA, "d1g"
	p.answer("threads.asks", func() any { return map[string]any{"asks": []vyre.Ask{a}} })
	p.tool("threads.answer", func(in json.RawMessage) (any, error) {
		var d struct{ Decision vyre.Decision }
		_ = json.Unmarshal(in, &d)
		p.answer("threads.asks", func() any { return map[string]any{"asks": []vyre.Ask{}} })
		p.tell(threadA, vyre.AskAnsweredData{Ask: a.ID, Decision: d.Decision, By: "person:owner:cli"})
		p.say("went on")
		p.finish(vyre.TurnCompleted)
		return a, nil
	})
	p.tell(threadA, vyre.AskRaised{Ask: a.ID, Kind: a.Kind, Tool: a.Tool, Title: a.Title})
}

func toolAsk() vyre.Ask {
	return vyre.Ask{
		ID: askA, Kind: vyre.AskTool, Tool: "Bash", Title: "Touch a file", Display: "touch a\x1b[8m", Source: "builtin", State: vyre.AskOpen,
		Options: []vyre.AskOption{{ID: "o", Label: "Allow once", Kind: vyre.Allow, Scope: vyre.ScopeOnce}, {ID: "n", Label: "Deny", Kind: vyre.Deny}},
	}
}

// The agent's words are data, the rest is notices, and the exit code tells the
// turn's outcome.
func TestRunOutcomes(t *testing.T) {
	for status, code := range map[vyre.TurnStatus]int{vyre.TurnCompleted: 0, vyre.TurnFailed: 1, vyre.TurnCanceled: 130} {
		p := turnPeer(t)
		c := start(t, p.home, "run", "do", "it", "--mode", "plan", "--cwd", "/tmp")
		if in := strings.TrimSpace(p.called(t, "threads.start")); in != `{"provider":"claude","prompt":"do it","cwd":"/tmp","mode":"plan"}` {
			t.Errorf("sent %s", in)
		}
		p.say("done so")
		p.finish(status)
		if r := <-c.done; r.code != code || r.out != "done so\n" {
			t.Errorf("%s: %+v", status, r)
		}
	}
}

// Without a terminal a line of standard input is the answer; what is no answer
// sends nothing.
func TestRunAnswersFromStdin(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	io.WriteString(c.stdin, "what?\n\ndeny: use a temp file\n")
	p.raise(toolAsk())
	r := <-c.done
	want := `{"ask":"1a2b3c4d5e6f708192","decision":"deny","option":"n","message":"use a temp file","digest":"d1g"}`
	if in := strings.TrimSpace(p.called(t, "threads.answer")); in != want {
		t.Errorf("sent %s", in)
	}
	if r.code != 0 || r.out != "went on\n" || p.times("threads.answer") != 1 {
		t.Errorf("%+v", r)
	}
	for _, s := range []string{"touch a⟨U+001B⟩[8m", "Not understood", "denied by person:owner:cli"} {
		if !strings.Contains(r.err, s) {
			t.Errorf("no %q in %s", s, r.err)
		}
	}
}

// Questions are answered by number or in the person's own words.
func TestRunAnswersQuestions(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	io.WriteString(c.stdin, "7\n2\nmy own words\n")
	p.raise(vyre.Ask{ID: askA, Kind: vyre.AskQuestion, Input: json.RawMessage(
		`{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]},{"question":"Why?"}]}`)})
	r := <-c.done
	want := `{"ask":"1a2b3c4d5e6f708192","decision":"allow","answers":{"Which?":"B","Why?":"my own words"},"digest":"d1g"}`
	if in := strings.TrimSpace(p.called(t, "threads.answer")); in != want || r.code != 0 {
		t.Errorf("sent %s; %+v", in, r)
	}
}

// At the end of standard input a question stays open, and it is said how to
// answer it; the turn is still watched to its end.
func TestRunAtTheEndOfInput(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	c.stdin.Close()
	p.called(t, "threads.start")
	p.raise(toolAsk())
	c.err.wait(t, "vyre answer 1a2b3c4d allow")
	p.tell(threadA, vyre.AskAnsweredData{Ask: askA, Decision: vyre.Allow, By: "person:owner:web"})
	p.finish(vyre.TurnCompleted)
	r := <-c.done
	if r.code != 0 || p.times("threads.answer") != 0 || !strings.Contains(r.err, "vyre answer 1a2b3c4d allow") || !strings.Contains(r.err, "allowed by person:owner:web") {
		t.Errorf("%+v", r)
	}
}

// With --json the output is the tool's, and nothing is asked here.
func TestRunJSON(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go", "--json")
	io.WriteString(c.stdin, "a\n")
	p.called(t, "threads.start")
	p.tell(threadA, vyre.AskRaised{Ask: askA})
	p.say("words")
	p.finish(vyre.TurnFailed)
	r := <-c.done
	if want := `{"thread":"` + string(threadA) + `","turn":"` + string(threadA) + `:1"}` + "\n"; r.out != want || r.code != 1 || p.times("threads.answer") != 0 {
		t.Errorf("%+v", r)
	}
}

// The first Ctrl-C interrupts the turn, the second leaves it running, also while
// the first is not answered; what the agent says meanwhile is shown.
func TestRunInterrupts(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	c.err.wait(t, "thread 3f2a9c1d")
	c.signals <- os.Interrupt
	p.called(t, "threads.interrupt")
	p.say("still here")
	c.out.wait(t, "still here")
	c.signals <- os.Interrupt
	if r := <-c.done; r.code != 130 || p.times("threads.interrupt") != 1 || !strings.Contains(r.err, "goes on") {
		t.Errorf("%+v", r)
	}
}

// An answer that is on its way holds nothing up: Ctrl-C interrupts, and leaves.
func TestRunInterruptsWhileAnAnswerIsOnItsWay(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	p.raise(toolAsk())
	p.block("threads.answer")
	io.WriteString(c.stdin, "a\n")
	p.called(t, "threads.answer")
	c.signals <- os.Interrupt
	p.called(t, "threads.interrupt")
	c.signals <- os.Interrupt
	if r := <-c.done; r.code != 130 || p.times("threads.answer") != 1 {
		t.Errorf("%+v", r)
	}
}

// A message that is on its way holds no event up, and the next line waits for
// it, so that messages arrive in the order in which they were typed.
func TestAttachSaysOneAfterTheOther(t *testing.T) {
	p := turnPeer(t)
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA, Provider: "claude", State: vyre.StateIdle} })
	p.answer("threads.items", func() any { return itemsOutput{} })
	release := make(chan struct{})
	p.answer("threads.send", func() any { <-release; return map[string]any{"message": "m", "via": "queue"} })
	c := start(t, p.home, "attach", string(threadA))
	io.WriteString(c.stdin, "one\ntwo\n")
	p.called(t, "threads.send")
	p.say("meanwhile")
	c.out.wait(t, "meanwhile")
	if p.times("threads.send") != 1 {
		t.Error("the second line did not wait")
	}
	close(release)
	c.err.wait(t, "queued until the running turn ends: two")
	c.signals <- os.Interrupt
	if r := <-c.done; r.code != 0 || strings.Index(r.err, ": one") > strings.Index(r.err, ": two") {
		t.Errorf("%+v", r)
	}
}

// Neither a run nor an attach waits for daemon.status, which waits for what the
// login shell says.
func TestNoCommandWaitsForTheStatus(t *testing.T) {
	p := turnPeer(t)
	p.block("daemon.status")
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA} })
	p.answer("threads.items", func() any { return itemsOutput{} })
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	p.finish(vyre.TurnCompleted)
	if r := <-c.done; r.code != 0 {
		t.Errorf("%+v", r)
	}
	c = start(t, p.home, "attach", string(threadA))
	c.err.wait(t, "Ctrl-D leaves")
	c.signals <- os.Interrupt
	if r := <-c.done; r.code != 0 || p.times("daemon.status") != 0 {
		t.Errorf("%+v", r)
	}
}

// A daemon that refuses the start is the command's error.
func TestRunRefused(t *testing.T) {
	p := newPeer(t)
	p.tool("threads.start", func(json.RawMessage) (any, error) {
		return nil, vyre.Errorf(vyre.CodeNoCredential, "claude is not signed in").WithHint("Run claude once.")
	})
	if r := vyreRun(t, p.home, "", "run", "go"); r.code != 7 || r.out != "" || r.err != "vyre: claude is not signed in\n      Run claude once.\n" {
		t.Errorf("%+v", r)
	}
}

// A session that ends without a word about its turn ends the watching too.
func TestRunWhenTheSessionIsGone(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	p.tell(threadA, vyre.ThreadState{From: vyre.StateRunning, To: vyre.StateStopped, Reason: "crash"})
	if r := <-c.done; r.code != 1 {
		t.Errorf("%+v", r)
	}
}

// Who attaches late sees the end of the timeline and the open ask, answers it,
// and then talks to the thread.
func TestAttach(t *testing.T) {
	p := turnPeer(t)
	withThreads(p)
	p.tell(threadA, vyre.ThreadText{Item: "old", Kind: vyre.ItemText, Text: "old words"})
	a := toolAsk()
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA, Provider: "claude", State: vyre.StateWaiting} })
	p.answer("threads.items", func() any {
		return itemsOutput{Items: []vyre.Item{{ID: "u", Kind: vyre.ItemUser, Text: "do it"}, {ID: "old", Kind: vyre.ItemText, Text: "old words"}}}
	})
	p.answer("threads.asks", func() any { return map[string]any{"asks": []vyre.Ask{a}} })
	p.tool("threads.answer", func(json.RawMessage) (any, error) {
		p.tell(threadA, vyre.ThreadState{From: vyre.StateWaiting, To: vyre.StateIdle})
		p.tell(threadA, vyre.AskAnsweredData{Ask: a.ID, Decision: vyre.Allow})
		return a, nil
	})
	p.answer("threads.send", func() any { return map[string]any{"message": "m", "via": "turn"} })
	c := start(t, p.home, "attach", "tests")
	io.WriteString(c.stdin, "a\nand now this\n")
	if in := strings.TrimSpace(p.called(t, "threads.send")); in != `{"thread":"`+string(threadA)+`","text":"and now this"}` {
		t.Errorf("sent %s", in)
	}
	c.signals <- os.Interrupt // no turn runs: it leaves
	r := <-c.done
	if r.code != 0 || r.out != "old words\n" || !strings.Contains(r.err, "> do it") || p.times("threads.interrupt") != 0 {
		t.Errorf("%+v", r)
	}
}

// Attached with --json, everything is a document: the timeline, then events.
func TestAttachJSON(t *testing.T) {
	p := turnPeer(t)
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA} })
	p.answer("threads.items", func() any { return itemsOutput{Items: []vyre.Item{}} })
	c := start(t, p.home, "attach", string(threadA), "--json")
	p.called(t, "threads.asks")
	p.say("live")
	c.out.wait(t, `"text":"live"`)
	c.signals <- endSignal
	r := <-c.done
	if r.code != 143 || !strings.HasPrefix(r.out, `{"items":[],"next":""}`+"\n") {
		t.Errorf("%+v", r)
	}
}

// What an answer meets that was given elsewhere is told; the first decision stands.
func TestRunLosesTheRace(t *testing.T) {
	p := turnPeer(t)
	c := start(t, p.home, "run", "go")
	p.called(t, "threads.start")
	p.raise(toolAsk())
	p.tool("threads.answer", func(json.RawMessage) (any, error) {
		return nil, vyre.Errorf(vyre.CodeConflict, "it was denied by person:owner:web")
	})
	io.WriteString(c.stdin, "a\n")
	c.err.wait(t, "it was denied by person:owner:web")
	p.finish(vyre.TurnCompleted)
	if r := <-c.done; r.code != 0 || !strings.Contains(r.err, "it was denied by person:owner:web") {
		t.Errorf("%+v", r)
	}
}
