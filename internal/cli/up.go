package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/client"
	"vyre/internal/config"
)

// Bounds of a start and a stop, as seen from outside.
const (
	startBound = 20 * time.Second
	stopBound  = 20 * time.Second
	lookEvery  = 25 * time.Millisecond
)

func (a *app) cmdUp() *cobra.Command {
	return a.command("up", "Start the daemon in the background, if it does not run", 0, 0, func(ctx context.Context, _ []string) error {
		started, err := a.ensure(ctx, false)
		if err != nil {
			return err
		}
		c, err := a.client()
		if err != nil {
			return err
		}
		defer c.Close()
		if a.json {
			raw, err := c.Raw(ctx, "daemon.status", nil)
			if err != nil {
				return err
			}
			return a.printJSON(raw)
		}
		return a.welcome(ctx, c, started)
	})
}

// welcome says which agents were found and how to open the page.
func (a *app) welcome(ctx context.Context, c *client.Client, started bool) error {
	var st statusOutput
	if err := c.Call(ctx, "daemon.status", nil, &st); err != nil {
		return err
	}
	what := "runs already"
	if started {
		what = "runs"
	}
	fmt.Fprintf(a.Out, "The daemon %s (pid %d).\n", what, st.PID)
	var ps providersOutput
	if err := c.Call(ctx, "providers.list", nil, &ps); err != nil {
		return err
	}
	_, err := io.WriteString(a.Out, a.showProviders(ps)+"Page: "+term.Line(st.URL, 0)+"  (`vyre open` signs you in)\n"+
		"Terminal: vyre run \"…\"\n")
	return err
}

// ensure starts a daemon in the background unless one answers. With tell it
// says so on standard error.
func (a *app) ensure(ctx context.Context, tell bool) (started bool, err error) {
	if a.Getenv("VYRE_SOCKET") != "" {
		return false, nil // inside a session there is a daemon, and it is not ours to start
	}
	home, err := a.home()
	if err != nil {
		return false, err
	}
	if up, err := answers(ctx, home); up || err != nil {
		return false, err
	}
	if a.Getenv("VYRE_THREAD") != "" { // it would live in that session, and end with it
		return false, vyre.Errorf(vyre.CodeUnavailable, "a daemon is not started from inside a session").
			WithHint("Start it in a terminal of yours: vyre up.")
	}
	if tell {
		a.note("The daemon does not run; starting it.")
	}
	return true, a.startDaemon(ctx, home, a.Environ)
}

// answers reports whether the home's daemon answers, be it with a refusal. An
// error is one that a start would not mend.
func answers(ctx context.Context, home string) (bool, error) {
	c := client.Socket(config.FindSocket(home))
	defer c.Close()
	if !c.Running() {
		return false, nil
	}
	// No tool: daemon.status waits for what the login shell says.
	_, err := c.Get(ctx, "/healthz")
	switch vyre.CodeOf(err) {
	case vyre.CodeUnavailable: // a socket that a killed daemon left
		return false, nil
	case vyre.CodeTimeout, vyre.CodeUnauthenticated:
		return false, err
	}
	return true, nil
}

// spawnDaemon runs a program as `vyre daemon` in a session of its own and returns
// when its socket answers. Where it ends instead, the error holds its last words, or
// is beaten.
func (a *app) spawnDaemon(ctx context.Context, home, program string, env []string) error {
	layout, err := config.Prepare(home)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(layout.Log(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the daemon's log can't be written").Because(err)
	}
	defer log.Close()
	from, _ := log.Seek(0, io.SeekEnd)
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { // no service manager runs it
		return strings.HasPrefix(kv, config.ServiceEnv+"=")
	})
	p, err := os.StartProcess(program, []string{program, "daemon"}, &os.ProcAttr{
		Dir: home, Env: env, Files: []*os.File{null, log, log}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "the daemon could not be started").Because(err)
	}
	defer func() { _ = p.Release() }()
	return waitUp(ctx, home, p.Pid, func() string { return tail(layout.Log(), from) })
}

// beaten says that a daemon ended with a conflict: as a rule another one had the home.
type beaten struct{ words string }

func (beaten) Error() string { return "another daemon has the home" }

// maxBeaten bounds how often a conflict with nobody is believed: the home may have
// become free meanwhile, or there is another conflict, which stays.
const maxBeaten = 3

// startDaemon starts a daemon of this program, unless a service manager is to, and
// returns when one answers.
func (a *app) startDaemon(ctx context.Context, home string, env []string) error {
	self, err := os.Executable()
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "this program can't find itself").Because(err)
	}
	if done, err := a.startByService(ctx, home); done {
		return err
	}
	return a.startProgram(ctx, home, self, env, startBound)
}

// startProgram starts a daemon and returns when one answers: this one, or another
// that was faster. One that is just leaving is waited for.
func (a *app) startProgram(ctx context.Context, home, program string, env []string, bound time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bound,
		vyre.Errorf(vyre.CodeTimeout, "the daemon did not answer within %v", bound).WithHint("Its log is private/daemon.log in the home."))
	defer cancel()
	for try := 1; ; try++ {
		err := a.spawnDaemon(ctx, home, program, env)
		b, ok := errors.AsType[beaten](err)
		if !ok {
			return err
		}
		if try > maxBeaten && config.Holder(home) == 0 {
			return endedAtOnce(b.words)
		}
		if up, err := waitForOther(ctx, home); up || err != nil {
			return err
		}
	}
}

func endedAtOnce(words string) error {
	return vyre.Errorf(vyre.CodeUnavailable, "the daemon ended at once: %s", words).
		WithHint("`vyre daemon` runs it in the foreground.")
}

// waitForOther looks until the daemon that has the home answers (up), or is gone.
func waitForOther(ctx context.Context, home string) (up bool, err error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if up, err := answers(ctx, home); up || err != nil {
			return up, err
		}
		if config.Holder(home) == 0 {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// pause waits for d, or for the end of ctx, whose cause is the error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// waitUp looks until the daemon answers or the process ended.
func waitUp(ctx context.Context, home string, pid int, words func() string) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		var status syscall.WaitStatus
		if got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err == nil && got == pid {
			if status.ExitStatus() == vyre.CodeConflict.Info().Exit {
				return beaten{words()}
			}
			return endedAtOnce(words())
		}
		if up, err := answers(ctx, home); up || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// maxTail bounds what is told of a daemon's last words, in bytes.
const maxTail = 2 << 10

// tail is the end of what was written to the log since from.
func tail(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return "it left no word"
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size <= from {
		return "it left no word"
	}
	buf := make([]byte, min(size-from, maxTail))
	n, _ := f.ReadAt(buf, size-int64(len(buf)))
	return strings.TrimSpace(string(buf[:n]))
}

func (a *app) cmdDown() *cobra.Command {
	return a.command("down", "Stop the daemon; running sessions go on by themselves", 0, 0, func(ctx context.Context, _ []string) error {
		home, err := a.home()
		if err != nil {
			return err
		}
		if up, err := answers(ctx, home); err != nil {
			return err
		} else if !up {
			return vyre.Errorf(vyre.CodeUnavailable, "the daemon is not running").WithHint("`vyre up` starts it.")
		}
		if err := tool(ctx, a, "daemon.stop", anything{}, func(anything) string { return "" }); err != nil {
			return err
		}
		if err := waitDown(ctx, home); err != nil {
			return err
		}
		if !a.json {
			fmt.Fprintln(a.Out, "The daemon stopped. Sessions that run go on; the next daemon finds them.")
		}
		return nil
	})
}

// waitDown looks until nothing answers any more and the home is free: a daemon
// finishes what it has begun after its doors are closed.
func waitDown(ctx context.Context, home string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopBound,
		vyre.Errorf(vyre.CodeTimeout, "the daemon still answers after %v", stopBound))
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if up, _ := answers(ctx, home); !up && config.Holder(home) == 0 && ctx.Err() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}
