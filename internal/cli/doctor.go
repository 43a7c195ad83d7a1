package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vyre"
	"vyre/internal/cli/term"
	"vyre/internal/client"
	"vyre/internal/config"
	"vyre/internal/install"
)

// State of one check.
const (
	checkOK   = "ok"
	checkNote = "note" // it works, with less
	checkBad  = "bad"  // something will not work
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// report is doctor's whole output.
type report struct {
	Daemon    *statusOutput   `json:"daemon"` // null when none answers
	Providers []providerShape `json:"providers"`
	Checks    []check         `json:"checks"`
}

func (a *app) cmdDoctor() *cobra.Command {
	c := a.command("doctor", "Look at this machine, the daemon and the agents", 0, 0, func(ctx context.Context, _ []string) error {
		r, err := a.examine(ctx)
		if err != nil {
			return err
		}
		if a.json {
			err = a.printValue(r)
		} else {
			_, err = fmt.Fprint(a.Out, a.showReport(r))
		}
		for _, c := range r.Checks {
			if c.State == checkBad && err == nil {
				err = exit(vyre.CodeUnavailable.Info().Exit)
			}
		}
		return err
	})
	c.Long = "Looks and changes nothing. Ends with exit code 7 when something will not work.\n" +
		"Where no daemon runs, what only a daemon knows is left out."
	return c
}

// examine asks the daemon, if there is one, and looks at the rest itself.
func (a *app) examine(ctx context.Context) (report, error) {
	r := report{Providers: []providerShape{}}
	home, err := a.home()
	if err != nil {
		return r, err
	}
	c, err := a.client()
	if err != nil {
		return r, err
	}
	defer c.Close()
	var st statusOutput
	err = c.Call(ctx, "daemon.status", map[string]bool{"wait": true}, &st)
	if err == nil {
		r.Daemon = &st
		var ps providersOutput
		if err = c.Call(ctx, "providers.list", nil, &ps); err == nil {
			r.Providers = ps.Providers
		}
	}
	r.Checks = append(r.Checks, daemonCheck(r.Daemon, err))
	r.Checks = append(r.Checks, versionCheck(r.Daemon, a.Version)...)
	r.Checks = append(r.Checks, homeCheck(home), configCheck(home))
	if r.Daemon != nil {
		r.Checks = append(r.Checks, a.logCheck(ctx, c))
	}
	r.Checks = append(r.Checks, a.programCheck(ctx, "node", "the page is built with it; agents may need it"),
		a.programCheck(ctx, "npm", "`vyre try` installs an agent with it"))
	r.Checks = append(r.Checks, a.agentChecks(home, r)...)
	r.Checks = append(r.Checks, levelCheck(r.Daemon), cgroupCheck(r.Daemon))
	if r.Daemon != nil {
		r.Checks = append(r.Checks, confineChecks(r.Daemon)...)
		r.Checks = append(r.Checks, credentialChecks(r.Daemon.Credentials)...)
		r.Checks = append(r.Checks, roomCheck(r.Daemon.Room))
		r.Checks = append(r.Checks, exposedCheck(r.Daemon.Environment)...)
	}
	return r, nil
}

func daemonCheck(st *statusOutput, err error) check {
	if st == nil {
		e := vyre.EnvelopeOf(err).Error
		state := checkBad
		if e.Code == vyre.CodeUnavailable || e.Code == vyre.CodePersonOnly {
			state = checkNote
		}
		return check{"daemon", state, e.Message, "`vyre up` starts it."}
	}
	return check{"daemon", checkOK, fmt.Sprintf("%s, pid %d, %d sessions, %d threads, log at %d, %s",
		st.Version, st.PID, st.Sessions, st.Threads, st.Head, bytesOf(st.DBBytes)), ""}
}

// versionCheck says when the daemon is of another version than this program.
func versionCheck(st *statusOutput, ours string) []check {
	if st == nil || st.Version == ours {
		return nil
	}
	return []check{{
		"version", checkNote, "the daemon is " + st.Version + ", this program is " + ours + "; what both know works",
		"`vyre upgrade` has the daemon run this one; turns go on.",
	}}
}

func homeCheck(home string) check {
	fi, err := os.Stat(home)
	switch {
	case os.IsNotExist(err):
		return check{"home", checkNote, home + " is not there yet", "The first daemon makes it."}
	case err != nil || !fi.IsDir():
		return check{"home", checkBad, home + " can't be used", "Set VYRE_HOME to a folder of your own."}
	case fi.Mode().Perm()&0o022 != 0:
		return check{"home", checkBad, home + " can be written by others", "chmod go-w it."}
	}
	return check{"home", checkOK, home, ""}
}

func configCheck(home string) check {
	if _, err := config.Load(home); err != nil {
		e := vyre.EnvelopeOf(err).Error
		return check{"config", checkBad, e.Message, e.Hint}
	}
	return check{"config", checkOK, config.Layout{Home: home}.ConfigFile(), ""}
}

// logBound is how long doctor waits for the check of the log: one of millions of
// events takes longer, and `vyre verify` waits for it.
const logBound = 10 * time.Second

// logCheck has the daemon follow the chains of the log and of the audit.
func (a *app) logCheck(ctx context.Context, c *client.Client) check {
	ctx, cancel := context.WithTimeout(ctx, logBound)
	defer cancel()
	err := c.Call(ctx, "daemon.verify", nil, nil)
	switch {
	case err == nil:
		return check{"log", checkOK, "the chains of the log and of the audit hold", ""}
	case ctx.Err() != nil:
		return check{"log", checkNote, "too long to check it here", "`vyre verify` waits for it."}
	case vyre.CodeOf(err) == vyre.CodeInternal:
		e := vyre.EnvelopeOf(err).Error
		return check{"log", checkBad, e.Message, e.Hint}
	}
	e := vyre.EnvelopeOf(err).Error
	return check{"log", checkNote, e.Message, e.Hint}
}

// programBound is how long a program may take to say its version.
const programBound = 10 * time.Second

func (a *app) programCheck(ctx context.Context, name, use string) check {
	path, err := lookPath(name, a.Getenv("PATH"))
	if err != nil {
		return check{name, checkNote, "not found", use}
	}
	ctx, cancel := context.WithTimeout(ctx, programBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = a.Environ
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return check{name, checkNote, path + " does not run", use}
	}
	return check{name, checkOK, term.Line(string(out), 40) + "  " + path, ""}
}

// lookPath finds a program along a PATH of the caller's.
func lookPath(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		p := filepath.Join(dir, name)
		if fi, err := os.Stat(p); err == nil && filepath.IsAbs(p) && fi.Mode().IsRegular() && fi.Mode().Perm()&0o111 != 0 {
			return p, nil
		}
	}
	return "", exec.ErrNotFound
}

// agentChecks tells what the daemon found, or what this terminal would.
func (a *app) agentChecks(home string, r report) []check {
	if r.Daemon == nil {
		pin := install.Claude()
		path, err := install.Find(pin, "", install.Place{
			Agents: config.Layout{Home: home}.Agents(), Path: a.Getenv("PATH"), Home: a.Getenv("HOME"),
		})
		if err != nil {
			e := vyre.EnvelopeOf(err).Error
			return []check{{pin.Provider, checkNote, e.Message, e.Hint}}
		}
		return []check{{pin.Provider, checkOK, path, ""}}
	}
	checks := make([]check, 0, len(r.Providers))
	for _, p := range r.Providers {
		switch {
		case !p.Available:
			checks = append(checks, check{p.Provider, checkNote, p.Error, p.Hint})
		case p.Warning != "":
			checks = append(checks, check{p.Provider, checkNote, strings.TrimSpace(p.Version + "  " + p.Path), p.Warning})
		default:
			checks = append(checks, check{p.Provider, checkOK, strings.TrimSpace(p.Version + "  " + p.Path), ""})
		}
	}
	return checks
}

// credentialChecks name the kind of credential that sessions of each agent take.
func credentialChecks(list []credentialShape) []check {
	out := make([]check, 0, len(list))
	for _, c := range list {
		k := check{"sign-in", checkOK, c.Provider + " uses ", ""}
		switch {
		case c.Item == "":
			k.Detail += "its own sign-in (" + c.Kind + ")"
		case c.Stored:
			k.Detail += c.Kind + ", the vault item " + c.Item
			if c.Brokered {
				k.Detail += ", which the agent does not hold (sessions.broker)"
			}
		default:
			k.State, k.Detail = checkBad, k.Detail+c.Kind+", and the vault item "+c.Item+" is not stored"
			k.Hint = "vyre vault put " + c.Item
		}
		switch c.From {
		case "config":
			k.Detail += "; set by sessions.auth"
		case "vault":
			k.Detail += "; sessions.auth is unset and the item is stored"
		default:
			k.Detail += "; sessions.auth is unset"
		}
		if c.Fallback != "" {
			k.Detail += "; at its limit threads go on with " + c.Fallback
		} else if c.Kind != "api-key" {
			k.Detail += "; at its limit threads wait"
		}
		out = append(out, k)
	}
	return out
}

// levelCheck says how well a person is told from an agent, what that does not stop,
// what keeps it there, and the command that would raise it.
func levelCheck(st *statusOutput) check {
	if st == nil {
		return check{"identity", checkNote, "only a running daemon can tell", ""}
	}
	c := check{"identity", checkOK, strings.TrimSpace(st.Level + "  " + st.LevelMeans), ""}
	if st.Level < "L2" {
		c.State = checkNote
	}
	if st.LevelWhy != "" {
		c.Hint = "It is no higher because " + st.LevelWhy + "."
	}
	if st.LevelRaise != "" {
		c.Hint += " To raise it: " + st.LevelRaise
	}
	return c
}

func exposedCheck(env environmentShape) []check {
	if len(env.Exposed) == 0 {
		return nil
	}
	return []check{{
		"settings", checkNote, strings.Join(env.Exposed, ", ") + " can be read by every command of an agent",
		"Put a key into the vault instead: vyre vault put.",
	}}
}

// cgroupCheck says whether sessions can be held in a control group of their own.
func cgroupCheck(st *statusOutput) check {
	if st != nil && st.Cgroup != "" {
		return check{"cgroup", checkOK, "sessions get their own below " + st.Cgroup, ""}
	}
	if st != nil {
		return check{"cgroup", checkNote, "this user may make none", "Sessions are found by their ancestry (level L1). Run as a service it may: vyre service install."}
	}
	if runtime.GOOS != "linux" {
		return check{"cgroup", checkNote, "this system has none", "Sessions are found by their ancestry."}
	}
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
			return check{"cgroup", checkOK, "version 2 at " + root, ""}
		}
	}
	return check{"cgroup", checkNote, "version 2 is not mounted", "Sessions are found by their ancestry (level L1)."}
}

// showReport draws the checks, and the environment of agents below them.
func (a *app) showReport(r report) string {
	s := a.dataStyle()
	var b strings.Builder
	for _, c := range r.Checks {
		sign := s.Good(s.Signs().Done)
		switch c.State {
		case checkNote:
			sign = s.You("!")
		case checkBad:
			sign = s.Bad(s.Signs().Fail)
		}
		fmt.Fprintf(&b, "%s %-9s %s\n", sign, c.Name, term.Line(c.Detail, 0))
		if c.Hint != "" {
			fmt.Fprintf(&b, "  %9s %s\n", "", s.Dim(term.Line(c.Hint, 0)))
		}
	}
	if r.Daemon == nil {
		return b.String()
	}
	env := r.Daemon.Environment
	fmt.Fprintf(&b, "\nEnvironment of agents (%s): %s\n", term.Line(env.From, 0), term.Line(strings.Join(env.Names, " "), 0))
	for _, v := range env.Refused {
		fmt.Fprintf(&b, "  %s %s\n", term.Line(v.Name, 0), s.Dim("refused: "+term.Line(v.Reason, 0)))
	}
	return b.String()
}
