package shim

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

func freeze(t *testing.T, s vyre.Session, p *process) (wake func()) {
	t.Helper()
	if err := procs.Signal(s.PID, s.StartTime, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "it is stopped", func() bool {
		short, cancel := contextFor(t, 20*time.Millisecond)
		defer cancel()
		_, err := p.Accepted(short)
		return err != nil
	})
	return func() {
		if err := procs.Signal(s.PID, s.StartTime, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}

// prompt runs f with a context that ends soon and fails when it outstays it.
func prompt(t *testing.T, what string, want vyre.Code, f func(context.Context) error) {
	t.Helper()
	short, cancel := contextFor(t, 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	err := f(short)
	if vyre.CodeOf(err) != want || (want == "" && err != nil) {
		t.Errorf("%s: %v", what, err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("%s took %v", what, took)
	}
}

func TestFrozenShimHoldsNobody(t *testing.T) {
	// With the shim stopped every request ends with its context, one with a frame
	// half sent and those behind it too; Committed and Release do not wait, and once
	// it goes on the same frame is written once.
	b := newBench(t)
	s, p := b.start(helper(t, "count"))
	send(t, p, 1, "a\n")
	end := expect(t, p, "2").End
	wake := freeze(t, s, p)
	big := append(bytes.Repeat([]byte{'x'}, 4<<20), '\n')
	blocked := make(chan error, 1)
	bctx, cancel := context.WithCancel(ctx(t))
	defer cancel()
	go func() { blocked <- p.Send(bctx, 2, big) }()
	until(t, "the frame is being sent", func() bool { return writes(p) })
	prompt(t, "Accepted", vyre.CodeTimeout, func(c context.Context) error { _, err := p.Accepted(c); return err })
	prompt(t, "Send", vyre.CodeTimeout, func(c context.Context) error { return p.Send(c, 2, big) })
	prompt(t, "Signal", vyre.CodeTimeout, func(c context.Context) error { return p.Signal(c, "WINCH") })
	prompt(t, "Committed and Release", "", func(context.Context) error { p.Committed(end); p.Release(end); return nil })
	prompt(t, "Tree", "", func(c context.Context) error {
		m, err := p.Tree(c)
		if err == nil && len(m) != 2 {
			return fmt.Errorf("%v", m)
		}
		return err
	})
	cancel()
	if err := <-blocked; vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("the one that was cut: %v", err)
	}
	prompt(t, "Send on a connection that nobody takes", vyre.CodeTimeout, func(c context.Context) error { return p.Send(c, 2, big) })
	wake()
	retry(t, p, 2, big)
	expect(t, p, fmt.Sprint(len(big)))
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if rest := collect(t, p); len(rest) != 0 {
		t.Errorf("written twice: %q", texts(rest))
	}
}

// writes reports whether somebody has the right to write and uses it.
func writes(p *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.c != nil && len(p.c.writing) == 1
}

// retry sends as the engine does: the same frame, until it is taken.
func retry(t *testing.T, p *process, n uint64, frame []byte) {
	t.Helper()
	until(t, "the frame is taken", func() bool {
		err := p.Send(ctx(t), n, frame)
		if err != nil && !vyre.CodeOf(err).Info().Retryable {
			t.Fatalf("send %d: %v", n, err)
		}
		return err == nil
	})
}

func TestSendAgainOnANewConnection(t *testing.T) {
	// Wherever the connection breaks — before, within or after a frame —, the same
	// number on the next one is acknowledged and written once.
	b := newBench(t)
	_, p := b.start(helper(t, "count"))
	var want []string
	for n := uint64(1); n <= 12; n++ {
		frame := append(bytes.Repeat([]byte{'x'}, int(n)<<17), '\n')
		want = append(want, fmt.Sprint(len(frame)))
		c, err := p.connection(ctx(t))
		if err != nil {
			t.Fatal(err)
		}
		switch n % 3 {
		case 0:
			c.close()
		case 1: // half of it goes
			half := append(proto.AppendFrameHeader(nil, 99, n, len(frame)), frame[:len(frame)/2]...)
			if _, err := c.c.Write(half); err != nil {
				t.Fatal(err)
			}
			c.close()
		case 2: // all of it goes, and nobody hears the answer
			if _, err := c.c.Write(append(proto.AppendFrameHeader(nil, 99, n, len(frame)), frame...)); err != nil {
				t.Fatal(err)
			}
			c.close()
		}
		retry(t, p, n, frame)
	}
	if n, err := p.Accepted(ctx(t)); err != nil || n != 12 {
		t.Errorf("accepted %d, %v", n, err)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if got := texts(collect(t, p)); !slices.Equal(got, want) {
		t.Errorf("the agent read %q, want %q", got, want)
	}
}

func TestClosedInputIsFinal(t *testing.T) {
	// An agent that closed its input while it runs will take no frame any more: that
	// is told apart from what may be tried again.
	b := newBench(t)
	_, p := b.start(script(t, `exec <&-; echo closed; while [ ! -e go ]; do sleep 0.05; done`))
	expect(t, p, "closed")
	err := p.Send(ctx(t), 1, []byte("x\n"))
	if vyre.CodeOf(err) != vyre.CodeConflict || vyre.CodeOf(err).Info().Retryable {
		t.Errorf("the first: %v", err)
	}
	if err := p.Send(ctx(t), 1, []byte("x\n")); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("again: %v", err)
	}
	select {
	case <-p.Done():
		t.Error("the agent is gone")
	default:
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if err := p.Send(ctx(t), 1, []byte("x\n")); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}

func TestNoSeatIsPassing(t *testing.T) {
	// A newcomer that finds every place taken may try again.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	for range 4 {
		c, err := b.dialRaw(s)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	p.mu.Lock()
	c := p.c
	p.mu.Unlock()
	c.close()
	closed(t, "the connection has ended", c.ended)
	if err := p.Send(ctx(t), 1, []byte("x\n")); err != nil && !vyre.CodeOf(err).Info().Retryable {
		t.Errorf("send: %v", err)
	}
	retry(t, p, 1, []byte("x\n"))
	expect(t, p, "x")
}
