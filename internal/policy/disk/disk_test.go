package disk

import (
	"os"
	"path/filepath"
	"testing"

	"vyre"
	"vyre/internal/policy"
)

func ground(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"p/.claude", "p/sub/deep", "own", "state/private", "state/worktrees/t"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir+"/p/.claude/settings.json", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"p/rel": ".claude", "p/abs": dir + "/p/.claude", "p/up": "sub/deep", "p/a": "b", "p/b": "a", "p/chain": "rel", "p/self": "/proc/self/cwd", "p/gone": "nothing/x", "p/file": ".claude/settings.json",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(dir+"/p/.claude/settings.json", dir+"/p/hard"); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReal(t *testing.T) {
	// A path leads where the system would go: links of folders above a file that is not there, .. after a link; what nobody can follow is said so.
	dir := ground(t)
	for path, want := range map[string]string{
		"p/rel/new.json": "p/.claude/new.json", "p/abs/settings.json": "p/.claude/settings.json", "p/chain/x/y": "p/.claude/x/y",
		"p/up/../x": "p/sub/x", "p/./sub//deep/": "p/sub/deep", "p/gone": "p/nothing/x", "p/file": "p/.claude/settings.json", "p/file/../x": "p/.claude/x", "p/none/../x": "p/x",
	} {
		if got, ok := (Files{}).Real(dir + "/" + path); !ok || got != dir+"/"+want {
			t.Errorf("%s leads to %s, %v; want %s", path, got, ok, want)
		}
	}
	for _, path := range []string{dir + "/p/a", dir + "/p/self/x", "relative", "", dir + "/p\x00"} {
		if got, ok := (Files{}).Real(path); ok && path != dir+"/p/self/x" {
			t.Errorf("%q leads to %s", path, got)
		}
	}
}

func TestLinksAreSeenThrough(t *testing.T) {
	// No link, hard or soft, of a file or a folder, hides a protected file from the floor; a folder of the agent's own stays its own.
	dir := ground(t)
	facts := policy.Facts{Home: dir, VyreHome: dir + "/state", Files: Files{}, Own: []string{dir + "/state/worktrees/t"}}
	for path, want := range map[string]vyre.Verdict{
		"rel/new.json": vyre.VerdictDeny, "abs/x": vyre.VerdictDeny, "chain/hooks/x": vyre.VerdictDeny, "file": vyre.VerdictDeny, "hard": vyre.VerdictDeny, "up/../../.claude/x": vyre.VerdictDeny,
		"up/x": vyre.VerdictAsk, "../state/private/x": vyre.VerdictDeny, "../state/worktrees/t/x": vyre.VerdictAsk, "../state/worktrees/t/.claude/x": vyre.VerdictDeny, "../state/config.toml": vyre.VerdictDeny,
		"new/.claude/settings.json": vyre.VerdictDeny,
	} {
		for _, a := range []vyre.Act{
			{Kind: vyre.ActWrite, Paths: []string{path}, CWD: dir + "/p"},
			{Kind: vyre.ActCommand, Command: "echo x > " + path, CWD: dir + "/p"},
			{Kind: vyre.ActCommand, Command: "cp a " + path, CWD: dir + "/p"},
		} {
			if v := policy.Judge(policy.Call{CWD: dir + "/p", Acts: []vyre.Act{a}}, facts); v.Verdict != want {
				t.Errorf("%s %s%s: %s (%s), want %s", a.Kind, a.Command, a.Paths, v.Verdict, v.Why, want)
			}
		}
	}
}
