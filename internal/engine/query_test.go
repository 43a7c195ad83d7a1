package engine_test

import (
	"encoding/json"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// asked answers what is asked of it: a query for files with its own words, one for
// servers with a refusal, one for the context never.
func asked(p *peerProc, f peerFrame) {
	switch f.Say {
	case "files":
		p.say(peerLine{Type: "body", Offset: int(f.N), Text: f.Data["query"].(string)})
	case "servers":
		p.say(peerLine{Type: "refused", Offset: int(f.N), Text: "no"})
	default:
		echo(p, f)
	}
}

func TestQueryIsAnsweredByItsOwnReply(t *testing.T) {
	// What is asked of a session is answered by the reply to that very frame, also while others wait; a refusal is an error.
	w := newWorld(t, asked)
	id := w.begin("")
	var late error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, late = w.eng.Query(t.Context(), id, agent.GetContext{}) // is never answered
	}()
	w.peers.newest().nth("context", 1)
	b, err := w.eng.Query(t.Context(), id, agent.GetFiles{Query: "alp"})
	var got string
	if err != nil || json.Unmarshal(b, &got) != nil || got != "alp" {
		t.Errorf("%s %v", b, err)
	}
	if _, err := w.eng.Query(t.Context(), id, agent.GetServers{}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("refused: %v", err)
	}
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	<-done
	if vyre.CodeOf(late) != vyre.CodeUnavailable {
		t.Errorf("the session ended first: %v", late)
	}
	if _, err := w.eng.Query(t.Context(), id, agent.GetFiles{}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("no process: %v", err)
	}
}

func TestDeletedThreadIsGone(t *testing.T) {
	// A thread with a process is not deleted; without one it is, and nothing can be done with it any more.
	w := newWorld(t, echo)
	id := w.begin("hi")
	w.untilKind(vyre.EvThreadFinished, 1)
	if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Fatalf("a live one: %v", err)
	}
	if err := w.eng.Stop(t.Context(), id, "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Delete(t.Context(), id, false, true, "p"); err != nil || w.thread(id).ID != id {
		t.Fatalf("a dry run: %v", err)
	}
	if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "x"}); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("a send: %v", err)
	}
	if err := w.db.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	w.restart()
	if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("again: %v", err)
	}
}
