package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/config"
	"vyre/internal/install"
)

// playDaemon is what `up` starts in these tests: this program, as "daemon".
func playDaemon(how string) int {
	if how == "dies" {
		fmt.Fprintln(os.Stderr, "the port is taken")
		return 1
	}
	dir, err := config.RuntimeDir(os.Getenv("VYRE_HOME"))
	if err != nil {
		return 1
	}
	l, err := net.Listen("unix", config.SocketPath(dir))
	if err != nil {
		return 1
	}
	stop := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, `{"ok":true}`) })
	mux.HandleFunc("/v1/tools/{tool}", func(w http.ResponseWriter, r *http.Request) {
		switch r.PathValue("tool") {
		case "daemon.stop":
			defer close(stop)
		case "daemon.status":
			_ = json.NewEncoder(w).Encode(statusOutput{PID: os.Getpid(), URL: "http://localhost:7797"})
			return
		}
		fmt.Fprintln(w, "{}")
	})
	s := &http.Server{Handler: mux}
	go func() { _ = s.Serve(l) }()
	select {
	case <-stop:
	case <-time.After(20 * time.Second): // a test that failed leaves nothing behind
	}
	_ = s.Shutdown(context.Background()) // the answer to daemon.stop is still on its way
	return 0
}

// `up` starts a daemon once, in the background, with its words in the log; `down`
// ends it; and commands that need one start it and say so.
func TestUpAndDown(t *testing.T) {
	home := newHome(t)
	t.Setenv("VYRE_TEST_DAEMON", "ok")
	for i, want := range []string{"The daemon runs (pid ", "The daemon runs already (pid "} {
		if r := vyreUp(t, home, "up"); r.code != 0 || !strings.HasPrefix(r.out, want) || !strings.Contains(r.out, "Page: http://localhost:7797") {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	if fi, err := os.Stat(config.Layout{Home: home}.Log()); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v", fi, err)
	}
	if r := vyreUp(t, home, "down"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := vyreUp(t, home, "down"); r.code != 7 {
		t.Fatalf("%+v", r)
	}
	if r := vyreUp(t, home, "open"); !strings.Contains(r.err, "does not run; starting it") {
		t.Errorf("%+v", r)
	}
	vyreUp(t, home, "down")
}

// A daemon that ends at once is an error that holds its last words.
func TestUpTellsWhyTheDaemonEnded(t *testing.T) {
	home := newHome(t)
	t.Setenv("VYRE_TEST_DAEMON", "dies")
	if r := vyreUp(t, home, "up"); r.code != 7 || !strings.Contains(r.err, "the port is taken") {
		t.Errorf("%+v", r)
	}
}

// vyreUp runs a command whose daemon gets this test's environment.
func vyreUp(t *testing.T, home string, args ...string) result {
	t.Helper()
	t.Setenv("VYRE_HOME", home)
	return vyreRun(t, home, "", args...)
}

// Inside a session the session's own socket is used, and no daemon is started.
func TestTheSessionsOwnSocket(t *testing.T) {
	p := newPeer(t)
	dir, err := config.RuntimeDir(p.home)
	if err != nil {
		t.Fatal(err)
	}
	a := (&app{Options: Options{Getenv: func(string) string { return "" }, Environ: []string{"A=1", "VYRE_HOME=x"}}}).
		withEnv(map[string]string{"VYRE_SOCKET": config.SocketPath(dir), "VYRE_HOME": "/nowhere", "A": ""})
	if started, err := a.ensure(t.Context(), true); started || err != nil {
		t.Errorf("%v, %v", started, err)
	}
	c, err := a.client()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Call(t.Context(), "daemon.status", nil, nil); err != nil {
		t.Error(err)
	}
	if a.Getenv("A") != "" || strings.Contains(strings.Join(a.Environ, " "), "A=1") || !strings.Contains(strings.Join(a.Environ, " "), "VYRE_HOME=/nowhere") {
		t.Errorf("environment %v", a.Environ)
	}
}

// The trial's settings are what the strict file takes, whatever the paths hold.
func TestTrialSettings(t *testing.T) {
	tr := &trial{a: &app{}, dir: filepath.Join(t.TempDir(), `a "b" \c`), program: `/opt/"x"/claude`}
	if err := tr.makeDir(); err != nil {
		t.Fatal(err)
	}
	if err := tr.configure("http://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(tr.home())
	if err != nil {
		t.Fatal(err)
	}
	p := c.Providers["claude"]
	if p.Runtime != tr.program || p.Env["CLAUDE_CONFIG_DIR"] != tr.conf() || p.Env["ANTHROPIC_BASE_URL"] != "http://127.0.0.1:1" || c.Sessions.Auth != "api-key" {
		t.Errorf("%+v", c)
	}
}

// The trial takes no folder that holds something, and removes what it made only.
func TestTrialFolder(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&trial{a: &app{}, dir: full}).makeDir(); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("got %v", err)
	}
	empty := t.TempDir()
	for dir, stays := range map[string]bool{empty: true, filepath.Join(empty, "new"): false} {
		tr := &trial{a: &app{}, dir: dir}
		if err := tr.makeDir(); err != nil {
			t.Fatal(err)
		}
		if err := tr.remove(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// A progress line never claims more than there is.
func TestBarText(t *testing.T) {
	for _, c := range []struct {
		p    install.Progress
		want string
	}{
		{install.Progress{Stage: "wait", Total: 10}, "  waiting for another install"},
		{install.Progress{Stage: "fetch", Done: 0, Total: 402 << 20}, "  [........................]   0%  0 kB of 402.0 MB  fetching"},
		{install.Progress{Stage: "fetch", Done: 201 << 20, Total: 402 << 20}, "  [############............]  50%  201.0 MB of 402.0 MB  fetching"},
		{install.Progress{Stage: "check", Done: 500 << 20, Total: 402 << 20}, "  [########################] 100%  500.0 MB of 402.0 MB  checking the checksum"},
	} {
		if got := barText(c.p); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
