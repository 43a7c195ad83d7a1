package confine

import (
	"slices"
	"testing"
)

func TestPlaces(t *testing.T) {
	// A session's plan covers private state, sockets and side folders, holds the
	// agents' permission files of every project above its folder, and leaves worktrees.
	w := Where{
		Home: "/h/state/vyre", Private: "/h/state/vyre/private", Worktrees: "/h/state/vyre/worktrees",
		Runtime: []string{"/run/user/7/vyre-1"}, Session: "/run/user/7/vyre-1/s/x", CWD: "/h/code/a/b", UID: "7",
		Env: []string{"HOME=/h", "XDG_RUNTIME_DIR=/run/user/7", "TMPDIR=/tmp", "USER=me", "CLAUDE_CONFIG_DIR=/h/cc", "CLAUDE_CODE_TMPDIR=relative"},
	}
	p := Places(w)
	for name, c := range map[string]struct{ have, want []string }{
		"read-only": {p.ReadOnly, []string{"/h/state/vyre", "/h/.claude/settings.json", "/h/cc/settings.json", "/h/code/a/b/.mcp.json", "/h/code/a/.claude/settings.json", "/h/code/.claude/settings.local.json"}},
		"writable":  {p.Writable, []string{"/h/state/vyre/worktrees"}},
		"cover":     {p.Cover, []string{"/h/state/vyre/private", "/run/user/7/vyre-1"}},
		"back":      {p.Back, []string{"/run/user/7/vyre-1/s/x"}},
		"side":      {p.Side, []string{"/tmp/cc-socks", "/run/user/7/cc-socks", "/tmp/cc-socks-7", "/tmp/cc-daemon-7", "/tmp/claude-mcp-browser-bridge-me", "/h/.claude/ide"}},
	} {
		for _, want := range c.want {
			if !slices.Contains(c.have, want) {
				t.Errorf("%s: no %s in %q", name, want, c.have)
			}
		}
	}
	for _, path := range p.ReadOnly {
		if path == "/.mcp.json" || path == "/h/.mcp.json" {
			t.Errorf("%s is no project's", path)
		}
	}
}

func TestPlacesInsideOurHome(t *testing.T) {
	// A session whose folder lies in vyre's home, outside the worktrees, can write
	// there; what counts at our next start is read-only all the same.
	w := Where{Home: "/h/vyre", Private: "/h/vyre/private", Worktrees: "/h/vyre/worktrees", CWD: "/h/vyre/agents-home/a", Env: []string{"HOME=/h"}, UID: "7"}
	if p := Places(w); slices.Contains(p.ReadOnly, "/h/vyre") || !slices.Contains(p.ReadOnly, "/h/vyre/bin") || !slices.Contains(p.ReadOnly, "/h/vyre/config.toml") {
		t.Errorf("%q", p.ReadOnly)
	}
	w.CWD = "/h/vyre/worktrees/a"
	if p := Places(w); p.ReadOnly[0] != "/h/vyre" {
		t.Errorf("%q", p.ReadOnly)
	}
}

func TestPlacesHaveReasons(t *testing.T) {
	// Every place that is closed says why.
	for _, list := range [][]place{
		permissionFiles.home, permissionFiles.project, permissionFiles.system,
		sideFolders.temporary, sideFolders.perUser, sideFolders.perName, sideFolders.home, ownCopies,
	} {
		for _, p := range list {
			if p.path == "" || p.why == "" {
				t.Errorf("%+v", p)
			}
		}
	}
}
