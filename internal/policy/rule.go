package policy

import (
	"slices"
	"strings"

	"vyre"
)

// SessionRule reports whether a permission rule that an agent suggests ("allow
// this for the session") may be offered to the person and handed back. A rule
// must be about what was shown: one that lets any command run, any file be
// written or any tool of a server be called is not offered, and neither is one
// that can't be read with certainty. It is refused, never narrowed: the person
// then answers each time.
//
// The grammar is Claude Code's (measured on 2.1.332): a tool's name, or
// Name(what), where what ends in ":*" or "*" for a prefix.
func SessionRule(rule string) bool {
	if rule == "" || len(rule) > 1000 || strings.ContainsFunc(rule, func(r rune) bool { return r < ' ' || r > '~' }) {
		return false // hidden or foreign characters: what is read may not be what it says
	}
	name, what, ok := cutRule(rule)
	if !ok {
		return false
	}
	switch {
	case strings.HasPrefix(name, "mcp__"):
		return strings.Count(name, "__") >= 2 && !strings.HasSuffix(name, "__") // one tool, not a server
	case what == "":
		return slices.Contains(harmless, name)
	case slices.Contains(shells, name):
		return commandRule(what)
	case name == "Read" || name == "Glob" || name == "Grep" || name == "LS":
		return fileRule(what, readRule)
	default:
		return fileRule(what, writeRule)
	}
}

// cutRule takes Name or Name(what) apart.
func cutRule(rule string) (name, what string, ok bool) {
	name, rest, args := strings.Cut(rule, "(")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}) {
		return "", "", false
	}
	if !args {
		return name, "", true
	}
	what, closed := strings.CutSuffix(rest, ")")
	what = strings.TrimSpace(what)
	return name, what, closed && what != ""
}

// harmless are tools that may be allowed without saying on what.
var harmless = []string{"Glob", "Grep", "LS", "TodoWrite", "TaskList", "TaskGet", "WebSearch"}

// shells are tools whose argument is a command line.
var shells = []string{"Bash", "PowerShell", "Shell", "Monitor"}

// launchers run whatever stands behind them, so a prefix rule that begins with
// one allows any command.
var launchers = []string{
	"sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "busybox", "env", "sudo", "doas", "su", "eval", "exec",
	"command", "builtin", "source", ".", "xargs", "nohup", "setsid", "timeout", "nice", "ionice", "stdbuf", "time", "watch", "parallel", "script",
	"python", "python2", "python3", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "sed", "find", "fd", "ssh",
	"osascript", "npx", "bunx", "uvx", "pipx", "docker", "podman", "nsenter", "unshare", "chroot", "strace", "gdb", "tmux", "screen", "at", "batch",
	"crontab", "systemd-run", "make", "vim", "vi", "ed", "emacs", "tee", "dd", "vyre",
}

// commandRule judges the inside of Bash(…): an exact command is what was shown;
// a prefix must name at least a program that is no launcher.
func commandRule(what string) bool {
	prefix, wide := strings.CutSuffix(what, "*")
	if strings.Contains(prefix, "*") {
		return false
	}
	if !wide {
		return true
	}
	if strings.ContainsAny(prefix, "|&;<>()$`\\\"'!{}[]?~#=\n") {
		return false
	}
	words := strings.Fields(strings.TrimSuffix(prefix, ":"))
	if len(words) == 0 || prefix != "" && !strings.HasSuffix(prefix, ":") && !strings.HasSuffix(prefix, " ") {
		return false // "git*" would take gitfoo too
	}
	program := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if _, wraps := wrappers[program]; program == "" || wraps || slices.Contains(launchers, program) || coders[program] {
		return false
	}
	if verbed[program] && (len(words) < 2 || strings.HasPrefix(words[1], "-")) {
		return false // "git" alone takes git -c, which runs anything
	}
	return alwaysWhy(program, words[1:]) == "" && alwaysWhy(program, nil) == ""
}

// verbed are programs whose first word says what they do: a rule that begins with
// their name alone is about all of it.
var verbed = set("git", "go", "npm", "pnpm", "yarn", "bun", "cargo", "rustup", "docker", "podman", "kubectl", "helm", "gh", "glab", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "pip", "pip3", "uv", "poetry", "conda", "gem", "bundle", "rails",
	"dotnet", "mvn", "gradle", "terraform", "aws", "gcloud", "az", "systemctl", "nix", "mix", "composer", "php", "deno", "swift", "flutter", "fly", "heroku", "vercel")

// fileRule judges the inside of Edit(…) and its like: no rule covers a place that
// the floor minds.
func fileRule(what string, rule func(place) vyre.Verdict) bool {
	if strings.Trim(what, "*/.:~ ") == "" || strings.HasPrefix(what, "*") || strings.HasSuffix(what, ":*") {
		return false
	}
	what = strings.TrimSuffix(strings.ReplaceAll(what, "~", ""), "/**") // what lies below is judged when it is named
	for i, comps := 0, components(what); i < len(comps); i++ {
		minds := false
		indexes()[anywhere].find(comps[i:], true, func(p place) { minds = minds || rule(p) != "" })
		indexes()[inHome].find(comps[i:], true, func(p place) { minds = minds || rule(p) != "" })
		if minds {
			return false
		}
	}
	return true
}
