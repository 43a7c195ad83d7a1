package shim

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
	"vyre/internal/shim/shimtest"
)

// bench is one home with a launcher.
type bench struct {
	*Launcher
	t   testing.TB
	cfg Config
}

// short graces, so that a ladder that has to be climbed does not take long
func newBench(t testing.TB, change ...func(*Config)) *bench {
	t.Helper()
	home := t.TempDir()
	run, err := os.MkdirTemp("", "vs") // short: the name of a test is in t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	cfg := Config{
		Home: home, RuntimeDir: run, Program: shimtest.Program(t),
		EndGrace: 300 * time.Millisecond, TermGrace: 200 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}
	for _, f := range change {
		f(&cfg)
	}
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{Launcher: l, t: t, cfg: cfg}
}

// unconfined is for what only a session that is not shut in could try.
func unconfined(c *Config) { c.Confine.Off = true }

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Helper()
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

func (b *bench) session() vyre.Session {
	id := vyre.SessionID(vyre.NewID())
	return vyre.Session{
		ID: id, Thread: vyre.NewThreadID(), State: vyre.SessionStarting, Token: vyre.NewSecret(),
		Dir: filepath.Join(b.cfg.Home, "private", "sessions", string(id)),
	}
}

// prepare prepares a session that is stopped at the end of the test at the latest.
func (b *bench) prepare(cmd agent.Command) (vyre.Session, *process) {
	b.t.Helper()
	s, p, err := b.Prepare(ctx(b.t), b.session(), cmd)
	if err != nil {
		b.t.Fatalf("prepare: %v", err)
	}
	proc := p.(*process)
	b.t.Cleanup(func() {
		if proc.detached() {
			return
		}
		if err := proc.Stop(lasting(b.t)); err != nil {
			b.t.Errorf("stop at the end: %v", err)
		}
		proc.Detach()
	})
	return s, proc
}

func (b *bench) start(cmd agent.Command) (vyre.Session, *process) {
	b.t.Helper()
	s, p := b.prepare(cmd)
	pid, err := p.Go(ctx(b.t))
	if err != nil {
		b.t.Fatalf("go: %v", err)
	}
	s.AgentPID, s.State = pid, vyre.SessionLive
	return s, p
}

// adopt is another daemon's view of a session.
func (b *bench) adopt(s vyre.Session) *process {
	b.t.Helper()
	p, err := b.Adopt(ctx(b.t), s)
	if err != nil {
		b.t.Fatalf("adopt: %v", err)
	}
	b.t.Cleanup(func() {
		if !p.(*process).detached() {
			if err := p.Stop(lasting(b.t)); err != nil {
				b.t.Errorf("stop at the end: %v", err)
			}
			p.Detach()
		}
	})
	return p.(*process)
}

func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return c
}

func contextFor(t testing.TB, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// lasting is for cleanups, in which the test's own context has ended.
func lasting(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	_ = cancel // bounded by its time
	return c
}

var environ = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}

// script runs a shell script as the agent.
func script(t testing.TB, text string) agent.Command {
	return agent.Command{Path: "/bin/sh", Args: []string{"-c", text}, Env: environ, Dir: t.TempDir()}
}

// collect reads whole lines until the end.
func collect(t testing.TB, p engine.Process) []engine.Line {
	t.Helper()
	var all []engine.Line
	for {
		lines, err := p.Read(ctx(t), 64<<10)
		all = append(all, lines...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
	}
}

// expect reads lines until one is want.
func expect(t testing.TB, p engine.Process, want string) engine.Line {
	t.Helper()
	for {
		l := one(t, p)
		if string(l.Bytes) == want {
			return l
		}
	}
}

// pending holds lines that one read brought and the test has not looked at.
var pending sync.Map

func one(t testing.TB, p engine.Process) engine.Line {
	t.Helper()
	if v, ok := pending.LoadAndDelete(p); ok {
		lines := v.([]engine.Line)
		if len(lines) > 1 {
			pending.Store(p, lines[1:])
		}
		return lines[0]
	}
	lines, err := p.Read(ctx(t), 64<<10)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if len(lines) > 1 {
		pending.Store(p, lines[1:])
	}
	return lines[0]
}

func texts(lines []engine.Line) []string {
	s := make([]string, len(lines))
	for i, l := range lines {
		s[i] = string(l.Bytes)
	}
	return s
}

// until waits for something that no event tells of.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(15 * time.Second)
	for !f() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited too long until %s", what)
		}
	}
}

func closed(t testing.TB, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(15 * time.Second):
		t.Fatalf("waited too long until %s", what)
	}
}

func send(t testing.TB, p engine.Process, n uint64, text string) {
	t.Helper()
	if err := p.Send(ctx(t), n, []byte(text)); err != nil {
		t.Fatalf("send %d: %v", n, err)
	}
}

// dialRaw connects to a shim and says nothing.
func (b *bench) dialRaw(s vyre.Session) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx(b.t), "unix", s.Socket)
}
