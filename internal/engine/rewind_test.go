package engine_test

import (
	"context"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/store/sqlite"
)

// talked is a thread in which three messages were answered, with keys m1 to m3.
func talked(t *testing.T) (*world, vyre.ThreadID) {
	w := newWorld(t, echo)
	w.stop()
	w.provider.rewinds, w.provider.begun = true, map[string]agent.History{}
	w.start()
	id := w.begin("")
	for i, key := range []string{"m1", "m2", "m3"} {
		w.send(id, "say "+key, key)
		w.untilKind(vyre.EvThreadFinished, i+1)
	}
	return w, id
}

func (w *world) shows(id vyre.ThreadID, rewound bool) (texts []string) {
	w.t.Helper()
	items, _, err := w.db.Items(w.t.Context(), sqlite.ItemQuery{Thread: id, Rewound: rewound})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, it := range items {
		if it.Kind == vyre.ItemUser {
			texts = append(texts, it.Text)
		}
	}
	return texts
}

func (w *world) launched() []string {
	w.peers.mu.Lock()
	defer w.peers.mu.Unlock()
	return w.peers.args[len(w.peers.args)-1]
}

// A dry run says what would go and changes nothing. Going back marks the turns from
// the message on; the agent goes on in a copy that ends before it, until that copy
// has a history of its own; the turns' numbers go on.
func TestRewind(t *testing.T) {
	w, id := talked(t)
	native, head := w.thread(id).NativeID, len(w.events())
	plan, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m2", DryRun: true})
	if err != nil || plan.Turns != 2 || plan.Items != 4 || plan.Turn != vyre.MakeTurnID(id, 2) {
		t.Fatalf("%+v %v", plan, err)
	}
	if len(w.events()) != head || w.thread(id).NativeID != native {
		t.Error("a dry run changed something")
	}
	if _, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m2", By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	if got := w.shows(id, false); len(got) != 1 || got[0] != "say m1" {
		t.Errorf("the timeline shows %q", got)
	}
	if got := w.shows(id, true); len(got) != 3 {
		t.Errorf("something was deleted: %q", got)
	}
	now := w.thread(id).NativeID
	w.provider.begun[now] = agent.HistoryNone
	w.send(id, "another way", "")
	w.untilKind(vyre.EvThreadFinished, 4)
	if got := w.launched(); got[0] != now || got[1] != native || got[2] != "above-m2" || got[3] != "false" || now == native {
		t.Errorf("it was started with %q", got)
	}
	if th := w.thread(id); th.Turns != 4 {
		t.Errorf("%d turns", th.Turns)
	}
	w.provider.begun[now] = agent.HistoryResumable
	if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.send(id, "and on", "")
	w.untilKind(vyre.EvThreadFinished, 5)
	if got := w.launched(); got[0] != now || got[1] != "" || got[3] != "true" {
		t.Errorf("it was resumed with %q", got)
	}
	_, err = w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m3"})
	if vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("back before what was left: %v", err)
	}
}

// Editing a message that the agent has goes back before it and sends the new words,
// once, before what waits; a retry with the key returns the first outcome.
func TestRewindEdits(t *testing.T) {
	w, id := talked(t)
	in := engine.RewindInput{Message: "m2", Text: "say better", Key: "m2b", By: "person:owner:test"}
	for range 2 {
		got, err := w.eng.Rewind(t.Context(), id, in)
		if err != nil || got.Sent == nil || got.Sent.Message != "m2b" {
			t.Fatalf("%+v %v", got, err)
		}
		w.untilKind(vyre.EvThreadFinished, 4)
		in.Message = "m1" // the key says that it was done
	}
	if got := w.shows(id, false); len(got) != 2 || got[1] != "say better" {
		t.Errorf("%q", got)
	}
	if n := len(w.peers.newest().said("send")); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// While a turn runs or a question is open nothing goes back, is copied whole or shortened.
func TestBranchesAtRest(t *testing.T) {
	w, id := talked(t)
	w.peers.newest().script = slow
	w.send(id, "work", "")
	w.untilKind(vyre.EvThreadTurn, 7)
	if _, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m2"}); vyre.CodeOf(err) != vyre.CodeBusy {
		t.Errorf("back: %v", err)
	}
	if _, err := w.eng.Fork(t.Context(), id, engine.ForkInput{}); vyre.CodeOf(err) != vyre.CodeBusy {
		t.Errorf("copy: %v", err)
	}
	if _, err := w.eng.Compact(t.Context(), id, "", engine.SendInput{}); vyre.CodeOf(err) != vyre.CodeBusy {
		t.Errorf("compact: %v", err)
	}
	if _, err := w.eng.Fork(t.Context(), id, engine.ForkInput{Message: "m3"}); err != nil {
		t.Errorf("a copy up to an earlier message: %v", err)
	}
}

// A fork shows what was said before it, goes on in a copy of its own, and leaves the
// source and its session alone; its mode is the source's; the key makes a retry safe.
func TestFork(t *testing.T) {
	w, id := talked(t)
	if err := w.eng.SetMode(t.Context(), id, vyre.ModePlan, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	before := w.thread(id)
	in := engine.ForkInput{Message: "m3", Key: "f1", By: "person:owner:test"}
	fork, err := w.eng.Fork(t.Context(), id, in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.eng.Fork(t.Context(), id, in); err != nil || again != fork {
		t.Errorf("again: %s %v", again, err)
	}
	in.Message = "m2"
	if _, err := w.eng.Fork(t.Context(), id, in); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("another copy under the key: %v", err)
	}
	th := w.thread(fork)
	if th.Parent != id || th.Mode != vyre.ModePlan || th.State != vyre.StateIdle || th.Turns != 2 || th.CostMicros != 0 {
		t.Errorf("%+v", th)
	}
	if got := w.shows(fork, false); len(got) != 2 || got[1] != "say m2" {
		t.Errorf("the fork shows %q", got)
	}
	w.provider.begun[th.NativeID] = agent.HistoryNone
	w.send(fork, "go on", "")
	w.until("the fork's turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadFinished && e.Thread == fork })
	if got := w.launched(); got[0] != th.NativeID || got[1] != before.NativeID || got[2] != "above-m3" {
		t.Errorf("it was started with %q", got)
	}
	if got := w.thread(id); got.State != before.State || got.NativeID != before.NativeID || len(w.shows(id, false)) != 3 {
		t.Errorf("the source changed: %+v", got)
	}
}

// A conversation is shortened in a turn of its own, by whoever asks for it in words, too.
func TestCompact(t *testing.T) {
	w, id := talked(t)
	p := w.peers.newest()
	p.script = func(p *peerProc, f peerFrame) {
		if f.Say == "compact" {
			m := []vyre.MessageID{wire(f)}
			p.say(peerLine{Type: "turn", Messages: m})
			p.say(peerLine{Type: "end", Messages: m, Status: "completed"})
		}
	}
	if _, err := w.eng.Compact(t.Context(), id, "keep the plan", engine.SendInput{By: "person:owner:test"}); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 4)
	if got := p.said("compact"); len(got) != 1 || got[0].Data["text"] != "keep the plan" {
		t.Errorf("%+v", got)
	}
}

// A session that an agent wakes begins at the stricter mode of both; a person's
// message changes no mode.
func TestWakeIsNeverLooser(t *testing.T) {
	w, id := talked(t)
	for _, x := range []struct{ stored, waker, want vyre.Mode }{
		{vyre.ModeEdits, vyre.ModeAsk, vyre.ModeAsk},
		{vyre.ModeAsk, vyre.ModeEdits, vyre.ModeAsk},
		{vyre.ModeAsk, vyre.ModePlan, vyre.ModePlan},
		{vyre.ModeEdits, "", vyre.ModeEdits},
	} {
		if err := w.eng.Stop(t.Context(), id, "person:owner:test"); err != nil {
			t.Fatal(err)
		}
		if err := w.eng.SetMode(t.Context(), id, x.stored, "person:owner:test"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.eng.Send(t.Context(), id, engine.SendInput{Text: "wake", Waker: x.waker, By: "thread:other"}); err != nil {
			t.Fatal(err)
		}
		if got := w.thread(id).Mode; got != x.want {
			t.Errorf("%s woken by %q: %s", x.stored, x.waker, got)
		}
		if err := w.eng.Resume(t.Context(), id); err != nil && vyre.CodeOf(err) != vyre.CodeBusy {
			t.Fatal(err)
		}
	}
}

// A place that a rewind's own process left may be taken before the rewind asks for one
// again. It never asks its own thread for it, which could not answer.
func TestRewindWaitsForItsPlace(t *testing.T) {
	w, id := talked(t)
	w.stop()
	taken := false
	var other vyre.ThreadID
	w.maxLive = 1
	w.space = func() error {
		if taken {
			taken = false
			w.peers.script = slow
			other = w.begin("at work") // on the goroutine that asks for the place
			w.peers.script = echo
		}
		return nil
	}
	w.start()
	if err := w.eng.Rename(t.Context(), id, "it rests", "person:owner:test"); err != nil { // it is adopted by then
		t.Fatal(err)
	}
	taken = true
	in := engine.RewindInput{Message: "m2", Text: "say better", Key: "m2b", By: "person:owner:test"}
	if _, err := w.eng.Rewind(t.Context(), id, in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := w.eng.Rename(ctx, id, "it answers", "person:owner:test"); err != nil {
		t.Fatalf("the thread waits for itself: %v", err)
	}
	if err := w.eng.Stop(t.Context(), other, "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.until("the new words", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadFinished && e.Turn == vyre.MakeTurnID(id, 4)
	})
}
