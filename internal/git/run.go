package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"vyre"
)

// Bounds of a call.
const (
	DefaultTimeout = 60 * time.Second
	DefaultMax     = 4 << 20 // bytes of output that are kept
)

// Git runs commands. The zero value finds git in no PATH; use New.
type Git struct {
	env []string
}

// New makes a runner. getenv is asked for the few names that git needs of the
// person's environment: where programs and their settings are.
func New(getenv func(string) string) *Git {
	g := &Git{env: []string{
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat", "GIT_EDITOR=false",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ADVICE=0",
	}}
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"} {
		if v := getenv(name); v != "" {
			g.env = append(g.env, name+"="+v)
		}
	}
	return g
}

// Call is one command. Args begin with the verb; what comes from outside stands
// behind "--" or is checked by the caller.
type Call struct {
	Dir   string // absolute: the folder to run in
	Args  []string
	Env   []string // "K=V", added
	In    []byte
	Max   int           // bytes of output kept; 0: DefaultMax
	Bound time.Duration // 0: DefaultTimeout
}

// Output is what a command said. Cut is set when there was more than Max.
type Output struct {
	Out []byte
	Cut bool
}

// Failed is a command that ended with a code. Its text is git's own.
type Failed struct {
	Code int
	Said string
}

func (f *Failed) Error() string { return fmt.Sprintf("git ended with code %d: %s", f.Code, f.Said) }

// Code is the exit code of a command that failed, or -1 for another error.
func Code(err error) int {
	if f, ok := errors.AsType[*Failed](err); ok {
		return f.Code
	}
	return -1
}

// safe are the settings that every command runs with.
var safe = []string{
	"--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
	"-c", "diff.external=", "-c", "commit.gpgSign=false", "-c", "protocol.allow=never", "-c", "core.quotePath=false",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "advice.detachedHead=false",
}

// Run runs a command whose repository's filters don't matter to it.
func (g *Git) Run(ctx context.Context, c Call) (Output, error) {
	return g.run(ctx, c, nil)
}

// RunFiltered is Run for a command that reads or writes files of a work tree: the
// filters that the repository names itself are replaced first.
func (g *Git) RunFiltered(ctx context.Context, c Call) (Output, error) {
	over, err := g.filters(ctx, c.Dir)
	if err != nil {
		return Output{}, err
	}
	return g.run(ctx, c, over)
}

// Line is Run for a command that says one line.
func (g *Git) Line(ctx context.Context, dir string, args ...string) (string, error) {
	o, err := g.Run(ctx, Call{Dir: dir, Args: args})
	return strings.TrimSuffix(string(o.Out), "\n"), err
}

func (g *Git) run(ctx context.Context, c Call, settings []string) (Output, error) {
	bound := c.Bound
	if bound == 0 {
		bound = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", slices.Concat(safe, c.Args)...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, slices.Concat(g.env, c.Env, settings), bytes.NewReader(c.In)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	limit := c.Max
	if limit == 0 {
		limit = DefaultMax
	}
	out, said := &keeper{max: limit}, &keeper{max: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, said
	err := cmd.Run()
	res := Output{Out: out.b, Cut: out.cut}
	if err == nil {
		return res, nil
	}
	if ctx.Err() != nil {
		return res, vyre.Errorf(vyre.CodeTimeout, "git %s took too long", c.Args[0]).Because(err)
	}
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		return res, &Failed{Code: ee.ExitCode(), Said: strings.TrimSpace(string(said.b))}
	}
	return res, vyre.Errorf(vyre.CodeUnavailable, "git can't be run on this machine").
		WithHint("Install git; `git --version` must work.").Because(err)
}

// keeper keeps the beginning of what is written.
type keeper struct {
	b   []byte
	max int
	cut bool
}

// Write implements io.Writer.
func (k *keeper) Write(p []byte) (int, error) {
	room := k.max - len(k.b)
	if len(p) > room {
		k.cut = true
		k.b = append(k.b, p[:max(room, 0)]...)
	} else {
		k.b = append(k.b, p...)
	}
	return len(p), nil
}
