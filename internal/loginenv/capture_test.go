package loginenv

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// home makes a HOME with start-up files for bash and sh.
func home(t *testing.T, files map[string]string) Options {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	d := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(d, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Shell: bash, Base: []string{"HOME=" + d, "PATH=/usr/bin:/bin"}, Dir: d}
}

const profile = ". ~/.bashrc\n"

func TestCapture(t *testing.T) {
	// The result has what start-up files export, whatever they print, with newlines in values kept.
	o := home(t, map[string]string{
		".bash_profile": "echo hello; echo oops >&2\nexport PATH=$HOME/tools:$PATH\n" + profile,
		".bashrc":       "case $- in *i*) ;; *) return;; esac\nexport ONLY_INTERACTIVE=$'two\\nlines'\nfalse\n",
	})
	r := Capture(t.Context(), o)
	if r.Fallback {
		t.Fatal(r.Note)
	}
	if !slices.ContainsFunc(r.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH="+o.Dir+"/tools:") }) {
		t.Errorf("PATH is not the start-up file's: %q", r.Env)
	}
	for _, want := range []string{"ONLY_INTERACTIVE=two\nlines", "HOME=" + o.Dir} {
		if !slices.Contains(r.Env, want) {
			t.Errorf("no %q in %q", want, r.Env)
		}
	}
	for _, kv := range r.Env {
		if strings.HasPrefix(kv, "VYRE_") || strings.HasPrefix(kv, "SHLVL=") {
			t.Errorf("%s is only the capture's", kv)
		}
	}
}

func TestCaptureFallsBackToLogin(t *testing.T) {
	// A file that hangs when interactive costs its share of the time, and the login shell still answers.
	o := home(t, map[string]string{".bash_profile": "case $- in *i*) exec sleep 60;; esac\nexport FROM_LOGIN=1\n"})
	o.Timeout = 2 * time.Second
	r := Capture(t.Context(), o)
	if r.Fallback || !slices.Contains(r.Env, "FROM_LOGIN=1") {
		t.Fatalf("%+v", r)
	}
}

func TestCaptureGivesUp(t *testing.T) {
	// A shell that never answers, prints without end, exits at once or is missing gives Base and the reason.
	for name, text := range map[string]string{
		"hangs":             "exec sleep 60\n",
		"prints for ever":   "exec yes\n",
		"exits":             "exit 3\n",
		"closes its output": "exec >&-\n",
	} {
		o := home(t, map[string]string{".bash_profile": text})
		o.Timeout = time.Second
		start := time.Now()
		r := Capture(t.Context(), o)
		if !r.Fallback || r.Note == "" || !slices.Equal(r.Env, o.Base) {
			t.Errorf("%s: %+v", name, r)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
	if r := Capture(t.Context(), Options{Shell: "/nonexistent/shell", Base: []string{"A=b"}}); !r.Fallback {
		t.Errorf("a missing shell: %+v", r)
	}
}

func TestCaptureLeavesNothing(t *testing.T) {
	// A program that a start-up file left in the background neither delays the capture nor outlives it.
	o := home(t, map[string]string{".bash_profile": "sleep 300 &\necho $! >~/pid\n"})
	if r := Capture(t.Context(), o); r.Fallback {
		t.Fatal(r.Note)
	}
	pid, err := os.ReadFile(filepath.Join(o.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		b, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		return err != nil || strings.Contains(string(b), ") Z ")
	}
	for deadline := time.Now().Add(5 * time.Second); !gone(); {
		if time.Now().After(deadline) {
			t.Fatal("it still runs")
		}
	}
}

func TestShell(t *testing.T) {
	// $SHELL counts where it is a path; else the password file's line of this user.
	if got := Shell(func(string) string { return "/bin/zsh" }); got != "/bin/zsh" {
		t.Errorf("got %q", got)
	}
	if got := Shell(func(string) string { return "zsh" }); !filepath.IsAbs(got) {
		t.Errorf("got %q, want a path", got)
	}
	lines := "root:x:0:0:root:/root:/bin/bash\nbroken\na:x:7:7::/a:\nb:x:8:8::/b:/bin/fish\n"
	for uid, want := range map[int]string{0: "/bin/bash", 7: "", 8: "/bin/fish", 9: ""} {
		if got := passwdShell(bufio.NewScanner(strings.NewReader(lines)), uid); got != want {
			t.Errorf("uid %d: got %q, want %q", uid, got, want)
		}
	}
}
