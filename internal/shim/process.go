package shim

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/confine"
	"vyre/internal/fail"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

// process is one session's parent, seen from here. It implements
// engine.Process.
type process struct {
	l *Launcher
	s vyre.Session

	rmu    sync.Mutex // one Read at a time; guards reader
	reader reader
	wake   chan struct{} // holds one: something changed for Read

	connecting chan struct{} // holds one: the right to connect
	stopping   chan struct{} // holds one: the right to stop

	mu      sync.Mutex // guards the following
	c       *conn      // nil while there is no connection
	status  proto.Status
	exit    agent.Exited
	exited  bool
	over    bool // the shim is gone
	empty   bool // the shim said that nobody is left
	ledger  ledger
	running proto.Running // what Go was answered

	done chan struct{} // the agent is gone
	gone chan struct{} // the shim is gone
	left chan struct{} // Detach was called
	w    *watch
	wg   sync.WaitGroup
}

func blankProcess(l *Launcher, s vyre.Session) *process {
	return &process{
		l: l, s: s, reader: newReader(filepath.Join(s.Dir, proto.SpoolDir)),
		wake: make(chan struct{}, 1), connecting: make(chan struct{}, 1), stopping: make(chan struct{}, 1),
		done: make(chan struct{}), gone: make(chan struct{}), left: make(chan struct{}),
	}
}

// newProcess takes over a shim that runs: its connection (or nil) and its pidfd
// (or -1). It starts the goroutines, which end with the shim or at Detach.
func newProcess(l *Launcher, s vyre.Session, c *conn, status proto.Status, pidfd int) *process {
	p := blankProcess(l, s)
	w, err := newWatch(s.PID, s.StartTime, pidfd)
	if err != nil { // it died meanwhile
		if c != nil {
			c.close()
		}
		p.shimGone()
		return p
	}
	p.w = w
	if c != nil {
		p.note(status)
		p.serve(c)
	}
	p.wg.Go(func() {
		if w.wait() {
			p.buried()
		}
	})
	return p
}

// serve makes c the connection and reads it, unless Detach was called.
func (p *process) serve(c *conn) {
	p.mu.Lock()
	if p.detached() {
		p.mu.Unlock()
		c.close()
		return
	}
	p.c = c
	p.ledger.forgotten()
	p.wg.Go(func() { p.listen(c) }) // under the lock, so that Detach waits for it
	p.tellDue()
	p.mu.Unlock()
}

func (p *process) listen(c *conn) {
	c.read(p.note)
	p.mu.Lock()
	if p.c == c {
		p.c = nil
	}
	if c.reason() == proto.ReasonEmpty || c.reason() == proto.ReasonUnused {
		p.empty = true
	}
	p.mu.Unlock()
	p.poke()
}

// detached reports whether Detach was called.
func (p *process) detached() bool {
	select {
	case <-p.left:
		return true
	default:
		return false
	}
}

// note takes a status from the shim.
func (p *process) note(s proto.Status) {
	p.mu.Lock()
	full := s.Flags & proto.FlagDisk
	changed := full != p.status.Flags&proto.FlagDisk
	p.status = s
	p.tellDue()
	p.mu.Unlock()
	if changed && p.l.cfg.OnFull != nil {
		p.l.cfg.OnFull(p.s.Thread, full != 0)
	}
	if s.Phase == proto.PhaseExited {
		p.agentGone(exitOf(int(s.Code), int(s.Signal)))
	}
	p.poke()
}

func (p *process) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// agentGone settles the exit; the first one counts.
func (p *process) agentGone(e agent.Exited) {
	e.Stderr = lastWords(p.s.Dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.exited {
		p.exited, p.exit = true, e
		close(p.done)
	}
}

// buried runs when the shim is dead: what it still said is read first.
func (p *process) buried() {
	p.mu.Lock()
	c := p.c
	p.mu.Unlock()
	if c != nil {
		<-c.ended // the kernel closed its end
	}
	p.shimGone()
}

// shimGone settles what can be known without the shim.
func (p *process) shimGone() {
	e, known := readExit(p.s.Dir)
	switch {
	case known:
		p.agentGone(exitOf(e.Code, e.Signal))
	case p.s.BootID != "" && p.s.BootID != p.l.bootID:
		p.agentGone(agent.Exited{Code: -1, Signal: exitRestart})
	default:
		p.agentGone(agent.Exited{Code: -1, Signal: exitUnknown})
	}
	p.mu.Lock()
	p.over = true
	p.empty = p.empty || (known && e.Empty)
	released := p.ledger.released
	p.mu.Unlock()
	removeSegments(p.s.Dir, released) // it may not have heard the last of it
	close(p.gone)
	p.poke()
}

func (p *process) isGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// Go lets the agent run; see engine.Process. Errors: unavailable with the
// system's words when the agent can't be executed: then the session is ended
// and nothing is left of it but its folder.
func (p *process) Go(ctx context.Context) (int, error) {
	fail.Point("shim.go")
	body, err := p.request(ctx, proto.TypeGo, nil)
	if r, ok := errors.AsType[*refusal](err); ok && r.code == proto.CodeExec {
		if serr := p.Stop(context.WithoutCancel(ctx)); serr != nil {
			p.l.cfg.Log.Error("a session whose agent could not be executed is not ended", "error", serr)
		}
		return 0, notExecuted(r.text)
	}
	if err != nil {
		return 0, plain(err)
	}
	fail.Point("shim.go.done")
	run, err := proto.ParseRunning(body)
	if err != nil {
		return 0, plain(err)
	}
	p.mu.Lock()
	p.running = run
	p.mu.Unlock()
	return int(run.PID), nil
}

func notExecuted(text string) *vyre.Error {
	if confine.IsRefusal(text) {
		return vyre.Errorf(vyre.CodeUnavailable, "the agent was not run: %s", text).
			WithHint("`vyre doctor` says what this machine can shut in.")
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the agent can't be executed: %s", text).
		WithHint("Check that its program is one for this machine; `vyre doctor` tries it.")
}

// Confined says how the agent that Go let run is shut in; see engine.Process.
func (p *process) Confined() (held, open []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running.Held, p.running.Open
}

// Send delivers a frame; see engine.Process. Errors that stay whatever is tried:
// too_large, conflict (the agent takes no more input, or n is not the next
// number). Errors after which the same frame may be sent again, on this
// connection or the next, and is still written once: unavailable (the shim can't
// be reached, has no room, or is gone: then Done is closed) and timeout.
func (p *process) Send(ctx context.Context, n uint64, frame []byte) error {
	if len(frame) > proto.MaxFrame {
		return vyre.Errorf(vyre.CodeTooLarge, "a message to the agent is larger than %d bytes", proto.MaxFrame)
	}
	c, err := p.connection(ctx)
	if err != nil {
		return err
	}
	fail.Point("shim.send")
	err = c.askFrame(ctx, n, frame)
	if r, ok := errors.AsType[*refusal](err); ok && r.code == proto.CodeGone {
		return vyre.Errorf(vyre.CodeConflict, "the agent takes no more input").WithHint("Look at the thread's state.")
	}
	return plain(err)
}

// Accepted is the number of the last frame wholly written; see engine.Process.
// Errors: unavailable when the shim died without saying.
func (p *process) Accepted(ctx context.Context) (uint64, error) {
	if e, ok := readExit(p.s.Dir); ok { // no frame can follow
		return e.Last, nil
	}
	body, err := p.request(ctx, proto.TypeStatus, nil)
	if err != nil {
		if e, ok := readExit(p.s.Dir); ok { // it exited meanwhile
			return e.Last, nil
		}
		return 0, plain(err)
	}
	s, err := proto.ParseStatus(body)
	return s.Last, plain(err)
}

// Signal signals the agent alone; see engine.Process. Names are as in kill(1),
// with or without SIG. Errors: invalid for another name, unavailable when the
// agent does not run.
func (p *process) Signal(ctx context.Context, sig string) error {
	number, ok := signalNumber(sig)
	if !ok {
		return vyre.Invalid("signal", "there is no signal %q", sig)
	}
	return plain(p.signal(ctx, proto.ScopeAgent, number))
}

func (p *process) signal(ctx context.Context, scope proto.Scope, sig syscall.Signal) error {
	_, err := p.request(ctx, proto.TypeSignal, proto.Signal{Scope: scope, Number: uint32(sig)}.Append(nil))
	return err
}

// Done is closed when the agent is gone; see engine.Process.
func (p *process) Done() <-chan struct{} { return p.done }

// Exit says how, after Done; see engine.Process. Signal is "restart" when the
// machine was restarted, and "unknown" when the parent was killed.
func (p *process) Exit() agent.Exited {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Detach lets go; see engine.Process. It returns when the goroutines did. The
// Process must not be used afterwards.
func (p *process) Detach() {
	p.mu.Lock()
	first := !p.detached()
	if first {
		close(p.left)
	}
	c, alive := p.c, !p.over
	p.mu.Unlock()
	if first && c != nil {
		c.close()
	}
	if first && p.w != nil {
		if alive {
			p.l.lose(p.w)
		}
		p.w.close()
	}
	p.wg.Wait()
}

func (p *process) request(ctx context.Context, t proto.Type, body []byte) ([]byte, error) {
	c, err := p.connection(ctx)
	if err != nil {
		return nil, err
	}
	return c.ask(ctx, t, body)
}

// connection returns the connection, and makes one if it was lost.
func (p *process) connection(ctx context.Context) (*conn, error) {
	select {
	case p.connecting <- struct{}{}:
		defer func() { <-p.connecting }()
	case <-ctx.Done():
		return nil, contextError(ctx)
	}
	p.mu.Lock()
	c, gone := p.c, p.over || p.detached()
	p.mu.Unlock()
	if c != nil && !c.over() {
		return c, nil
	}
	if gone || p.w == nil {
		return nil, over()
	}
	c, status, err := p.l.hello(ctx, p.s)
	if err != nil {
		return nil, plain(err)
	}
	p.note(status)
	p.serve(c)
	return c, nil
}

// helloTime bounds the answer to a hello.
const helloTime = 3 * time.Second

// hello connects to a recorded shim and makes sure that it is that one.
func (l *Launcher) hello(ctx context.Context, s vyre.Session) (*conn, proto.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTime)
	defer cancel()
	var d net.Dialer
	raw, err := d.DialContext(ctx, "unix", s.Socket)
	if err != nil {
		return nil, proto.Status{}, lost(err)
	}
	u, ok := raw.(*net.UnixConn)
	if !ok {
		_ = raw.Close()
		return nil, proto.Status{}, lost(os.ErrInvalid)
	}
	fail.Point("shim.adopt.connected")
	c := newConn(u)
	h := proto.Hello{Min: proto.MinVersion, Max: proto.Version, Token: []byte(s.Token)}
	ident, status, err := c.welcome(ctx, proto.TypeHello, h.Append(nil))
	if err == nil && (int(ident.PID) != s.PID || ident.StartTime != s.StartTime || ident.BootID != s.BootID) {
		err = lost(procs.ErrGone)
	}
	if err == nil {
		err = l.met(s.ID, ident)
	}
	if err != nil {
		c.close()
		return nil, status, err
	}
	fail.Point("shim.adopt.welcomed")
	return c, status, nil
}

func over() *vyre.Error {
	return vyre.Errorf(vyre.CodeUnavailable, "the session is over").
		WithHint("A new message starts the next session of the thread.")
}

// plain makes what the shim said an error for callers.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*vyre.Error](err); ok {
		return err
	}
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return fault("the session's parent answered what nobody understands", err)
	}
	switch r.code {
	case proto.CodeGone:
		return vyre.Errorf(vyre.CodeUnavailable, "the agent does not run").WithHint("Look at the thread's state.")
	case proto.CodeBusy:
		e := vyre.Errorf(vyre.CodeUnavailable, "the session's parent has no room at this moment").WithHint("Try again.")
		e.Err = r
		return e
	case proto.CodeOrder:
		e := vyre.Errorf(vyre.CodeConflict, "the session's parent expects another message")
		e.Err = r
		return e
	case proto.CodeVersion:
		return foreign(r)
	}
	return fault("the session's parent refused a request", r)
}
