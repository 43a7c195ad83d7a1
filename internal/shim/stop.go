package shim

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"vyre"
	"vyre/internal/fail"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

const (
	requestTime = time.Second // for one rung of the ladder to be said
	settleTime  = time.Second // for a shim with nobody left to end itself
)

// Stop ends the tree and proves it empty; see engine.Process. Of a session that
// never ran the folder goes too. Errors: timeout
// when something can't be ended yet (a process that the kernel does not let
// die): repeat it.
func (p *process) Stop(ctx context.Context) error {
	select {
	case p.stopping <- struct{}{}:
		defer func() { <-p.stopping }()
	case <-ctx.Done():
		return contextError(ctx)
	}
	p.ladder(ctx)
	fail.Point("shim.stop.sweep")
	if err := p.sweep(ctx); err != nil {
		return err
	}
	fail.Point("shim.stop.proven")
	if err := os.Remove(p.socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault("the session's socket can't be removed", err)
	}
	if neverRan(p.s.Dir) {
		clearFolder(p.s.Dir)
	}
	return nil
}

// socket is where the shim listens, or would have: a start that was cut short
// left nothing in the record.
func (p *process) socket() string { return p.l.socketPath(p.s.ID) }

// ladder asks the shim to end the agent: by the end of its input, by TERM, by
// KILL. It returns when the shim is gone or can't be asked.
func (p *process) ladder(ctx context.Context) {
	if !p.ask(ctx, func(ctx context.Context) error {
		_, err := p.request(ctx, proto.TypeEnd, nil)
		return err
	}) {
		return
	}
	fail.Point("shim.stop.end")
	if !wait(ctx, p.l.cfg.EndGrace, p.done, p.gone) && ctx.Err() != nil {
		return
	}
	if p.alone() && wait(ctx, settleTime, p.gone) {
		return
	}
	rungs := []struct {
		sig  syscall.Signal
		time time.Duration
		name string
	}{
		{syscall.SIGTERM, p.l.cfg.TermGrace, "shim.stop.term"},
		{syscall.SIGKILL, settleTime, "shim.stop.kill"},
	}
	for _, r := range rungs {
		if !p.ask(ctx, func(ctx context.Context) error { return p.signal(ctx, proto.ScopeTree, r.sig) }) {
			return
		}
		fail.Point(r.name)
		if wait(ctx, r.time, p.gone) || ctx.Err() != nil {
			return
		}
	}
}

// alone reports whether the agent exited and left nobody.
func (p *process) alone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status.Phase == proto.PhaseExited && !p.status.Has(proto.FlagLeft)
}

// ask says something to the shim. One that was stopped is woken and asked once
// more. False when it is gone or does not answer.
func (p *process) ask(ctx context.Context, say func(context.Context) error) bool {
	for range 2 {
		if p.isGone() || ctx.Err() != nil {
			return false
		}
		rctx, cancel := context.WithTimeout(ctx, requestTime)
		err := say(rctx)
		cancel()
		if err == nil {
			return true
		}
		_ = procs.Signal(p.s.PID, p.s.StartTime, syscall.SIGCONT)
	}
	return false
}

// wait returns true when one of the channels is closed within d.
func wait(ctx context.Context, d time.Duration, chs ...<-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	a := chs[0]
	b := a
	if len(chs) > 1 {
		b = chs[1]
	}
	select {
	case <-a:
		return true
	case <-b:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}

func stillThere() *vyre.Error {
	return vyre.Errorf(vyre.CodeTimeout, "a process of the session can't be ended yet").
		WithHint("It is inside the kernel (a dead network disk, say); stop the thread again later.")
}
