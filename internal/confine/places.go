package confine

import (
	"path/filepath"
	"strings"
)

// Where says where things of a session are. Paths are absolute and clean.
type Where struct {
	Home      string   // of vyre
	Private   string   // in it: what no session sees
	Worktrees string   // in it: what sessions may write
	Runtime   []string // folders of our sockets, that exist
	Session   string   // in one of them: the session's own socket folder, that exists
	CWD       string
	Env       []string // the agent's
	UID       string
}

// place is a file or folder of an agent's, and why it is closed.
type place struct{ path, why string }

// permissionFiles are files that let an agent do things without a question, below
// the person's home folder and below a project. They are read-only where they exist.
// Files that an agent replaces all the time as its own memory (~/.claude.json) can't
// be; the floor and the sweep look after those.
var permissionFiles = struct{ home, project, system []place }{
	home: []place{
		{".claude/settings.json", "Claude Code's rules, hooks and environment"},
		{".claude/settings.local.json", "the same"},
		{".codex/config.toml", "Codex's approval policy, sandbox and servers"},
		{".gemini/settings.json", "Gemini's tools and servers"},
		{".qwen/settings.json", "Qwen's tools and servers"},
		{".cursor/mcp.json", "Cursor's servers"},
		{".cursor/cli-config.json", "Cursor's rules"},
		{".config/opencode/opencode.json", "opencode's permissions and servers"},
		{".config/goose/config.yaml", "goose's mode and extensions"},
	},
	project: []place{
		{".claude/settings.json", "Claude Code's rules, hooks and environment"},
		{".claude/settings.local.json", "the same"},
		{".mcp.json", "programs that Claude Code starts as servers"},
		{".codex/config.toml", "Codex's approval policy, sandbox and servers"},
		{".gemini/settings.json", "Gemini's tools and servers"},
		{".qwen/settings.json", "Qwen's tools and servers"},
		{".cursor/mcp.json", "Cursor's servers"},
		{".cursor/cli.json", "Cursor's rules"},
		{"opencode.json", "opencode's permissions and servers"},
	},
	system: []place{
		{"/etc/claude-code/managed-settings.json", "Claude Code's rules of the machine, which stand above all others; as root an agent owns them"},
	},
}

// settingsFolders are variables that name an agent's folder of settings, and the
// files in it.
var settingsFolders = []struct{ variable, file, why string }{
	{"CLAUDE_CONFIG_DIR", "settings.json", "as in ~/.claude"},
	{"CODEX_HOME", "config.toml", "as in ~/.codex"},
}

// sideFolders hold sockets or keys over which one session of a vendor's program
// reaches another, past us. The first are looked for in every folder for temporary
// or runtime files, the next in /tmp with the user's number or name behind, the last
// in the person's home folder.
var sideFolders = struct{ temporary, perUser, perName, home []place }{
	temporary: []place{
		{"cc-socks", "Claude Code's message sockets: a prompt into another session (measured on 2.1.332; without the folder it turns them off)"},
		{"codex-ipc", "the socket of Codex in an editor"},
		{"gemini/ide", "ports and keys of editors with Gemini"},
	},
	perUser: []place{
		{"/tmp/cc-socks-", "Claude Code's message sockets where the first folder is another user's"},
		{"/tmp/cc-daemon-", "control sockets of Claude Code's sessions in the background"},
	},
	perName: []place{
		{"/tmp/claude-mcp-browser-bridge-", "sockets of Claude Code's bridge to a browser"},
	},
	home: []place{
		{".claude/ide", "ports and keys of editors with Claude Code"},
	},
}

// ownCopies are folders whose files some programs refuse when they seem to be
// nobody's, as root's files do inside a user namespace.
var ownCopies = []place{{"/etc/ssh/ssh_config.d", "ssh, and with it git, refuses to start"}}

// maxParents bounds how far up from a session's folder projects are looked for.
const maxParents = 16

// Places makes a plan's places. It is pure: what of it exists is the stage's to see.
func Places(w Where) Plan {
	p := Plan{Cover: append([]string{w.Private}, w.Runtime...), ReadOnly: w.ours(), Side: w.side()}
	if w.Session != "" {
		p.Back = []string{w.Session}
	}
	if p.ReadOnly[0] == w.Home {
		p.Writable = []string{w.Worktrees}
	}
	person := w.value("HOME")
	if filepath.IsAbs(person) {
		p.ReadOnly = append(p.ReadOnly, below(person, permissionFiles.home)...)
	}
	for _, s := range settingsFolders {
		if dir := w.value(s.variable); filepath.IsAbs(dir) {
			p.ReadOnly = append(p.ReadOnly, filepath.Join(dir, s.file))
		}
	}
	for dir, n := w.CWD, 0; dir != "/" && dir != person && n < maxParents; dir, n = filepath.Dir(dir), n+1 {
		p.ReadOnly = append(p.ReadOnly, below(dir, permissionFiles.project)...)
	}
	for _, f := range permissionFiles.system {
		p.ReadOnly = append(p.ReadOnly, f.path)
	}
	for _, c := range ownCopies {
		p.Copies = append(p.Copies, c.path)
	}
	return p
}

// ours is what of vyre's home counts at its next start: all of it but worktrees.
// Where the session's folder or the person's home lies inside, only the parts are.
func (w Where) ours() []string {
	if !within(w.Home, w.value("HOME")) && (!within(w.Home, w.CWD) || within(w.Worktrees, w.CWD)) {
		return []string{w.Home}
	}
	return []string{filepath.Join(w.Home, "bin"), filepath.Join(w.Home, "agents"), filepath.Join(w.Home, "config.toml")}
}

func (w Where) side() []string {
	var list []string
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	for _, dir := range []string{"/tmp", w.value("TMPDIR"), w.value("CLAUDE_CODE_TMPDIR"), w.value("XDG_RUNTIME_DIR")} {
		if filepath.IsAbs(dir) {
			for _, f := range sideFolders.temporary {
				add(filepath.Join(dir, f.path))
			}
		}
	}
	for _, f := range sideFolders.perUser {
		add(f.path + w.UID)
	}
	for _, name := range []string{w.value("USER"), w.value("LOGNAME")} {
		if name != "" && !strings.ContainsAny(name, "/\x00") {
			for _, f := range sideFolders.perName {
				add(f.path + name)
			}
		}
	}
	if person := w.value("HOME"); filepath.IsAbs(person) {
		for _, f := range sideFolders.home {
			add(filepath.Join(person, f.path))
		}
	}
	return list
}

func below(dir string, places []place) []string {
	list := make([]string, len(places))
	for i, p := range places {
		list[i] = filepath.Join(dir, p.path)
	}
	return list
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// value is a variable of the agent's environment, the last one counts.
func (w Where) value(name string) string {
	out := ""
	for _, kv := range w.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			out = v
		}
	}
	return out
}
