package loginenv

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Options says how to capture.
type Options struct {
	Shell string   // absolute path, from Shell
	Base  []string // the environment that the shell starts from, and the fallback
	Dir   string   // the shell's folder: the person's home
	// Timeout bounds the whole of it; 0 is 5 s. The interactive try gets at most
	// three fifths.
	Timeout time.Duration
}

// Result is what was captured.
type Result struct {
	Env      []string // "K=V", unfiltered
	Shell    string   // the shell that gave it
	Fallback bool     // Env is Options.Base: the shell gave nothing
	Note     string   // for the person: how it was captured, or why it could not be
}

// maxOutput bounds what the shell may print.
const maxOutput = 4 << 20

var errTooMuch = errors.New("too much output")

// Capture runs the login shell once (twice where its interactive start gives
// nothing) and returns its environment. It never fails; see Result.Fallback.
// It returns when ctx ends.
func Capture(ctx context.Context, o Options) Result {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	name := filepath.Base(o.Shell)
	env, err := try(ctx, o, o.Timeout*3/5, "-i", "-l")
	if err == nil {
		return Result{Env: env, Shell: o.Shell, Note: "from " + name + ", as a terminal starts it"}
	}
	env, err2 := try(ctx, o, o.Timeout, "-l")
	if err2 == nil {
		return Result{Env: env, Shell: o.Shell, Note: "from " + name + " as a login shell; started as in a terminal it gave nothing (" + err.Error() + ")"}
	}
	return Result{Env: o.Base, Shell: o.Shell, Fallback: true, Note: "the login shell " + name + " gave no environment (" + err2.Error() + "); the daemon's own is used"}
}

// try runs the shell one way. Its errors are for people and hold no output of
// the shell, which may print secrets.
func try(ctx context.Context, o Options, limit time.Duration, flags ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	marker := "vyre-" + rand.Text()
	cmd := exec.CommandContext(ctx, o.Shell, append(flags, "-c", script(marker))...)
	cmd.Dir = o.Dir
	cmd.Env = append(append([]string{}, o.Base...), "VYRE_RESOLVING_ENVIRONMENT=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // own group, no terminal
	cmd.WaitDelay = 200 * time.Millisecond               // what a start-up file left holds our pipe open
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out := &bounded{max: maxOutput}
	cmd.Stdout = out
	err := cmd.Start()
	if err == nil {
		awaitExit(cmd.Process.Pid) // not reaped: its group can't be another's yet
		_ = cmd.Cancel()
		err = cmd.Wait()
	}
	if env, ok := Parse(out.Bytes(), marker); ok { // whatever the exit status of the last start-up line
		return clean(env), nil
	}
	switch {
	case out.full:
		return nil, errTooMuch
	case ctx.Err() != nil:
		return nil, errors.New("no answer in time")
	case err != nil && cmd.Process == nil:
		return nil, errors.New("it can't be started")
	default:
		return nil, errors.New("it ended without an answer")
	}
}

// script prints the environment between markers. It is plain enough for every
// shell that takes -c, fish and csh included.
func script(marker string) string {
	return "printf '%s' " + marker + "; /usr/bin/env -0; printf '%s' " + marker
}

// clean drops what only the capture put there.
func clean(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "VYRE_RESOLVING_ENVIRONMENT", "_", "SHLVL", "PWD", "OLDPWD":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// bounded is a buffer that refuses to grow beyond max. One goroutine writes it.
type bounded struct {
	bytes.Buffer
	max  int
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.max {
		b.full = true
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}
