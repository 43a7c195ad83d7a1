package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"vyre"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const program = "#!/bin/sh\necho 1.0\n"

// testPin is a pin of a small program on this platform.
func testPin() Pin {
	sum := sha256.Sum256([]byte(program))
	return Pin{
		Provider: "claude", Program: "claude", Version: "1.0", Package: "@x/agent-", Release: "0.1.0",
		Builds: map[string]Build{thisPlatform(): {int64(len(program)), hex.EncodeToString(sum[:])}},
	}
}

// npm is an npm that counts its runs in a file and then does what the script
// says; $D is the package's folder.
func npm(t *testing.T, script string) Installer {
	dir := t.TempDir()
	path := filepath.Join(dir, "npm")
	text := fmt.Sprintf("#!/bin/sh\necho run >>%s/runs\nD=node_modules/@x/agent-%s\nmkdir -p $D\n%s\n", dir, thisPlatform(), script)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return Installer{Pin: testPin(), Agents: t.TempDir(), Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}
}

func runsOf(t *testing.T, i Installer) int {
	dir, _, _ := strings.Cut(strings.TrimPrefix(i.Env[0], "PATH="), ":")
	b, _ := os.ReadFile(filepath.Join(dir, "runs"))
	return strings.Count(string(b), "run")
}

const good = "printf '#!/bin/sh\\necho 1.0\\n' >$D/claude"

// onlyLock fails where an install left more than its lock.
func onlyLock(t *testing.T, i Installer) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(i.Agents, "claude"))
	if err != nil || len(left) != 1 || left[0].Name() != ".lock" {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestInstall(t *testing.T) {
	// An install puts the checked program where Find looks, once, and tells how far it is.
	i := npm(t, good)
	if _, err := Find(i.Pin, Pinned, Place{Agents: i.Agents}); vyre.AsError(err).Details["install"] != true {
		t.Fatalf("before: %v, want unavailable with install", err)
	}
	var last Progress
	path, err := i.Install(t.Context(), func(p Progress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		found, err := Find(i.Pin, "", Place{Agents: i.Agents})
		if err != nil || found != path {
			t.Fatalf("found %q, %v, want %q", found, err, path)
		}
		if again, err := i.Install(t.Context(), nil); err != nil || again != path {
			t.Fatal(again, err)
		}
	}
	if n := runsOf(t, i); n != 1 {
		t.Errorf("npm ran %d times, want once", n)
	}
	if want := (Progress{"check", int64(len(program)), int64(len(program))}); last != want {
		t.Errorf("last progress %+v, want %+v", last, want)
	}
	if err := Verify(t.Context(), i.Pin, i.Agents); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(strings.ToUpper(program)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), i.Pin, i.Agents); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("a changed program: got %v", err)
	}
}

func TestInstallTwoAtOnce(t *testing.T) {
	// Installs that begin at once give all the same program, fetched by one of them.
	i := npm(t, "sleep 0.3; "+good)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			j := i
			if _, err := j.Install(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := runsOf(t, i); n != 1 {
		t.Errorf("npm ran %d times, want once", n)
	}
}

func TestInstallRefuses(t *testing.T) {
	// A program that is not the pinned one, a failing npm and a missing one install nothing and say what to do.
	for name, c := range map[string]struct {
		script string
		code   vyre.Code
		says   string
	}{
		"other bytes":  {strings.Replace(good, "1.0", "6.6", 1), vyre.CodeUnavailable, "checksum"},
		"other size":   {good + "; echo >>$D/claude", vyre.CodeUnavailable, "checksum"},
		"a link":       {"ln -s /bin/sh $D/claude", vyre.CodeUnavailable, "checksum"},
		"no program":   {"true", vyre.CodeUnavailable, "no program"},
		"npm fails":    {"echo 'npm error code E404' >&2; echo 'npm error 404 secret' >&2; exit 1", vyre.CodeUnavailable, "E404"},
		"disk is full": {"echo 'npm error code ENOSPC' >&2; exit 1", vyre.CodeNoSpace, "full"},
	} {
		i := npm(t, c.script)
		_, err := i.Install(t.Context(), nil)
		e := vyre.AsError(err)
		if e == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) || strings.Contains(e.Message, "secret") {
			t.Errorf("%s: got %v", name, err)
		}
		onlyLock(t, i)
	}
	i := npm(t, good)
	i.Env = []string{"PATH=relative:/nonexistent"}
	if _, err := i.Install(t.Context(), nil); !strings.Contains(vyre.AsError(err).Hint, "Node.js") {
		t.Errorf("without npm: %v", err)
	}
	i = npm(t, good)
	i.Pin.Builds = nil
	if _, err := i.Install(t.Context(), nil); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("no build for this platform: %v", err)
	}
}

func TestInstallStopped(t *testing.T) {
	// A stopped install ends npm with all it started, and the next one begins afresh.
	i := npm(t, "echo junk >$D/claude; [ -e ../../go ] || exec sleep 60; "+good)
	ctx, cancel := context.WithCancel(t.Context())
	fetching := func(p Progress) {
		if p.Stage == "fetch" && p.Done > 0 {
			cancel()
		}
	}
	if _, err := i.Install(ctx, fetching); vyre.CodeOf(err) != vyre.CodeTimeout {
		t.Fatalf("got %v, want timeout", err)
	}
	onlyLock(t, i)
	stale := filepath.Join(i.Agents, "claude", ".stage-1", "node_modules")
	if err := os.MkdirAll(stale, 0o700); err != nil { // as a kill -9 leaves it
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(i.Agents, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Install(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(stale); err == nil {
		t.Error("what a killed install left is still there")
	}
}

func TestFind(t *testing.T) {
	// Each runtime finds what it names: PATH before the vendors' folders, never by a relative part of PATH.
	home, bin := t.TempDir(), t.TempDir()
	local := filepath.Join(home, ".local", "bin")
	for _, d := range []string{local, bin} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put := func(dir string, mode os.FileMode) string {
		p := filepath.Join(dir, "claude")
		if err := os.WriteFile(p, []byte(program), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	at := Place{Agents: t.TempDir(), Path: ".:" + bin + ":/nonexistent", Home: home}
	t.Chdir(bin)
	plain := put(bin, 0o600)
	want := put(local, 0o700)
	for _, rt := range []string{Installed, "", want} {
		if got, err := Find(testPin(), rt, at); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", rt, got, err, want)
		}
	}
	if err := os.Chmod(plain, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(testPin(), Installed, at); err != nil || got != plain {
		t.Errorf("got %q, %v, want the one in PATH", got, err)
	}
	for _, rt := range []string{Pinned, "/nonexistent", bin} {
		if got, err := Find(testPin(), rt, at); vyre.CodeOf(err) != vyre.CodeUnavailable || vyre.AsError(err).Hint == "" {
			t.Errorf("%q: got %q, %v, want unavailable with a hint", rt, got, err)
		}
	}
	if _, err := Find(testPin(), Installed, Place{Path: "."}); err == nil {
		t.Error("found by a relative part of PATH")
	}
}

func TestPinsAgree(t *testing.T) {
	// agents/package.json, which the tests' agents come from, pins the release of the table.
	b, err := os.ReadFile(filepath.Join("..", "..", "agents", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pkg struct {
		Optional map[string]string `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(b, &pkg); err != nil {
		t.Fatal(err)
	}
	p := Claude()
	for name, v := range pkg.Optional {
		if plat, ok := strings.CutPrefix(name, p.Package); !ok || v != p.Release || p.Builds[plat].Size == 0 {
			t.Errorf("%s %s is not of the table (%s %v)", name, v, p.Release, p.Platforms())
		}
	}
	if len(pkg.Optional) == 0 || len(p.Builds) != 6 {
		t.Error("the table or agents/package.json is empty")
	}
	for name, b := range p.Builds {
		if len(b.SHA256) != 64 || b.Size < 100_000_000 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func TestInstallRealPackage(t *testing.T) {
	// The real package is fetched by the real npm and has the pinned size and checksum.
	if os.Getenv("VYRE_TEST_INSTALL") == "" {
		t.Skip("set VYRE_TEST_INSTALL=1 (400 MB)")
	}
	i := Installer{Pin: Claude(), Agents: t.TempDir(), Env: os.Environ()}
	seen := map[string]int64{}
	path, err := i.Install(t.Context(), func(p Progress) { seen[p.Stage]++ })
	if err != nil {
		t.Fatal(err, vyre.AsError(err).Err)
	}
	t.Log(runtime.GOOS, path, seen)
}
