package cli

import (
	"context"
	"os"
	"strconv"

	"vyre"
	"vyre/internal/cli/service"
	"vyre/internal/cli/term"
)

// startByService has the person's service manager start the daemon, where a unit for
// this home is installed: a daemon beside it would have the home when the machine
// starts the service. done is false where there is no such unit, or the manager can't
// be reached (it says so): then the daemon is started as if there were none.
func (a *app) startByService(ctx context.Context, home string) (done bool, err error) {
	s := &serving{a: a}
	if !s.installed(home) {
		return false, nil
	}
	if err := s.kick(ctx, "start"); err != nil {
		a.note("The service could not be started (%s); starting the daemon without it.", term.Line(err.Error(), 200))
		return false, nil
	}
	return true, s.awaitUp(ctx, home)
}

// installed reports whether the person has a unit of ours for this home.
func (s *serving) installed(home string) bool {
	if s.forPerson() != nil {
		return false
	}
	text, err := os.ReadFile(s.spec.Path(s.a.Getenv("XDG_CONFIG_HOME")))
	return err == nil && service.Runs(string(text), home)
}

// awaitUp waits until the daemon that the manager started answers.
func (s *serving) awaitUp(ctx context.Context, home string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startBound,
		vyre.Errorf(vyre.CodeTimeout, "the service's daemon did not answer within %v", startBound).WithHint(s.words()+"; see also `vyre service status`."))
	defer cancel()
	for {
		if up, err := waitForOther(ctx, home); up || err != nil {
			return err
		}
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// kick has the manager start or restart the unit that it knows.
func (s *serving) kick(ctx context.Context, verb string) error {
	if s.spec.Kind == service.Launchd {
		return s.run(ctx, "launchctl", "kickstart", launchdDomain()+"/"+service.Label)
	}
	return s.systemctl(ctx, verb, service.UnitName)
}

// restarts is how often systemd has started the unit again by itself, 0 where nobody
// can tell.
func (s *serving) restarts(ctx context.Context) int {
	if s.spec.Kind == service.Launchd {
		return 0
	}
	args := []string{"show", "--property=NRestarts", "--value", service.UnitName}
	if s.spec.Kind == service.User {
		args = append([]string{"--user"}, args...)
	}
	said, err := s.output(ctx, "systemctl", args...)
	n, bad := strconv.Atoi(said)
	if err != nil || bad != nil {
		return 0
	}
	return n
}
