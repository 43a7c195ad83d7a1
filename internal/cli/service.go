package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/service"
	"vyre/internal/cli/term"
	"vyre/internal/config"
)

func (a *app) cmdService() *cobra.Command {
	c := &cobra.Command{
		Use:   "service",
		Short: "Have the machine's service manager run the daemon",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var f serviceFlags
	install := a.command("install", "Write the unit, start the daemon by it, and keep it", 0, 0, func(ctx context.Context, _ []string) error {
		return a.withService(f, func(s *serving) error { return s.install(ctx) })
	})
	install.Long = "Writes a systemd unit (macOS: a launchd agent) that runs this binary's daemon, and starts it. A daemon\n" +
		"that runs already leaves its place to it; sessions go on. Done again it changes only what differs."
	install.Flags().BoolVar(&f.show, "print", false, "print the unit and change nothing")
	remove := a.command("remove", "Stop the daemon and take the unit away; the home and the sessions stay", 0, 0, func(ctx context.Context, _ []string) error {
		return a.withService(f, func(s *serving) error { return s.remove(ctx) })
	})
	status := a.command("status", "Say whether the unit is there, as it should be, and running", 0, 0, func(ctx context.Context, _ []string) error {
		return a.withService(f, func(s *serving) error { return s.status(ctx) })
	})
	for _, sub := range []*cobra.Command{install, remove, status} {
		sub.Flags().BoolVar(&f.system, "system", false, "the machine's systemd instead of your own; as root")
		sub.Flags().StringVar(&f.user, "user", "", "with --system: the user that the daemon runs as (default: the one that used sudo)")
	}
	for _, sub := range []*cobra.Command{install, remove} {
		sub.Flags().BoolVar(&f.force, "force", false, "also where the unit that is there was not written by this command")
	}
	c.AddCommand(install, remove, status)
	return c
}

type serviceFlags struct {
	show, system, force bool
	user                string
}

// serving is one run of a service command.
type serving struct {
	a    *app
	f    serviceFlags
	spec service.Spec
	path string // of the unit
	ran  []string
}

func (a *app) withService(f serviceFlags, do func(*serving) error) error {
	s := &serving{a: a, f: f}
	if a.Getenv("VYRE_SOCKET") != "" || a.Getenv("VYRE_THREAD") != "" {
		return vyre.Errorf(vyre.CodePersonOnly, "a service is not changed from inside a session").WithHint("Run it in a terminal of yours.")
	}
	program, err := os.Executable()
	if err != nil {
		return vyre.Errorf(vyre.CodeUnavailable, "this program can't find itself").Because(err)
	}
	s.spec = service.Spec{Program: program, Listen: a.Getenv("VYRE_LISTEN")}
	switch {
	case f.system && runtime.GOOS != "linux":
		return vyre.Invalid("system", "there is no systemd here")
	case f.system:
		err = s.forSystem()
	default:
		err = s.forPerson()
	}
	if err != nil {
		return err
	}
	if !s.spec.Fits() {
		return vyre.Errorf(vyre.CodeInvalid, "systemd runs no program with quotes, backslashes or control characters in its path: %q", program).
			WithHint("Install the binary elsewhere, ~/.local/bin/vyre say, and run it from there.")
	}
	s.path = s.spec.Path(a.Getenv("XDG_CONFIG_HOME"))
	return do(s)
}

// forPerson describes a unit of the person's own manager.
func (s *serving) forPerson() (err error) {
	if s.f.user != "" {
		return vyre.Invalid("user", "is for a system unit").WithHint("Add --system, or leave it out.")
	}
	s.spec.Kind = service.User
	if runtime.GOOS == "darwin" {
		s.spec.Kind = service.Launchd
	}
	if s.spec.Home, err = s.a.home(); err != nil {
		return err
	}
	if s.spec.PersonHome = s.a.Getenv("HOME"); !filepath.IsAbs(s.spec.PersonHome) {
		return vyre.Invalid("HOME", "is not set, so it is not known where your units lie").WithHint("Set HOME.")
	}
	return nil
}

// forSystem describes a unit of the machine's manager. Its daemon runs as a person,
// never as root: agents would be root.
func (s *serving) forSystem() error {
	name := s.f.user
	if name == "" {
		name = s.a.Getenv("SUDO_USER")
	}
	if name == "" && os.Geteuid() != 0 {
		name = s.a.Getenv("USER")
	}
	if name == "" {
		return vyre.Invalid("user", "say which user the daemon is to run as").WithHint("vyre service install --system --user ada")
	}
	u, err := user.Lookup(name)
	if err != nil {
		return vyre.Invalid("user", "there is no user %q", name)
	}
	if u.Uid == "0" {
		return vyre.Invalid("user", "the daemon does not run as root: its agents would be root").WithHint("Name the user whose sessions they are.")
	}
	s.spec.Kind, s.spec.UserName, s.spec.PersonHome = service.System, u.Username, u.HomeDir
	s.spec.Home, err = config.Home(func(k string) string {
		switch k {
		case "HOME":
			return u.HomeDir
		case "VYRE_HOME":
			return s.a.Getenv(k)
		}
		return ""
	})
	return err
}

// install writes the unit and has the manager run it.
func (s *serving) install(ctx context.Context) error {
	text := s.spec.Text()
	if s.f.show {
		_, err := fmt.Fprint(s.a.Out, text)
		return err
	}
	have, there, err := s.have()
	if err != nil {
		return err
	}
	changed := !there || have != text
	if changed {
		if !s.a.json {
			fmt.Fprintf(s.a.Out, "%s:\n\n%s\n", s.path, text)
		}
		if err := writeWhole(s.path, text); err != nil {
			return s.cantWrite(err)
		}
	}
	if err := s.take(ctx); err != nil {
		return err
	}
	if err := s.start(ctx, changed); err != nil {
		return err
	}
	if s.spec.Kind != service.System { // that one's sockets are another user's, as a rule
		if err := s.awaitUp(ctx, s.spec.Home); err != nil {
			return err
		}
	}
	linger := s.linger(ctx)
	if s.a.json {
		return s.a.printValue(serviceOutput{Kind: s.spec.Kind, Path: s.path, Installed: true, Changed: changed, Ran: s.ran, Hint: linger})
	}
	if !changed {
		fmt.Fprintf(s.a.Out, "%s is as it should be.\n", s.path)
	}
	fmt.Fprintln(s.a.Out, "The daemon runs as a service. "+s.words()+".")
	if linger != "" {
		fmt.Fprintln(s.a.Out, linger)
	}
	return nil
}

// serviceOutput is what the service commands print with --json.
type serviceOutput struct {
	Kind      service.Kind `json:"kind"`
	Path      string       `json:"path"`
	Installed bool         `json:"installed"`
	Current   bool         `json:"current"` // the unit is what install would write
	Changed   bool         `json:"changed"`
	Enabled   string       `json:"enabled"` // as the manager says
	Active    string       `json:"active"`
	Daemon    string       `json:"daemon"` // version of the daemon that answers, or empty
	ByService bool         `json:"by_service"`
	Ran       []string     `json:"ran"`
	Hint      string       `json:"hint"`
}

// have reads the unit that is there. One that somebody else wrote is a conflict.
func (s *serving) have() (text string, there bool, err error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, vyre.Errorf(vyre.CodeUnavailable, "the unit %s can't be read", s.path).Because(err)
	}
	if !service.Ours(string(b)) && !s.f.force {
		return "", true, vyre.Errorf(vyre.CodeConflict, "%s was written by somebody else", s.path).
			WithHint("Look at it; with --force this command takes it for its own.")
	}
	return string(b), true, nil
}

func (s *serving) cantWrite(err error) error {
	hint := "Check that its folder is yours."
	if s.spec.Kind == service.System {
		hint = "A system unit is root's: sudo " + s.spec.Program + " service install --system --user " + s.spec.UserName
	}
	return vyre.Errorf(vyre.CodeUnavailable, "%s can't be written", s.path).WithHint(hint).Because(err)
}

// writeWhole puts a file in place at once, readable for all.
func writeWhole(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// take has a daemon that the service manager does not run leave its place.
func (s *serving) take(ctx context.Context) error {
	if s.spec.Kind == service.System && os.Geteuid() == 0 { // another user's: root is no person there
		if pid := config.Holder(s.spec.Home); pid != 0 && s.ask(ctx, "is-active") != "active" {
			return vyre.Errorf(vyre.CodeConflict, "the unit is written, but a daemon of %s runs already (pid %d)", s.spec.UserName, pid).
				WithHint("As that user: vyre down. Then repeat this; sessions go on.")
		}
		return nil
	}
	c, err := s.a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	var st daemonOutput
	if c.Call(ctx, "daemon.status", nil, &st) != nil || st.Build.Service != "" {
		return nil
	}
	s.a.note("A daemon runs already (pid %d); it leaves its place to the service. Sessions go on.", st.PID)
	if err := c.Call(ctx, "daemon.stop", nil, nil); err != nil {
		return err
	}
	return waitDown(ctx, s.spec.Home)
}

// remove stops the daemon and takes the unit away.
func (s *serving) remove(ctx context.Context) error {
	_, there, err := s.have()
	if err != nil {
		return err
	}
	out := serviceOutput{Kind: s.spec.Kind, Path: s.path, Changed: there}
	if there {
		if s.spec.Kind == service.Launchd {
			_ = s.run(ctx, "launchctl", "bootout", launchdDomain()+"/"+service.Label)
		} else if err := s.systemctl(ctx, "disable", "--now", service.UnitName); err != nil {
			s.a.note("The service manager did not stop it: %s", err)
		}
		if err := os.Remove(s.path); err != nil {
			return s.cantWrite(err)
		}
		if s.spec.Kind != service.Launchd {
			_ = s.systemctl(ctx, "daemon-reload") // without a manager there is nothing to reload
		}
	}
	out.Ran = s.ran
	if s.a.json {
		return s.a.printValue(out)
	}
	if !there {
		fmt.Fprintf(s.a.Out, "There is no %s.\n", s.path)
		return nil
	}
	fmt.Fprintf(s.a.Out, "%s is gone. The home and the sessions stay; `vyre up` starts a daemon without the service.\n", s.path)
	return nil
}

// status says how things are and changes nothing.
func (s *serving) status(ctx context.Context) error {
	out := serviceOutput{Kind: s.spec.Kind, Path: s.path, Ran: []string{}}
	if b, err := os.ReadFile(s.path); err == nil {
		out.Installed, out.Current = true, string(b) == s.spec.Text()
	}
	if s.spec.Kind == service.Launchd {
		if _, err := s.output(ctx, "launchctl", "print", launchdDomain()+"/"+service.Label); err == nil {
			out.Enabled, out.Active = "enabled", "active"
		}
	} else {
		out.Enabled, out.Active = s.ask(ctx, "is-enabled"), s.ask(ctx, "is-active")
	}
	if c, err := s.a.client(); err == nil {
		defer c.Close()
		var st daemonOutput
		if c.Call(ctx, "daemon.status", nil, &st) == nil {
			out.Daemon, out.ByService = st.Version, st.Build.Service != ""
		}
	}
	if s.a.json {
		return s.a.printValue(out)
	}
	_, err := fmt.Fprint(s.a.Out, out.words())
	return err
}

func (s *serving) ask(ctx context.Context, verb string) string {
	args := []string{verb, service.UnitName}
	if s.spec.Kind == service.User {
		args = append([]string{"--user"}, args...)
	}
	said, err := s.output(ctx, "systemctl", args...)
	if said == "" && err != nil {
		return "unknown"
	}
	return term.Line(said, 40)
}

func (o serviceOutput) words() string {
	var b strings.Builder
	switch {
	case !o.Installed:
		fmt.Fprintf(&b, "unit    %s: not there (`vyre service install` writes it)\n", o.Path)
	case !o.Current:
		fmt.Fprintf(&b, "unit    %s: there, not what `vyre service install` would write now\n", o.Path)
	default:
		fmt.Fprintf(&b, "unit    %s\n", o.Path)
	}
	fmt.Fprintf(&b, "manager %s, %s\n", o.Enabled, o.Active)
	switch {
	case o.Daemon == "":
		b.WriteString("daemon  none answers\n")
	case o.ByService:
		fmt.Fprintf(&b, "daemon  %s, run by the service manager\n", o.Daemon)
	default:
		fmt.Fprintf(&b, "daemon  %s, not run by the service manager (`vyre service install` hands it over)\n", o.Daemon)
	}
	return b.String()
}
