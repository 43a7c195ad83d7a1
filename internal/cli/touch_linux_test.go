package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/cli/term/termtest"
)

// waitsForTouch has a peer's tool need a touch, which is given at the second wait.
func waitsForTouch(p *peer) {
	p.tools["devices.revoke"] = func(json.RawMessage) (any, error) {
		return nil, vyre.Errorf(vyre.CodePresenceRequired, "devices.revoke needs a touch of a passkey").
			WithHint("Open http://localhost:7797/act/a1 where you are signed in.").
			WithDetail("act", "a1").WithDetail("ticket", "secret").WithDetail("url", "http://localhost:7797/act/a1")
	}
	waits := 0
	p.tools["acts.wait"] = func(in json.RawMessage) (any, error) {
		if !strings.Contains(string(in), `"secret"`) {
			return nil, vyre.NotFound("act", "?")
		}
		if waits++; waits == 1 {
			return map[string]any{"state": "waiting", "output": nil}, nil
		}
		return map[string]any{"state": "done", "output": map[string]any{"device": "k1", "name": "old phone"}}, nil
	}
}

// At a terminal a command that needs a touch says where it is given, waits, and goes
// on with what the act answered; it is not sent again.
func TestTouchAtATerminal(t *testing.T) {
	p := newPeer(t)
	waitsForTouch(p)
	tty, keyboard := termtest.PTY(t)
	env := map[string]string{"VYRE_HOME": p.home, "TERM": "xterm", "LANG": "C.UTF-8"}
	done := make(chan int, 1)
	go func() {
		done <- Main(t.Context(), Options{
			Args: []string{"devices", "revoke", "k1"}, In: tty, Out: tty, Err: tty, Version: "test",
			Getenv: func(k string) string { return env[k] }, Tools: someTools,
		})
	}()
	s := &watched{more: make(chan struct{})}
	go s.read(keyboard) // ends when the terminal is closed
	s.wait(t, "http://localhost:7797/act/a1")
	s.wait(t, "revoked old phone")
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if p.times("devices.revoke") != 1 || p.times("acts.wait") != 2 {
		t.Errorf("called %d and waited %d times", p.times("devices.revoke"), p.times("acts.wait"))
	}
}
