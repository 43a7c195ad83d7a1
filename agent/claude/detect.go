package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vyre"
	"vyre/agent"
)

const (
	detectTimeout = 5 * time.Second
	installHint   = "Install Claude Code, or set the provider's runtime to \"pinned\"."
)

// Detect implements agent.Provider: it runs the program with --version, for at
// most five seconds.
func (p *Provider) Detect(ctx context.Context, path string) (agent.Install, error) {
	path, err := p.find(path)
	if err != nil {
		return agent.Install{}, err
	}
	out, err := p.version(ctx, path)
	if err != nil {
		return agent.Install{}, err
	}
	word, _, _ := strings.Cut(strings.TrimSpace(out), " ")
	v, ok := parseVersion(word)
	if !ok {
		return agent.Install{}, unavailable("the program found as Claude Code does not say its version (it printed %q)", clip(out)).
			WithDetail("path", path)
	}
	floor, _ := parseVersion(Floor)
	if older(v, floor) {
		return agent.Install{}, unavailable("Claude Code %s is too old: %s is the oldest that is known to keep its questions apart", word, Floor).
			WithHint("Update Claude Code, or set the provider's runtime to \"pinned\".").WithDetail("path", path)
	}
	in := agent.Install{Path: path, Version: word, Pinned: Pinned}
	if word != Pinned {
		in.Warning = fmt.Sprintf("Claude Code %s runs; this build was measured with %s", word, Pinned)
	}
	return in, nil
}

func unavailable(format string, args ...any) *vyre.Error {
	return vyre.Errorf(vyre.CodeUnavailable, format, args...).WithHint(installHint)
}

// find returns the program's absolute path.
func (p *Provider) find(path string) (string, error) {
	if path != "" {
		if !filepath.IsAbs(path) {
			return "", vyre.Invalid("runtime", "the agent's program must be an absolute path")
		}
		return path, executable(path)
	}
	for _, dir := range p.folders() {
		f := filepath.Join(dir, "claude")
		if filepath.IsAbs(f) && executable(f) == nil {
			return f, nil
		}
	}
	return "", unavailable("Claude Code was not found on this machine")
}

// folders are those of PATH, then where the vendor's installers put it.
func (p *Provider) folders() []string {
	dirs := filepath.SplitList(p.path)
	if p.home != "" {
		dirs = append(dirs, filepath.Join(p.home, ".local", "bin"), filepath.Join(p.home, ".claude", "local"))
	}
	return append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
}

func executable(path string) error {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return unavailable("there is no program where Claude Code should be").WithDetail("path", path)
	case err != nil:
		return unavailable("the program of Claude Code can't be looked at").WithDetail("path", path).Because(err)
	case fi.IsDir() || fi.Mode()&0o111 == 0:
		return unavailable("what should be Claude Code is not a program that can be run").WithDetail("path", path)
	}
	return nil
}

// version runs path --version and returns what it printed.
func (p *Provider) version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, detectTimeout, errTooSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + p.path, "HOME=" + p.home, "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	cmd.WaitDelay = 500 * time.Millisecond // a grandchild may hold the pipes
	ownGroup(cmd)
	var out, errs tail
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case errors.Is(context.Cause(ctx), errTooSlow):
		return "", unavailable("Claude Code did not answer --version within %s", detectTimeout).WithDetail("path", path)
	case ctx.Err() != nil:
		return "", vyre.Errorf(vyre.CodeTimeout, "looking for Claude Code was cut short").Because(context.Cause(ctx))
	case err != nil:
		e := unavailable("Claude Code can't be run (%s)", exitWord(err)).WithDetail("path", path).Because(err)
		if s := clip(errs.String()); s != "" {
			e.Message += ": " + s
			e = e.WithDetail("stderr", s)
		}
		return "", e
	}
	return out.String(), nil
}

var errTooSlow = errors.New("no answer in time")

func exitWord(err error) string {
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		return ee.String()
	}
	return "it did not start"
}

// tail keeps the last 4 KiB of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const keep = 4 << 10
	t.b = append(t.b, p...)
	if len(t.b) > keep {
		t.b = append([]byte(nil), t.b[len(t.b)-keep:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.ToValidUTF8(string(t.b), "\uFFFD") }

// clip shortens what a program printed for one line of a message.
func clip(s string) string {
	const limit = 300
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		s = "…" + string(r[len(r)-limit:])
	}
	return s
}
