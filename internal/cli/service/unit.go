package service

import (
	"fmt"
	"path/filepath"
	"strings"

	"vyre/internal/config"
)

// Kind is which service manager runs the daemon, and for whom.
type Kind string

// The kinds; each is the value of config.ServiceEnv in its unit.
const (
	User    Kind = "user"    // systemd, the person's own manager
	System  Kind = "system"  // systemd, the machine's manager, as a person's user
	Launchd Kind = "launchd" // macOS, the person's agents
)

// Spec is what a unit says. Program, Home and PersonHome are absolute.
type Spec struct {
	Kind       Kind
	Program    string // the binary
	Home       string // VYRE_HOME
	Listen     string // VYRE_LISTEN, or empty
	PersonHome string // where the person's own units lie below
	UserName   string // of a system unit: who the daemon runs as
}

// Names under which the service managers know the daemon.
const (
	UnitName = "vyre.service"
	Label    = "vyre.daemon"
)

// mark is in the units that were written here; others are not replaced unasked.
const mark = "Written by `vyre service install`"

// Ours reports whether a unit's text was written by Text.
func Ours(text string) bool { return strings.Contains(text, mark) }

// Runs reports whether a unit's text, written by Text, is for this home.
func Runs(text, home string) bool {
	return Ours(text) && (strings.Contains(text, "Environment="+quote("VYRE_HOME="+home)+"\n") ||
		strings.Contains(text, "<key>VYRE_HOME</key>"+str(home)))
}

// Path is where the unit lies. configHome is $XDG_CONFIG_HOME, or empty.
func (s Spec) Path(configHome string) string {
	switch s.Kind {
	case System:
		return filepath.Join("/etc/systemd/system", UnitName)
	case Launchd:
		return filepath.Join(s.PersonHome, "Library", "LaunchAgents", Label+".plist")
	case User:
	}
	if !filepath.IsAbs(configHome) {
		configHome = filepath.Join(s.PersonHome, ".config")
	}
	return filepath.Join(configHome, "systemd", "user", UnitName)
}

// Text is the whole unit.
func (s Spec) Text() string {
	if s.Kind == Launchd {
		return s.plist()
	}
	return s.unit()
}

// unit is a systemd unit. The lines that matter most: KillMode=process leaves the
// sessions alone when the daemon is stopped or restarted; Delegate=yes lets it make
// their control groups; a daemon that asks to be started again (an upgrade) ends
// with ExitAgain; one whose settings are wrong (exit code 2) or whose home another
// daemon has (5) is not tried again, as that does not mend by itself.
func (s Spec) unit() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s; `vyre service remove` takes it away.", mark)
	line("[Unit]")
	line("Description=Vyre, owner of coding-agent sessions")
	line("StartLimitIntervalSec=300")
	line("StartLimitBurst=10")
	if s.Kind == System {
		line("After=network.target")
	}
	line("")
	line("[Service]")
	line("Type=exec")
	line("ExecStart=%s daemon", quote(s.Program))
	if s.Kind == System {
		line("User=%s", escape(s.UserName))
	}
	for _, kv := range s.environ() {
		line("Environment=%s", quote(kv[0]+"="+kv[1]))
	}
	line("Restart=on-failure")
	line("RestartSec=1")
	line("RestartSteps=5")
	line("RestartMaxDelaySec=30")
	line("RestartForceExitStatus=%d", config.ExitAgain)
	line("SuccessExitStatus=%d", config.ExitAgain)
	line("RestartPreventExitStatus=2 5")
	line("KillMode=process")
	line("Delegate=yes")
	line("TimeoutStopSec=30")
	line("OOMPolicy=continue")
	line("")
	line("[Install]")
	line("WantedBy=%s", map[Kind]string{User: "default.target", System: "multi-user.target"}[s.Kind])
	return b.String()
}

// environ is the unit's whole environment: it holds no secret.
func (s Spec) environ() [][2]string {
	env := [][2]string{{config.ServiceEnv, string(s.Kind)}, {"VYRE_HOME", s.Home}}
	if s.Listen != "" {
		env = append(env, [2]string{"VYRE_LISTEN", s.Listen})
	}
	return env
}

// Fits reports whether the service manager can run a program of this path: systemd
// takes none with quotes, backslashes or control characters in it.
func (s Spec) Fits() bool {
	return s.Kind == Launchd || !strings.ContainsFunc(s.Program, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune("\"'\\", r)
	})
}

// escape keeps systemd from expanding specifiers.
func escape(v string) string { return strings.ReplaceAll(v, "%", "%%") }

// quote writes one word of a systemd setting. A "$" stays: neither the path of a
// program nor a value of Environment is looked through for variables.
func quote(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(v) + `"`
}
