package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"vyre"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps what is committed.
type memory struct {
	mu  sync.Mutex
	all []vyre.AuditEntry
	ev  []vyre.Event
}

func (m *memory) Commit(_ context.Context, c *vyre.Commit) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all, m.ev = append(m.all, c.Audit...), append(m.ev, c.Events...)
	return nil
}

func (m *memory) counts() (rows int, calls int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.all {
		calls += max(e.Count, 1)
	}
	return len(m.all), calls
}

func (m *memory) events() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.ev)
}

func refusal(caller string) vyre.AuditEntry {
	return vyre.AuditEntry{Tool: "threads.answer", Caller: caller, About: "ask x", Result: "person_only", Count: 1}
}

func TestRefusalsAreCounted(t *testing.T) {
	// The first refusal of a kind is written at once with an event; a loop of them costs
	// one more row a minute, and the last ones are written when the daemon ends.
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		a := New(m, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = a.Run(ctx) }()
		for range 1000 {
			a.Refused(ctx, refusal("thread:t"))
		}
		if rows, _ := m.counts(); rows != 1 || m.events() != 1 {
			t.Errorf("at once: %d rows, %d events", rows, m.events())
		}
		<-time.NewTimer(2 * time.Minute).C
		synctest.Wait()
		if rows, calls := m.counts(); rows != 2 || calls != 1000 {
			t.Errorf("a minute later: %d rows of %d calls", rows, calls)
		}
		for range 5 {
			a.Refused(ctx, refusal("thread:t"))
		}
		stop()
		<-done
		if rows, calls := m.counts(); rows != 4 || calls != 1005 {
			t.Errorf("at the end: %d rows of %d calls", rows, calls)
		}
	})
}

func TestManyKindsAreBounded(t *testing.T) {
	// Callers without number do not cost memory without number.
	m := &memory{}
	a := New(m, slog.New(slog.DiscardHandler))
	for i := range 10 * maxKinds {
		a.Refused(t.Context(), refusal(fmt.Sprintf("agent:%d", i)))
	}
	a.flush(t.Context(), 0)
	if rows, calls := m.counts(); rows != maxKinds+2 || calls != 10*maxKinds {
		t.Errorf("%d rows of %d calls", rows, calls)
	}
	if len(a.kinds) != 0 {
		t.Errorf("%d kinds stay", len(a.kinds))
	}
}
