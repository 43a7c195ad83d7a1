package fake

import (
	"context"
	"sync"
)

// Gate holds answers of the model until a test lets them go.
type Gate struct {
	mu      sync.Mutex
	open    chan struct{}
	arrived chan struct{}
}

func newGate() *Gate {
	return &Gate{open: make(chan struct{}), arrived: make(chan struct{})}
}

// Wait returns when at least one answer has come to the gate since the last Shut.
func (g *Gate) Wait(ctx context.Context) error {
	g.mu.Lock()
	ch := g.arrived
	g.mu.Unlock()
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Open lets go what is held, and whatever comes until Shut.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !closed(g.open) {
		close(g.open)
	}
}

// Shut makes the gate hold again, and Wait wait for the next arrival.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if closed(g.open) {
		g.open = make(chan struct{})
	}
	if closed(g.arrived) {
		g.arrived = make(chan struct{})
	}
}

func (g *Gate) pass(ctx context.Context) error {
	g.mu.Lock()
	if !closed(g.arrived) {
		close(g.arrived)
	}
	open := g.open
	g.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func closed(ch chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
