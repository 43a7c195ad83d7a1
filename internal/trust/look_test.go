package trust

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, dir string) vyre.Brought {
	t.Helper()
	b, err := Look(claude.New(), agent.Options{CWD: dir, Env: []string{"HOME=" + filepath.Dir(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func words(b vyre.Brought) string {
	var s strings.Builder
	for _, x := range b.Things {
		s.WriteString(string(x.Kind) + " " + x.File + " " + x.Words + "\n")
	}
	return s.String()
}

func TestDigestFollowsWhatActs(t *testing.T) {
	// The digest changes with every byte of what acts and with its name, and with no word for the agent.
	dir := filepath.Join(t.TempDir(), "repo")
	put(t, filepath.Join(dir, "README.md"), "x")
	if b := look(t, dir); b.Digest != "" || len(b.Things) != 0 {
		t.Fatalf("an ordinary folder brings %+v", b)
	}
	settings := filepath.Join(dir, ".claude", "settings.json")
	last := ""
	changes := func(what string, want bool) {
		t.Helper()
		b := look(t, dir)
		if (b.Digest != last) != want || b.Unread != "" {
			t.Errorf("%s: changed %v, want %v %s", what, b.Digest != last, want, b.Unread)
		}
		last = b.Digest
	}
	put(t, filepath.Join(dir, ".claude", "commands", "a.md"), "do it")
	changes("the first words", true)
	put(t, filepath.Join(dir, ".claude", "commands", "a.md"), "do it well")
	put(t, filepath.Join(dir, ".claude", "skills", "s", "SKILL.md"), "---\nname: s\n---\nwords")
	put(t, filepath.Join(dir, ".claude", "skills", "s", "run.sh"), "true")
	changes("other words, and a skill without rights", false)
	put(t, settings, `{"a":1}`)
	changes("settings", true)
	put(t, settings, `{"a":1 }`)
	changes("a blank in settings", true)
	put(t, filepath.Join(dir, ".claude", "hooks", "x.sh"), "true")
	changes("a hook's program", true)
	put(t, filepath.Join(dir, ".claude", "skills", "s", "SKILL.md"), "---\nname: s\nhooks: {}\n---\nwords")
	changes("a skill with a hook", true)
	put(t, filepath.Join(dir, ".claude", "skills", "s", "run.sh"), "false")
	changes("a program of a skill with rights", true)
	if err := os.Rename(filepath.Join(dir, ".claude", "hooks", "x.sh"), filepath.Join(dir, ".claude", "hooks", "y.sh")); err != nil {
		t.Fatal(err)
	}
	changes("a name", true)
	put(t, filepath.Join(filepath.Dir(dir), ".mcp.json"), `{"mcpServers":{}}`)
	changes("servers of the folder above", true)
}

func TestOwnSettingsAreThePersons(t *testing.T) {
	// What lies in the person's own settings folder is not a folder's, but for what the agent takes as one's.
	home := t.TempDir()
	dir := filepath.Join(home, "repo")
	put(t, filepath.Join(dir, "x"), "")
	put(t, filepath.Join(home, ".claude", "agents", "mine.md"), "---\ntools: Bash\n---\n")
	if b := look(t, dir); b.Digest != "" {
		t.Errorf("the person's own agents: %s", words(b))
	}
	put(t, filepath.Join(home, ".claude", "settings.local.json"), `{"hooks":{}}`)
	if b := look(t, dir); b.Digest == "" {
		t.Error("local settings above are taken by the agent and were not seen")
	}
}

func TestSameFilesSameDigest(t *testing.T) {
	// The digest is of names and bytes; the path is the folder's real one.
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, d := range []string{a, b} {
		put(t, filepath.Join(d, ".mcp.json"), `{"mcpServers":{"x":{"command":"y"}}}`)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	x, y, z := look(t, a), look(t, b), look(t, link)
	if x.Digest != y.Digest || x.Path == y.Path || z.Path != x.Path || z.Digest != x.Digest {
		t.Errorf("%+v\n%+v\n%+v", x, y, z)
	}
}

func TestWhatCantBeShownIsUnread(t *testing.T) {
	// What is too large, too many, too deep, no file or not readable is never half seen.
	for name, make := range map[string]func(t *testing.T, dir string){
		"a large file": func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, ".claude", "settings.json"), strings.Repeat("x", maxFile+1))
		},
		"many words": func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, ".mcp.json"), strings.Repeat("x", maxShown+1))
		},
		"a pipe": func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "x"), "")
			if err := syscall.Mkfifo(filepath.Join(dir, ".mcp.json"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a loop": func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, ".claude", "skills", "x"), "")
			if err := os.Symlink("..", filepath.Join(dir, ".claude", "skills", "again")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := filepath.Join(t.TempDir(), "repo")
		make(t, dir)
		if b := look(t, dir); b.Unread == "" || len(b.Things) > 0 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestControlsAreShown(t *testing.T) {
	// What a screen would hide or obey is spelled out.
	dir := filepath.Join(t.TempDir(), "repo")
	put(t, filepath.Join(dir, ".claude", "settings.json"), "{\"statusLine\":\"a\\u001b[2Kb\\u202ec\\u200bd\\u00a0e\\rf\"}")
	got := words(look(t, dir))
	if !strings.Contains(got, `a\x1b[2Kb\u{202e}c\u{200b}d\u{a0}e\x0df`) {
		t.Errorf("%q", got)
	}
}

func TestBareAndOthersTakeNothing(t *testing.T) {
	// A session without settings, and an agent that takes none from folders, have nothing to ask about.
	dir := filepath.Join(t.TempDir(), "repo")
	put(t, filepath.Join(dir, ".mcp.json"), "{}")
	for _, o := range []agent.Options{{CWD: dir, Bare: true}} {
		if b, err := Look(claude.New(), o); err != nil || b.Digest != "" {
			t.Errorf("%+v %v", b, err)
		}
	}
	if b, err := Look(plain{}, agent.Options{CWD: dir}); err != nil || b.Digest != "" {
		t.Errorf("%+v %v", b, err)
	}
}

// plain is a provider that takes nothing from folders.
type plain struct{ agent.Provider }
