package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/client"
	"vyre/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A daemon that was told to leave ends every goroutine it started, gives the
// lock back, and can be followed by another on the same home.
func TestRunEnds(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for range 2 {
		env := map[string]string{"VYRE_LISTEN": "127.0.0.1:0", "HOME": t.TempDir(), "SHELL": "/bin/sh"}
		ready := make(chan string, 1)
		done := make(chan error, 1)
		go func() {
			done <- Run(context.Background(), Options{
				Home: home, Version: "test", Log: slog.New(slog.DiscardHandler),
				Getenv: func(k string) string { return env[k] }, Ready: func(url string) { ready <- url },
			})
		}()
		<-ready
		rt, err := config.RuntimeDir(home)
		if err != nil {
			t.Fatal(err)
		}
		c := client.Socket(config.SocketPath(rt))
		if err := Run(t.Context(), Options{Home: home, Log: slog.New(slog.DiscardHandler), Getenv: func(k string) string { return env[k] }}); vyre.CodeOf(err) != vyre.CodeConflict {
			t.Errorf("a second daemon: %v", err)
		}
		if err := c.Call(t.Context(), "daemon.stop", nil, nil); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

// Every tool and event is declared without a fault, and each has a schema.
func TestDeclarations(t *testing.T) {
	if err := Registry().CheckSchemas(); err != nil {
		t.Error(err)
	}
}
