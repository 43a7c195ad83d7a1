package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"time"

	"vyre"
	"vyre/internal/cli/service"
	"vyre/internal/cli/term"
)

// start has the manager read the unit and run it.
func (s *serving) start(ctx context.Context, changed bool) error {
	verb := "start"
	if changed {
		verb = "restart" // it runs what it read before
	}
	if s.spec.Kind == service.Launchd {
		domain := launchdDomain()
		if changed {
			_ = s.run(ctx, "launchctl", "bootout", domain+"/"+service.Label) // it may not be loaded
			return s.managed(s.run(ctx, "launchctl", "bootstrap", domain, s.path))
		}
		return s.managed(s.run(ctx, "launchctl", "kickstart", domain+"/"+service.Label))
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", service.UnitName}, {verb, service.UnitName}} {
		if args[0] == "daemon-reload" && !changed {
			continue
		}
		if err := s.managed(s.systemctl(ctx, args...)); err != nil {
			return err
		}
	}
	return nil
}

func (s *serving) managed(err error) error {
	if err == nil {
		return nil
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the unit is written, but the service manager did not take it: %s", term.Line(err.Error(), 300)).
		WithHint("When the manager runs, repeat: vyre service install.")
}

func (s *serving) systemctl(ctx context.Context, args ...string) error {
	if s.spec.Kind == service.User {
		args = append([]string{"--user"}, args...)
	}
	return s.run(ctx, "systemctl", args...)
}

// managerBound is how long a service manager may take for one command.
const managerBound = time.Minute

// run runs a program of the service manager's and notes it. The error holds what it said.
func (s *serving) run(ctx context.Context, name string, args ...string) error {
	_, err := s.output(ctx, name, args...)
	s.ran = append(s.ran, strings.Join(append([]string{name}, args...), " "))
	return err
}

func (s *serving) output(ctx context.Context, name string, args ...string) (string, error) {
	path, err := lookPath(name, s.a.Getenv("PATH"))
	if err != nil {
		return "", fmt.Errorf("%s is not installed", name)
	}
	ctx, cancel := context.WithTimeout(ctx, managerBound)
	defer cancel()
	var out, words bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.a.Environ, &out, &words, time.Second
	err = cmd.Run()
	if err != nil && words.Len() > 0 {
		err = fmt.Errorf("%s: %s", name, strings.TrimSpace(words.String()))
	}
	return strings.TrimSpace(out.String()), err
}

// linger keeps the person's manager, and the folder of the sockets, when they sign
// out. Where it may not, it says the one command.
func (s *serving) linger(ctx context.Context) string {
	if s.spec.Kind != service.User {
		return ""
	}
	name := s.a.Getenv("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if on, err := s.output(ctx, "loginctl", "show-user", name, "--property=Linger", "--value"); err == nil && on == "yes" {
		return ""
	}
	if s.run(ctx, "loginctl", "enable-linger", name) == nil {
		return ""
	}
	return "It ends when you sign out. To keep it: sudo loginctl enable-linger " + name
}

func (s *serving) words() string {
	switch s.spec.Kind {
	case service.Launchd:
		return "Its log is private/daemon.log in the home"
	case service.System:
		return "Its words: journalctl -u vyre"
	case service.User:
	}
	return "Its words: journalctl --user -u vyre"
}

// launchdDomain is where launchd keeps the person's agents.
func launchdDomain() string { return "gui/" + strconv.Itoa(os.Getuid()) }
