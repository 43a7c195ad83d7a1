package engine_test

import (
	"strings"
	"sync"
	"testing"

	"vyre"
	"vyre/internal/engine"
)

// watching is a sweeper that the test speaks for.
type watching struct {
	mu    sync.Mutex
	tell  func([]engine.FileChange)
	moved []string
	ended int
}

func (w *watching) Watch(_ string, tell func([]engine.FileChange)) (func(), error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell = tell
	return func() { w.mu.Lock(); w.ended++; w.mu.Unlock() }, nil
}

func (w *watching) Quarantine(_ vyre.ThreadID, paths []string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved = append(w.moved, paths...)
	return "/quarantine", nil
}

func (w *watching) changed(c ...engine.FileChange) {
	w.mu.Lock()
	tell := w.tell
	w.mu.Unlock()
	tell(c)
}

// A protected file that changes while no turn runs is told and stops nothing; while one
// runs it is a breach: the session ends first, then what is new is moved away, and what
// was there is not touched. Only a person brings the thread back.
func TestProtectedFilesChange(t *testing.T) {
	s := &watching{}
	w := newWorld(t, slow)
	w.stop()
	w.sweeper = s
	w.start()
	id := w.begin("")
	s.changed(engine.FileChange{Path: "/.mcp.json", Before: "aa", After: "bb"})
	w.until("a word on it", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadItem && strings.Contains(string(e.Data), "while no turn ran")
	})
	if th := w.thread(id); th.State != vyre.StateIdle {
		t.Fatalf("thread %+v", th)
	}
	w.send(id, "go", "")
	w.untilKind(vyre.EvThreadTurn, 1)
	s.changed(engine.FileChange{Path: "/.mcp.json", Before: "bb", After: "cc"}, engine.FileChange{Path: "/.claude/settings.json", After: "dd"})
	w.until("the stop", func(e vyre.Event) bool {
		return e.Kind == vyre.EvThreadItem && strings.Contains(string(e.Data), "the session was stopped")
	})
	if th := w.thread(id); th.State != vyre.StateStopped || th.Reason != vyre.StopBreach {
		t.Errorf("thread %+v", th)
	}
	s.mu.Lock()
	if len(s.moved) != 1 || s.moved[0] != "/.claude/settings.json" || s.ended != 1 {
		t.Errorf("moved %v, watches ended %d", s.moved, s.ended)
	}
	s.mu.Unlock()
	if k := w.kinds(id); !strings.Contains(k, "thread.breach") {
		t.Errorf("log %s", k)
	}
}
