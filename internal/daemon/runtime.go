package daemon

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
	"vyre/internal/config"
	"vyre/internal/install"
	"vyre/internal/loginenv"
	"vyre/internal/module/system"
	"vyre/internal/policy"
)

// runtime says what a session of a provider needs on this machine. It captures
// the login shell's environment once, beside the daemon's start.
type runtime struct {
	cfg         config.Config
	layout      config.Layout
	opt         Options
	credentials *credentials
	settings    settings
	drivers     map[string]agent.Provider

	login    loginenv.Result // set once, before captured is closed
	captured chan struct{}

	mu    sync.Mutex
	found map[string]found // by program
}

// found is what Detect said of a program as it was at that time.
type found struct {
	size    int64
	changed time.Time
	install agent.Install
}

func newRuntime(cfg config.Config, l config.Layout, c *credentials, set settings, o Options, drivers []agent.Provider) *runtime {
	r := &runtime{
		cfg: cfg, layout: l, credentials: c, settings: set, opt: o, drivers: map[string]agent.Provider{},
		captured: make(chan struct{}), found: map[string]found{},
	}
	for _, d := range drivers {
		r.drivers[d.Info().Name] = d
	}
	return r
}

// Run captures the environment and returns.
func (r *runtime) Run(ctx context.Context) error {
	r.login = loginenv.Capture(ctx, loginenv.Options{
		Shell: loginenv.Shell(r.opt.Getenv), Base: r.opt.Environ, Dir: r.opt.Getenv("HOME"),
	})
	close(r.captured)
	return nil
}

// wait waits for the environment.
func (r *runtime) wait(ctx context.Context) error {
	select {
	case <-r.captured:
		return nil
	case <-ctx.Done():
		return vyre.Errorf(vyre.CodeTimeout, "the login shell's environment is not there yet").Because(context.Cause(ctx))
	}
}

// Options implements engine.Runtime.
func (r *runtime) Options(ctx context.Context, t vyre.Thread) (agent.Options, error) {
	if err := r.wait(ctx); err != nil {
		return agent.Options{}, err
	}
	in, err := r.Detect(ctx, r.drivers[t.Provider])
	if err != nil {
		return agent.Options{}, err
	}
	cred, err := r.credentials.take(ctx, t.Provider, t.Auth)
	if err != nil {
		return agent.Options{}, err
	}
	model, system, err := r.chosen(ctx, t)
	if err != nil {
		return agent.Options{}, err
	}
	p := r.cfg.Providers[t.Provider]
	env, _ := policy.Environment(r.login.Env, p.Env, []string{"VYRE_THREAD=" + string(t.ID)})
	if name := policy.Lacks(env); name != "" {
		return agent.Options{}, vyre.Errorf(vyre.CodeUnavailable, "the environment for agents has no %s", name).
			WithHint("The login shell gave none and neither did the daemon's own start; `vyre doctor` shows what it gave.")
	}
	return agent.Options{
		Binary: in.Path, Env: env, Credential: cred, NonessentialTraffic: p.NonessentialTraffic,
		Bare: t.Purpose == vyre.PurposeJob, Model: model, System: system,
	}, nil
}

// program is where the provider's program is, by the settings.
func (r *runtime) program(provider string) (string, error) {
	pin := install.Claude()
	if provider != pin.Provider {
		return "", vyre.Errorf(vyre.CodeUnavailable, "nothing here knows where the program of %s is", provider)
	}
	return install.Find(pin, r.cfg.Providers[provider].Runtime, install.Place{
		Agents: r.layout.Agents(), Path: value(r.login.Env, "PATH"), Home: value(r.login.Env, "HOME"),
	})
}

// Detect finds a provider's program as the settings want it and runs it once to
// learn its version; a program that has not changed is not run again.
func (r *runtime) Detect(ctx context.Context, p agent.Provider) (agent.Install, error) {
	if err := r.wait(ctx); err != nil {
		return agent.Install{}, err
	}
	path, err := r.program(p.Info().Name)
	if err != nil {
		return agent.Install{}, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return agent.Install{}, vyre.Errorf(vyre.CodeUnavailable, "the agent's program is gone").Because(err)
	}
	r.mu.Lock()
	f, ok := r.found[path]
	r.mu.Unlock()
	if ok && f.size == st.Size() && f.changed.Equal(st.ModTime()) {
		return f.install, nil
	}
	in, err := p.Detect(ctx, path)
	if err != nil {
		return in, err
	}
	r.mu.Lock()
	r.found[path] = found{st.Size(), st.ModTime(), in}
	r.mu.Unlock()
	return in, nil
}

// Environment says what agents get of the login shell's environment, by name. Until
// the shell has answered there is nothing to say, unless the caller waits.
func (r *runtime) Environment(ctx context.Context, wait bool) system.Environment {
	if !wait {
		done, cancel := context.WithCancel(ctx)
		cancel()
		ctx = done
	}
	select {
	case <-r.captured:
	default:
		if r.wait(ctx) != nil {
			return system.Environment{From: "not captured yet", Names: []string{}, Refused: []system.Refused{}, Exposed: []string{}}
		}
	}
	p := r.cfg.Providers["claude"]
	env, refused := policy.Environment(r.login.Env, p.Env, nil)
	out := system.Environment{From: r.login.Note, Names: []string{}, Refused: []system.Refused{}, Exposed: policy.Exposed(p.Env)}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		out.Names = append(out.Names, name)
	}
	for _, x := range refused {
		out.Refused = append(out.Refused, system.Refused(x))
	}
	if out.Exposed == nil {
		out.Exposed = []string{}
	}
	return out
}

// value returns the last value of a variable in "K=V" form, or "".
func value(env []string, name string) string {
	out := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			out = v
		}
	}
	return out
}
