package identity

import (
	"path"
	"slices"
	"strings"
)

// maxArgs is how many arguments of a process are looked at: what an interpreter runs
// stands near the front.
const maxArgs = 16

// program is what a process runs, as far as it shows.
type program struct {
	path    string   // of its executable, or empty
	args    []string // the first of them
	command string   // its short name
}

// Programs is what agents' programs are called, as data of the drivers.
type Programs struct {
	// Executables are base names: claude, codex, …
	Executables []string
	// Folders are parts of the path of a program or of the script that an interpreter
	// runs, each with the agent's name: a package's folder, mostly.
	Folders map[string]string
}

// agent says which agent's program p is, if it is one: by its file, by what it calls
// itself, or by the script that it interprets (many agents are programs of node).
func (ps Programs) agent(p program) (string, bool) {
	script := p.script()
	for _, name := range append(p.names(), scriptName(script)) {
		if name != "" && slices.Contains(ps.Executables, name) {
			return name, true
		}
	}
	for part, name := range ps.Folders {
		if strings.Contains(p.path, part) || strings.Contains(script, part) {
			return name, true
		}
	}
	return "", false
}

// isShim reports whether p is the parent of a session, of any home.
func (p program) isShim() bool {
	return slices.ContainsFunc(p.names(), func(n string) bool { return n == shimName || strings.HasSuffix(n, "-"+shimName) })
}

// names are the base names of the executable, of the first argument and the command.
func (p program) names() []string {
	var out []string
	if p.path != "" {
		out = append(out, path.Base(p.path))
	}
	if len(p.args) > 0 {
		first, _, _ := strings.Cut(p.args[0], " ") // a process may have written its title there
		out = append(out, path.Base(strings.TrimPrefix(first, "-")))
	}
	if p.command != "" {
		out = append(out, p.command)
	}
	return out
}

// interpreters are programs that run another one, whose path is an argument.
var interpreters = []string{"node", "nodejs", "bun", "deno", "python", "python3", "ruby", "perl", "sh", "bash", "dash", "zsh", "fish", "env"}

// takesValue are options of interpreters whose value is an argument of its own.
var takesValue = []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "-W", "-X"}

// script is what an interpreter runs, or empty.
func (p program) script() string {
	if len(p.args) < 2 || !slices.ContainsFunc(p.names(), isInterpreter) {
		return ""
	}
	for i := 1; i < len(p.args); i++ {
		switch a := p.args[i]; {
		case a == "-c" || a == "-e":
			return ""
		case a == "-m" && i+1 < len(p.args): // a module of Python
			return p.args[i+1]
		case slices.Contains(takesValue, a):
			i++
		case strings.HasPrefix(a, "-"), a == "run": // bun run, deno run
		default:
			return a
		}
	}
	return ""
}

func isInterpreter(name string) bool {
	name = strings.TrimRight(name, ".0123456789") // python3.13
	return slices.Contains(interpreters, name) || slices.Contains(interpreters, name+"3")
}

// scriptName is a script's base name without its ending.
func scriptName(script string) string {
	if script == "" {
		return ""
	}
	base := path.Base(script)
	for _, end := range []string{".js", ".mjs", ".cjs", ".ts", ".py"} {
		if s, ok := strings.CutSuffix(base, end); ok {
			return s
		}
	}
	return base
}
