package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// A thread that waits for a limit is deleted like any other, and nothing of it comes
// back when the limit is over.
func TestDeletedThreadWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := pursedInTime(t, &purse{auth: "login"}, limited(1, 3*time.Hour))
		id := w.begin("do it")
		w.untilKind(vyre.EvThreadStopped, 1)
		if th := w.thread(id); th.Parked != vyre.ParkedLimit {
			t.Fatalf("thread %+v", th)
		}
		if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); err != nil {
			t.Fatal(err)
		}
		<-time.After(4 * time.Hour) // of the bubble's clock: timers fire
		synctest.Wait()
		if th, err := w.db.Thread(t.Context(), id); vyre.CodeOf(err) != vyre.CodeNotFound {
			t.Errorf("it came back: %+v %v", th, err)
		}
		evs := w.events()
		if last := evs[len(evs)-1]; last.Kind != vyre.EvThreadDeleted {
			t.Errorf("the log goes on with %s", last.Kind)
		}
		if n := w.peers.count(); n != 1 {
			t.Errorf("%d processes", n)
		}
		if err := w.db.Verify(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A key that began a thread begins no second one after the thread was deleted, in no
// daemon and by no verb: a retry that comes late is told, and its words don't run twice.
func TestKeyOfADeletedThreadIsSpent(t *testing.T) {
	w := newWorld(t, echo)
	in := engine.StartInput{Provider: "peer", Prompt: "once", CWD: "/", Key: "k"}
	id, _, err := w.eng.Start(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadFinished, 1)
	other := w.begin("")
	if err := w.eng.Stop(t.Context(), id, "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := w.eng.Start(t.Context(), in); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Errorf("started again: %v", err)
		}
		if _, err := w.eng.Fork(t.Context(), other, engine.ForkInput{Key: "k"}); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Errorf("copied under the key: %v", err)
		}
		w.restart()
	}
	in.Key = "another"
	if _, _, err := w.eng.Start(t.Context(), in); err != nil {
		t.Errorf("under another key: %v", err)
	}
}

// While a turn or a process is there, a deletion is refused and changes nothing.
func TestLiveThreadIsNotDeleted(t *testing.T) {
	w := newWorld(t, slow)
	id := w.begin("go")
	w.untilKind(vyre.EvThreadTurn, 1)
	for _, dry := range []bool{true, false} {
		if _, err := w.eng.Delete(t.Context(), id, false, dry, "p"); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Errorf("dry %v: %v", dry, err)
		}
	}
	if th := w.thread(id); th.State != vyre.StateRunning {
		t.Errorf("thread %+v", th)
	}
}

// Threads that were deleted while they stood in the line for a place give their turn
// to the next. They line up in any order: with so many, one that is gone is first.
func TestDeletedThreadLeavesTheLine(t *testing.T) {
	w := newWorld(t, slow)
	w.stop()
	w.maxLive = 1
	w.start()
	var waiting [8]vyre.ThreadID
	for i := range waiting {
		waiting[i] = w.begin("")
		if err := w.eng.Stop(t.Context(), waiting[i], "p"); err != nil {
			t.Fatal(err)
		}
	}
	busy := w.begin("work")
	w.untilKind(vyre.EvThreadTurn, 1)
	w.stop()
	for _, id := range waiting { // as a daemon that died before it could say them
		th := w.thread(id)
		th.Reason = vyre.StopCap
		if err := w.db.Commit(t.Context(), &vyre.Commit{Durable: true, Threads: []vyre.Thread{th}, Messages: []vyre.Message{{
			ID: "m", Thread: id, Text: "wait", State: vyre.MessageQueued, Via: vyre.ViaResume, By: "p", Created: 1,
		}}}); err != nil {
			t.Fatal(err)
		}
	}
	w.start()
	for _, id := range waiting[1:] {
		if _, err := w.eng.Delete(t.Context(), id, false, false, "p"); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.eng.Stop(t.Context(), busy, "p"); err != nil {
		t.Fatal(err)
	}
	w.until("the other's turn", func(e vyre.Event) bool { return e.Kind == vyre.EvThreadTurn && e.Thread == waiting[0] })
}

// With its transcript a thread takes along every conversation that was its own, also
// those that it went back in, and none of another thread; one that a copy still has to
// be made of stays, and so does the thread.
func TestTranscriptsOfADeletedThread(t *testing.T) {
	w, id := talked(t)
	w.stop()
	var gone []string
	w.provider.forgotten = &gone
	w.start()
	first := w.thread(id).NativeID
	if _, err := w.eng.Rewind(t.Context(), id, engine.RewindInput{Message: "m2", By: "p"}); err != nil {
		t.Fatal(err)
	}
	second := w.thread(id).NativeID
	copied, err := w.eng.Fork(t.Context(), id, engine.ForkInput{By: "p"})
	if err != nil {
		t.Fatal(err)
	}
	own := w.thread(copied).NativeID
	w.provider.begun[own] = agent.HistoryNone // it was not spoken to yet
	for _, dry := range []bool{true, false} {
		_, err = w.eng.Delete(t.Context(), id, true, dry, "p")
		if vyre.CodeOf(err) != vyre.CodeConflict || vyre.AsError(err).Details["thread"] != copied || len(gone) != 0 {
			t.Errorf("dry %v: %v, gone %q", dry, err, gone)
		}
	}
	w.provider.begun[own] = agent.HistoryResumable
	paths, err := w.eng.Delete(t.Context(), id, true, true, "p")
	if err != nil || len(paths) != 2 || len(gone) != 0 || w.thread(id).ID != id {
		t.Errorf("a dry run: %q %v, gone %q", paths, err, gone)
	}
	if _, err := w.eng.Delete(t.Context(), id, true, false, "p"); err != nil || !slices.Equal(gone, []string{first, second}) {
		t.Errorf("%v, gone %q, want %q and %q", err, gone, first, second)
	}
	gone = nil
	if _, err := w.eng.Delete(t.Context(), copied, true, false, "p"); err != nil || !slices.Equal(gone, []string{own}) {
		t.Errorf("%v, gone %q, want %q", err, gone, own)
	}
}
