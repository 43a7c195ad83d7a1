package policy_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/policy"
	"vyre/internal/policy/disk"
)

// setting is the file that the forms in writes.txt are about.
const setting = ".claude/settings.json"

// lines reads a corpus: a line each, # and empty ones left out.
func lines(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimSuffix(l, "\n"); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, strings.NewReplacer("␤", "\n", "§", setting).Replace(l))
		}
	}
	return out
}

// ground is a home with a project in it, where forms are judged and run.
type ground struct{ home, dir string }

func newGround(t testing.TB) ground {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := ground{filepath.Join(root, "home"), filepath.Join(root, "home", "proj")}
	for name, text := range map[string]string{
		"home/.bashrc": "# before\n", "home/.profile": "# before\n", "home/.claude/settings.json": "{}\n",
		"home/proj/" + setting: "before\nbefore\n", "home/proj/.claude/other.json": "{}\n", "home/proj/.mcp.json": "{}\n", "home/proj/src": "payload\n", "home/proj/src.json": "{\"a\":1}\n",
		"home/proj/a.txt": "a\n", "home/proj/sub/a.go": "package sub\n", "home/proj/sub/new": "n\n", "home/proj/script.sh": "#!/bin/sh\nrm .claude/settings.json\n", "home/proj/list": setting + "\n",
		"home/proj/write.py": "open('.claude/settings.json','w').write('x')\n", "home/proj/bin/ls": "#!/bin/sh\nrm .claude/settings.json\n", "home/proj/new.txt": "new\n",
		"home/proj/p.diff":  "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-before\n+after\n before\n",
		"home/proj/p2.diff": "--- .claude/settings.json\n+++ .claude/settings.json\n@@ -1,2 +1,2 @@\n-before\n+after\n before\n",
	} {
		write(t, filepath.Join(root, name), text)
	}
	g.run(t, `mkdir empty; chmod +x script.sh bin/ls; ln -s .claude lnk; ln -s .claude/settings.json lnk2; ln .claude/settings.json hard
		git init -q --bare bare; git -C bare config core.bare false; git -C bare config core.worktree ..; git -C bare config core.fsmonitor 'rm -f "$PWD/.claude/other.json" ../.claude/other.json;true'
		mkdir x; cp -r .claude x/; echo packed > x/.claude/settings.json; tar -C x -cf t.tar .claude; rm -r x
		git init -q .; printf '.claude/other.json\n' > .gitignore; git add .claude/settings.json src sub/a.go .gitignore; git -c user.name=n -c user.email=e commit -qm one; echo before2 >> .claude/settings.json`)
	zipped(t, filepath.Join(g.dir, "t.zip"))
	return g
}

// copy makes another ground like this one.
func (g ground) copy(t testing.TB) ground {
	t.Helper()
	root := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", g.home, root).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	return ground{filepath.Join(root, "home"), filepath.Join(root, "home", "proj")}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command line as an agent's shell would.
func (g ground) run(t testing.TB, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.WaitDelay = g.dir, time.Second
	cmd.Env = []string{
		"HOME=" + g.home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "TERM=dumb",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
	}
	out, _ := cmd.CombinedOutput() // its status says nothing about what it wrote
	return string(out)
}

// tree is everything below the home, as far as a write can be seen.
func (g ground) tree(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(g.home, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(g.home, p)
		what := info.Mode().String()
		switch {
		case strings.HasSuffix(rel, ".git/index"): // git refreshes it while it looks
			return nil
		case d.IsDir() && slices.Contains([]string{".cache", ".config", ".rustup", ".npm"}, rel): // programs keep notes of their own when they first run
			return filepath.SkipDir
		case info.Mode().IsRegular():
			b, _ := os.ReadFile(p)
			sum := sha256.Sum256(b)
			what += hex.EncodeToString(sum[:8]) + fmt.Sprint(info.ModTime().UnixNano())
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			what += to
		}
		out[rel] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (g ground) judge(text string, granted func(policy.Call, policy.Part) (string, bool)) policy.Verdict {
	return policy.Judge(policy.Call{
		Tool: "Bash", Source: "builtin", Provider: "claude", Project: g.dir, CWD: g.dir, Mode: vyre.ModeAsk,
		Acts: []vyre.Act{{Kind: vyre.ActCommand, Command: text, Shell: "bash", CWD: g.dir, Source: "builtin"}},
	}, policy.Facts{
		Home: g.home, VyreHome: filepath.Join(g.home, ".local/state/vyre"), Configs: []string{filepath.Join(g.home, ".claude")},
		Files: disk.Files{}, Granted: granted,
	})
}

func TestWriteForms(t *testing.T) {
	// No form that writes is allowed, and each is truly one: run plainly, it changes something. At least 200 of them.
	if testing.Short() {
		t.Skip("it runs 400 command lines, some 15 seconds")
	}
	model := newGround(t)
	tried, denied := 0, 0
	var absent []string
	for _, text := range lines(t, "writes.txt") {
		if tool, rest, ok := strings.Cut(text, "] "); ok && strings.HasPrefix(tool, "[") && !strings.Contains(tool, " ") {
			text = rest
			if _, err := exec.LookPath(tool[1:]); err != nil {
				absent = append(absent, tool[1:])
				continue
			}
		}
		g := model.copy(t)
		v := g.judge(text, nil)
		if v.Verdict == vyre.VerdictAllow {
			t.Errorf("allowed: %s", text)
		}
		if v.Verdict == vyre.VerdictDeny {
			denied++
		} else {
			t.Logf("asked: %s (%s)", text, v.Why)
		}
		before := g.tree(t)
		out := g.run(t, text)
		if maps(before, g.tree(t)) {
			t.Errorf("it writes nothing here: %s\n%s", text, out)
			continue
		}
		tried++
	}
	t.Logf("%d forms wrote when run: 0 allowed, %d denied, %d asked; not here: %v", tried, denied, tried-denied, slices.Compact(absent))
	if tried < 200 {
		t.Errorf("%d forms were tried, want 200", tried)
	}
}

// maps reports whether two trees are the same.
func maps(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// zipped writes an archive that unpacks over the setting.
func zipped(t testing.TB, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	e, err := w.Create(setting)
	if err == nil {
		_, err = e.Write([]byte("zipped\n"))
	}
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestBenign(t *testing.T) {
	// Of 300 command lines that only read, at most 5 in 100 are asked about, and what is allowed changes nothing when it is run.
	all := lines(t, "reads.txt")
	g := newGround(t)
	var asked []string
	for _, text := range all {
		v := g.judge(text, nil)
		if v.Verdict != vyre.VerdictAllow {
			asked = append(asked, fmt.Sprintf("%s: %s (%s)", v.Verdict, text, v.Why))
			continue
		}
		if strings.Contains(text, "tail -f") || strings.Contains(text, "find /") || testing.Short() {
			continue // they take their time
		}
		before := g.tree(t)
		if out := g.run(t, strings.ReplaceAll(text, "sleep", "true")); !maps(before, g.tree(t)) {
			t.Errorf("allowed, and it writes: %s\n%s", text, out)
			g = newGround(t)
		}
	}
	t.Logf("%d of %d lines are asked about (%.1f %%):\n%s", len(asked), len(all), 100*float64(len(asked))/float64(len(all)), strings.Join(asked, "\n"))
	if len(all) < 300 || len(asked)*100 > 5*len(all) {
		t.Errorf("%d of %d", len(asked), len(all))
	}
}

// tenGrants are what a person of that project would have let pass by the first evening.
var tenGrants = []string{"go build", "go test", "go vet", "gofmt", "npm test", "npm run build", "npm run lint", "npm run typecheck", "git add", "git commit"}

func TestBenignWithGrants(t *testing.T) {
	// With ten grants of a typical project at most 1 in 100 of its command lines is asked about.
	all := lines(t, "build.txt")
	g := newGround(t)
	granted := func(c policy.Call, p policy.Part) (string, bool) {
		for _, words := range tenGrants {
			spec := vyre.GrantSpec{Kind: vyre.GrantPrefix, Args: strings.Fields(words)}
			if policy.Covers(vyre.Grant{Project: g.dir, GrantSpec: spec}, c, p) {
				return words, true
			}
		}
		return "", false
	}
	var asked []string
	without := 0
	for _, text := range all {
		if g.judge(text, nil).Verdict != vyre.VerdictAllow {
			without++
		}
		if v := g.judge(text, granted); v.Verdict != vyre.VerdictAllow {
			asked = append(asked, fmt.Sprintf("%s: %s (%s)", v.Verdict, text, v.Why))
		}
	}
	t.Logf("%d of %d lines are asked about, %d without the grants:\n%s", len(asked), len(all), without, strings.Join(asked, "\n"))
	if len(all) < 100 || len(asked)*100 > len(all) {
		t.Errorf("%d of %d", len(asked), len(all))
	}
}
