package identity

import "testing"

// Agents are known by their file, by what they call themselves, by their package's
// folder and by the script that an interpreter runs; a program that only has such a
// word among its arguments is none.
func TestPrograms(t *testing.T) {
	ps := Programs{
		Executables: []string{"claude", "codex", "aider"},
		Folders:     map[string]string{"/@anthropic-ai/claude-code/": "claude", "/claude/versions/": "claude", "/@google/gemini-cli/": "gemini"},
	}
	for name, c := range map[string]struct {
		p    program
		want string
	}{
		"file":            {program{path: "/usr/bin/claude", args: []string{"x"}}, "claude"},
		"what it says":    {program{path: "/opt/x", args: []string{"/usr/local/bin/codex"}}, "codex"},
		"a title":         {program{path: "/opt/x", args: []string{"claude --resume of a person"}}, "claude"},
		"its command":     {program{path: "/opt/x", command: "claude"}, "claude"},
		"a version":       {program{path: "/h/.local/share/claude/versions/2.1.332", args: []string{"2.1.332"}}, "claude"},
		"node, a link":    {program{path: "/usr/bin/node", args: []string{"node", "/usr/bin/claude", "-p"}}, "claude"},
		"node, a package": {program{path: "/usr/bin/node", args: []string{"node", "--max-old-space-size=4096", "/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}, "claude"},
		"node, a file":    {program{path: "/usr/bin/node", args: []string{"node", "-r", "./hook.js", "/x/codex.js"}}, "codex"},
		"bun":             {program{path: "/usr/bin/bun", args: []string{"bun", "run", "/x/@google/gemini-cli/dist/index.js"}}, "gemini"},
		"python":          {program{path: "/usr/bin/python3.13", args: []string{"python3.13", "-m", "aider"}}, "aider"},
		"a shell script":  {program{path: "/bin/dash", args: []string{"/bin/sh", "/usr/local/bin/claude"}}, "claude"},
		"an argument":     {program{path: "/usr/bin/node", args: []string{"node", "build.js", "claude"}}, ""},
		"code of a shell": {program{path: "/bin/sh", args: []string{"sh", "-c", "claude"}}, ""},
		"an editor":       {program{path: "/usr/bin/vi", args: []string{"vi", "claude"}}, ""},
		"nothing":         {program{}, ""},
	} {
		if got, ok := ps.agent(c.p); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
