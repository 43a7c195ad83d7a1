package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"vyre"
)

// Work in the background keeps its session from being closed, also under a later
// daemon that never read of its beginning; it is listed until it ends.
func TestTasksOutliveTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, echo)
		w.stop()
		w.idle = 10 * time.Minute
		w.start()
		id := w.begin("hello")
		synctest.Wait()
		p := w.peers.newest()
		p.say(peerLine{Type: "task", Key: "b1", Text: "a server", Status: "running"})
		synctest.Wait()
		w.send(id, "on", "k2") // the checkpoint passes the task's line
		synctest.Wait()
		w.restart()
		synctest.Wait()
		time.Sleep(time.Hour)
		synctest.Wait()
		list, err := w.db.Tasks(t.Context(), id)
		if err != nil || len(list) != 1 || list[0].Title != "a server" || w.thread(id).State != vyre.StateIdle {
			t.Fatalf("tasks %+v, %v, state %s", list, err, w.thread(id).State)
		}
		done := make(chan error, 1)
		go func() { done <- w.eng.StopTask(t.Context(), id, "b1") }()
		synctest.Wait()
		if f := p.said("stop_task"); len(f) != 1 || f[0].Data["task"] != "b1" {
			t.Errorf("said %v", f)
		}
		p.say(peerLine{Type: "task", Key: "b1", Status: "stopped"})
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopIdle {
			t.Errorf("thread %s %s", th.State, th.Reason)
		}
		if err := w.eng.StopTask(t.Context(), id, "b1"); vyre.CodeOf(err) != vyre.CodeNotFound {
			t.Errorf("stop of what is not there: %v", err)
		}
	})
}

// A task that the agent refuses to end is a conflict; a session that ends tells the
// end of its tasks.
func TestTaskEnds(t *testing.T) {
	w := newWorld(t, echo)
	id := w.begin("hello")
	w.untilKind(vyre.EvThreadFinished, 1)
	p := w.peers.newest()
	p.say(peerLine{Type: "task", Key: "b1", Text: "a server", Status: "running"})
	w.untilKind(vyre.EvThreadTask, 1)
	done := make(chan error, 1)
	go func() { done <- w.eng.StopTask(t.Context(), id, "b1") }()
	f := p.nth("stop_task", 1)
	p.say(peerLine{Type: "refused", Offset: int(f.N), Text: "no"})
	if err := <-done; vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("refused: %v", err)
	}
	if err := w.eng.Stop(t.Context(), id, "person"); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadTask, 2)
	if list, _ := w.db.Tasks(t.Context(), id); len(list) != 0 {
		t.Errorf("left %+v", list)
	}
}
