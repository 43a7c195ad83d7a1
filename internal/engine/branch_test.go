package engine_test

import (
	"context"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// A copy of a conversation that went back, made before its first new message, ends
// where that went back to: what a person took away is never heard again.
func TestForkOfWhatWentBack(t *testing.T) {
	w, id := talked(t)
	native := w.thread(id).NativeID
	if _, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m2", By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	w.provider.begun[w.thread(id).NativeID] = agent.HistoryNone
	w.goesOnFrom(w.fork(id), native, "above-m2")
}

// A copy of a copy, made before its first message, holds no more than the first copy
// does, whatever the source said since.
func TestForkOfAFork(t *testing.T) {
	w, id := talked(t)
	native := w.thread(id).NativeID
	first, err := w.eng.Fork(t.Context(), id, engine.ForkInput{Message: "m3", By: "person:owner:test"})
	if err != nil {
		t.Fatal(err)
	}
	w.provider.begun[string(first)] = agent.HistoryNone
	w.send(id, "between the two of us", "")
	w.untilKind(vyre.EvThreadFinished, 4)
	w.goesOnFrom(w.fork(first), native, "above-m3")
}

// A rewind that was begun is brought to its end although its caller leaves: the
// thread is never stuck between its process and the next.
func TestRewindOutlivesItsCaller(t *testing.T) {
	w, id := talked(t)
	ctx, leave := context.WithCancel(t.Context())
	w.peers.newest().atStop = leave
	_, _ = w.eng.Rewind(ctx, id, engine.RewindInput{Message: "m2", By: "person:owner:test"})
	w.untilKind(vyre.EvThreadRewound, 1)
	w.send(id, "another way", "")
	w.untilKind(vyre.EvThreadFinished, 4)
	if got := w.shows(id, false); len(got) != 2 || got[1] != "another way" {
		t.Errorf("the timeline shows %q", got)
	}
}

// A conversation whose history the agent lost is not copied as one that begins anew;
// one in which nothing was said yet is.
func TestForkOfWhatIsLost(t *testing.T) {
	w, id := talked(t)
	empty := w.begin("")
	w.stop()
	w.provider.lost = true
	w.start()
	if _, err := w.eng.Fork(t.Context(), id, engine.ForkInput{}); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("a copy of nothing: %v", err)
	}
	w.fork(empty)
}

// What was copied keeps the rules of what was said here: a copy can't go back before
// a message twice, nor before one that joined a turn, and says how much would go.
func TestRewindOfAFork(t *testing.T) {
	w, id := talked(t)
	fork := w.fork(id)
	w.provider.begun[string(fork)] = agent.HistoryNone
	plan, err := w.eng.Rewind(t.Context(), fork, engine.RewindInput{Message: "m2", By: "person:owner:test"})
	if err != nil || plan.Turns != 2 || plan.Items != 4 {
		t.Errorf("%+v %v", plan, err)
	}
	w.provider.begun[w.thread(fork).NativeID] = agent.HistoryNone
	for _, gone := range []vyre.MessageID{"m2", "m3"} {
		if _, err := w.eng.Rewind(t.Context(), fork, engine.RewindInput{Message: gone}); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Errorf("back before %s again: %v", gone, err)
		}
	}
}

// A message that joined a turn is no place to go back to in a copy either.
func TestRewindOfAForkBeforeAJoinedMessage(t *testing.T) {
	w, id, p := steering(t)
	w.stop()
	w.provider.rewinds, w.provider.begun = true, map[string]agent.History{}
	w.start()
	s := w.send(id, "and this", "joined")
	if s.Via != vyre.ViaSteer {
		t.Fatalf("it went as %s", s.Via)
	}
	steer := p.sent(2)
	p.say(peerLine{Type: "taken", Messages: []vyre.MessageID{wire(steer)}})
	p.say(peerLine{Type: "end", Messages: []vyre.MessageID{wire(p.sent(1)), wire(steer)}, Status: "completed"})
	w.untilKind(vyre.EvThreadFinished, 1)
	if _, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "joined", DryRun: true}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("in the source: %v", err)
	}
	if _, err := w.eng.Rewind(t.Context(), w.fork(id), engine.RewindInput{Message: "joined", DryRun: true}); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("in the copy: %v", err)
	}
}

func (w *world) fork(id vyre.ThreadID) vyre.ThreadID {
	w.t.Helper()
	fork, err := w.eng.Fork(w.t.Context(), id, engine.ForkInput{By: "person:owner:test"})
	if err != nil {
		w.t.Fatal(err)
	}
	return fork
}

// goesOnFrom sends a copy its first message and holds where its agent begins.
func (w *world) goesOnFrom(fork vyre.ThreadID, native, row string) {
	w.t.Helper()
	w.provider.begun[string(fork)] = agent.HistoryNone
	w.send(fork, "go on", "")
	w.until("the copy's turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadFinished && e.Thread == fork })
	if got := w.launched(); got[1] != native || got[2] != row {
		w.t.Errorf("it was started with %q, not at %s of %s", got, row, native)
	}
}
