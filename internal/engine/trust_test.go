package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// carrying is a folder whose files the test changes.
type carrying struct{ digest atomic.Pointer[string] }

func (c *carrying) set(digest string) { c.digest.Store(&digest) }

func (c *carrying) Brought(_ context.Context, _ agent.Provider, th vyre.Thread) (vyre.Brought, error) {
	return vyre.Brought{
		Path: th.CWD, Provider: th.Provider, Digest: *c.digest.Load(),
		Things: []vyre.BroughtThing{{Kind: vyre.ThingHook, File: "f", Words: "rm x"}},
	}, nil
}

func newCarrying(t *testing.T, script func(*peerProc, peerFrame), idle time.Duration) (*world, *carrying) {
	t.Helper()
	c := &carrying{}
	c.set("one")
	w := newWorld(t, script)
	w.stop()
	w.folders, w.idle = c, idle
	w.start()
	return w, c
}

// told lists what the thread's starts said became of the folder's settings.
func told(t *testing.T, w *world, id vyre.ThreadID) []vyre.FolderTrust {
	t.Helper()
	var out []vyre.FolderTrust
	for _, e := range w.events() {
		var d vyre.ThreadStarted
		if e.Kind == vyre.EvThreadStarted && e.Thread == id {
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			out = append(out, d.FolderSettings)
		}
	}
	return out
}

func decide(t *testing.T, w *world, a vyre.Ask, d vyre.Decision) error {
	t.Helper()
	_, err := w.eng.Answer(t.Context(), engine.AnswerInput{Ask: a.ID, Decision: d, By: vyre.Person(vyre.Owner, "test")})
	return err
}

// A question about a folder is not its agent's: the thread works on, its session is closed
// for resting, and a person answers without any process. The first answer stands; the next
// start uses what was allowed.
func TestTrustAskIsInNobodysWay(t *testing.T) {
	w, _ := newCarrying(t, echo, 20*time.Millisecond)
	id := w.begin("hello")
	w.untilKind(vyre.EvThreadStopped, 1)
	a := w.asks(id)
	if th := w.thread(id); th.Reason != vyre.StopIdle || len(a) != 1 || a[0].Kind != vyre.AskTrust {
		t.Fatalf("thread %+v, asks %+v", th, a)
	}
	w.restart()
	for range 2 { // the same answer again is the first outcome
		if err := decide(t, w, a[0], vyre.Allow); err != nil {
			t.Fatal(err)
		}
	}
	if err := decide(t, w, a[0], vyre.Deny); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("another answer: %v", err)
	}
	w.send(id, "again", "")
	w.untilKind(vyre.EvThreadFinished, 2)
	if got := told(t, w, id); !slices.Equal(got, []vyre.FolderTrust{vyre.FolderWaiting, vyre.FolderUsed}) {
		t.Errorf("the starts said %v", got)
	}
}

// A process that has what was allowed is closed when that is taken back, or when the folder
// brings something else; nothing more is said to it.
func TestTrustEndsWithItsDigest(t *testing.T) {
	w, c := newCarrying(t, echo, 0)
	id := w.begin("hello")
	w.untilKind(vyre.EvThreadFinished, 1)
	if err := decide(t, w, w.asks(id)[0], vyre.Allow); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 1) // it rests, and makes room for one with the settings
	w.send(id, "again", "")
	w.untilKind(vyre.EvThreadFinished, 2)
	c.set("two")
	w.eng.LookAgain(id)
	w.untilKind(vyre.EvThreadStopped, 2)
	w.send(id, "again", "")
	w.untilKind(vyre.EvThreadFinished, 3)
	a := w.asks(id)
	if len(a) != 1 {
		t.Fatalf("asks %+v", a)
	}
	if err := decide(t, w, a[0], vyre.Allow); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 3)
	w.send(id, "again", "")
	w.untilKind(vyre.EvThreadFinished, 4)
	if _, err := w.eng.RevokeTrust(t.Context(), "/", "", "person:owner:test"); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 4)
	want := []vyre.FolderTrust{vyre.FolderWaiting, vyre.FolderUsed, vyre.FolderWaiting, vyre.FolderUsed}
	if got := told(t, w, id); !slices.Equal(got, want) {
		t.Errorf("the starts said %v", got)
	}
}

// A daemon that finds a session which was given what nobody allows any more closes it; an
// open question about what is not there any more is asked anew.
func TestTrustAfterARestart(t *testing.T) {
	w, c := newCarrying(t, echo, 0)
	used, asked := w.begin("hello"), vyre.ThreadID("")
	w.untilKind(vyre.EvThreadFinished, 1)
	if err := decide(t, w, w.asks(used)[0], vyre.Allow); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 1)
	w.send(used, "again", "")
	w.untilKind(vyre.EvThreadFinished, 2)
	c.set("two")
	asked = w.begin("hello")
	before := w.asks(asked)[0]
	w.untilKind(vyre.EvThreadFinished, 3)
	w.stop()
	c.set("three")
	w.start()
	w.until("the stop of the session that has the old settings", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadStopped && e.Thread == used && w.thread(used).Reason == vyre.StopIdle && w.thread(used).State == vyre.StateStopped
	})
	w.until("the question about the new ones", func(vyre.Event) bool {
		now := w.asks(asked)
		return len(now) == 1 && now[0].ID != before.ID && now[0].State == vyre.AskOpen
	})
}

// What changed between the look and the agent's own start is not used: the start fails.
func TestTrustChangedWhileStarting(t *testing.T) {
	w, c := newCarrying(t, echo, 0)
	id := w.begin("")
	if err := decide(t, w, w.asks(id)[0], vyre.Allow); err != nil {
		t.Fatal(err)
	}
	w.untilKind(vyre.EvThreadStopped, 1)
	w.stop()
	w.folders = &shifting{carrying: c}
	w.start()
	if err := w.eng.Resume(t.Context(), id); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("resume: %v", err)
	}
	if th := w.thread(id); th.State != vyre.StateFailed {
		t.Errorf("thread %+v", th)
	}
}

// shifting brings something else at each look.
type shifting struct {
	*carrying
	looks atomic.Int32
}

func (s *shifting) Brought(ctx context.Context, p agent.Provider, th vyre.Thread) (vyre.Brought, error) {
	b, err := s.carrying.Brought(ctx, p, th)
	if s.looks.Add(1) > 1 {
		b.Digest = "another"
	}
	return b, err
}
