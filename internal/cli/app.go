package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vyre/internal/cli/term"
	"vyre/internal/client"
	"vyre/internal/config"
	"vyre/internal/registry"
)

// Options is what main hands in. Nothing in this package reads the process's
// own arguments, environment or streams.
type Options struct {
	Args    []string // without the program's name
	In      *os.File
	Out     *os.File
	Err     *os.File
	Getenv  func(string) string
	Environ []string         // of a daemon that is started in the background
	Signals <-chan os.Signal // interrupts and terminations; nil is fine
	Version string

	// Daemon runs a daemon in the foreground until ctx ends.
	Daemon func(ctx context.Context) error
	// Tools gives the declarations of the tools, without a running daemon.
	Tools func() *registry.Registry
	// Speaks says what this build understands: the oldest and newest version of the
	// protocol of sessions' parents, and the store's newest migration.
	Speaks func() (oldest, newest, store int)
	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// ErrAgain is what Options.Daemon returns when the daemon ended to be started again.
var ErrAgain = errors.New("to be started again")

// app is one run of the command line.
type app struct {
	Options
	in   *term.Input
	json bool

	ran        bool           // a command began: errors are its own, not of the usage
	interrupts chan os.Signal // while taken, interrupts go here instead of ending the command
	taken      *atomic.Bool
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return "ended by a signal: " + s.String() }

// Main runs one command and returns the exit code. It returns after everything
// that it started in this process has ended.
func Main(ctx context.Context, o Options) int {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &app{Options: o, in: term.NewInput(o.In), interrupts: make(chan os.Signal, 4), taken: new(atomic.Bool)}
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { a.watch(ctx, cancel) })
	root := a.root()
	root.SetArgs(o.Args)
	err := root.ExecuteContext(ctx)
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok && err != nil {
		err = exit(128 + int(s.Signal))
	}
	cancel(nil)
	wg.Wait()
	if !a.ran && slices.Contains(o.Args, "--json") {
		a.json = true // a flag that is not known stops the parser before it gets there
	}
	return a.fail(err)
}

// watch turns signals into the end of ctx, or hands interrupts to the command
// that asked for them.
func (a *app) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-a.Signals:
			if s == os.Interrupt && a.taken.Load() {
				select {
				case a.interrupts <- s:
				default: // it has more to look at than it needs
				}
				continue
			}
			sig, ok := s.(syscall.Signal)
			if !ok {
				sig = syscall.SIGTERM
			}
			cancel(signalled{sig})
			return
		}
	}
}

// takeInterrupts lets the command have the interrupts until give is called.
func (a *app) takeInterrupts() (interrupts <-chan os.Signal, give func()) {
	a.taken.Store(true)
	return a.interrupts, func() { a.taken.Store(false) }
}

// withEnv is the same terminal with another environment; an empty value unsets.
func (a *app) withEnv(set map[string]string) *app {
	b := *a
	b.Getenv = func(name string) string {
		if v, ok := set[name]; ok {
			return v
		}
		return a.Getenv(name)
	}
	b.Environ = nil
	for _, kv := range a.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := set[name]; !ok {
			b.Environ = append(b.Environ, kv)
		}
	}
	for name, v := range set {
		if v != "" {
			b.Environ = append(b.Environ, name+"="+v)
		}
	}
	return &b
}

// home is the folder of this installation.
func (a *app) home() (string, error) { return config.Home(a.Getenv) }

// client returns a client of the daemon, running or not. Inside a session it is
// the session's own socket.
func (a *app) client() (*client.Client, error) {
	if s := a.Getenv("VYRE_SOCKET"); s != "" {
		return a.touching(client.Socket(s).Of(a.Version)), nil
	}
	home, err := a.home()
	if err != nil {
		return nil, err
	}
	return a.touching(client.Socket(config.FindSocket(home)).Of(a.Version)), nil
}

// dataStyle and noteStyle are how the two streams look.
func (a *app) dataStyle() term.Style { return term.StyleOf(a.Out, a.Getenv) }
func (a *app) noteStyle() term.Style { return term.StyleOf(a.Err, a.Getenv) }

// screen prints to both streams.
func (a *app) screen() *term.Out {
	return term.NewOut(a.Out, a.dataStyle(), a.Err, a.noteStyle())
}

// Signals are those that main listens for. A hang-up that the parent chose to
// ignore (nohup) stays ignored.
func Signals() []os.Signal {
	out := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		out = append(out, syscall.SIGHUP)
	}
	return out
}
