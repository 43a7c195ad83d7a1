package gate

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vyre"
	"vyre/internal/fail"
)

// Bounds.
const (
	MaxPayload  = 256 << 10 // bytes of one act
	MaxWaiting  = 50        // acts of one caller that are not over
	PerHour     = 120       // acts that one caller may ask for in an hour
	DefaultTime = 24 * time.Hour
	MaxTime     = 7 * 24 * time.Hour
	MaxAttempts = 6              // of an act with a key
	KeyLife     = 24 * time.Hour // how long the other side is trusted to know a key
	Parallel    = 4
	SendBound   = 60 * time.Second // of one attempt
	GraceAtEnd  = 5 * time.Second  // for attempts that run when the daemon ends
)

// Config is what a gate is made of.
type Config struct {
	Store   Store
	Senders map[vyre.GateKind]Sender
	Secrets func() Secrets
	Log     *slog.Logger
	Now     func() time.Time
	Machine func() (boot string, ms int64)
	Undo    time.Duration // between a yes and the first attempt
	Backoff time.Duration // before the second attempt; doubled for each further one
}

// Gate is the acts of a home.
type Gate struct {
	Config
	wake chan struct{}

	mu    sync.Mutex // guards asked; nothing is called while it is held
	asked map[string][]time.Time
}

// New makes a gate. Nothing goes out before Run.
func New(c Config) *Gate {
	return &Gate{Config: c, wake: make(chan struct{}, 1), asked: map[string][]time.Time{}}
}

// nudge has Run look again.
func (g *Gate) nudge() {
	select {
	case g.wake <- struct{}{}:
	default: // it will anyway
	}
}

// over reports whether an act's time is, and says why.
func (g *Gate) over(a vyre.GateAct) (why string, yes bool) {
	boot, ms := g.Machine()
	switch {
	case boot == "" || boot != a.Boot:
		return "the machine started anew since it was asked for", true
	case ms >= a.Deadline:
		return "its time was over", true
	}
	return "", false
}

// move commits one move of an act with its event.
func (g *Gate) move(ctx context.Context, was vyre.GateAct, m vyre.GateMove, change func(*vyre.GateAct), data vyre.EventData) (vyre.GateAct, error) {
	to, err := vyre.GateStep(was.State, m)
	if err != nil {
		return was, err
	}
	now := was
	now.State = to
	change(&now)
	if to.Over() {
		now.Ended = vyre.At(g.Now())
	}
	c := vyre.Commit{
		Durable: true,
		Gate:    []vyre.GateWrite{{Act: now, From: was.State, Attempts: was.Attempts}},
		Events:  []vyre.Event{vyre.NewEvent(was.Thread, "", data)},
	}
	if err := g.Store.Commit(ctx, &c); err != nil {
		return was, err
	}
	fail.Point("gate." + string(m) + ".after")
	return now, nil
}

func (g *Gate) expire(ctx context.Context, a vyre.GateAct, why string) (vyre.GateAct, error) {
	return g.move(ctx, a, vyre.GateExpire, func(a *vyre.GateAct) { a.Outcome = why }, vyre.GateTimedOut{Act: a.ID, Why: why})
}
