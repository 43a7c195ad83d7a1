package cli

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/internal/cli/term/termtest"
)

// At a terminal a key counts only after the whole command was shown, page by
// page, and nothing that was typed before counts.
func TestAskAtATerminal(t *testing.T) {
	p := turnPeer(t)
	tty, keyboard := termtest.PTY(t)
	env := map[string]string{"VYRE_HOME": p.home, "TERM": "xterm", "LANG": "C.UTF-8"}
	done := make(chan int, 1)
	go func() {
		code := Main(t.Context(), Options{
			Args: []string{"run", "go"}, In: tty, Out: tty, Err: tty, Version: "test",
			Getenv: func(k string) string { return env[k] }, Tools: someTools,
		})
		done <- code
	}()
	s := &watched{more: make(chan struct{})}
	go s.read(keyboard) // ends when the terminal is closed
	p.called(t, "threads.start")
	io.WriteString(keyboard, "aaaa\n") // impatient: typed before anything was asked
	ask := toolAsk()
	ask.Display = strings.Repeat("echo line\n", 40) + "rm -rf /the/end"
	p.raise(ask)
	s.wait(t, "there is more")
	io.WriteString(keyboard, "a") // not all of it was shown: this is no answer
	shown := make(chan struct{})
	go func() { defer close(shown); s.wait(t, "Deny with a note") }()
	termtest.Press(t, keyboard, " ", shown)
	s.wait(t, "rm -rf /the/end")
	if p.times("threads.answer") != 0 {
		t.Fatal("a key answered what had not been shown")
	}
	io.WriteString(keyboard, "d")
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if in := p.called(t, "threads.answer"); !strings.Contains(in, `"decision":"deny"`) || p.times("threads.answer") != 1 {
		t.Errorf("sent %s", in)
	}
	s.wait(t, "denied by person:owner:cli")
}

// Attached at a terminal, a line is a message, Ctrl-D leaves, and the terminal
// is as it was.
func TestAttachAtATerminal(t *testing.T) {
	p := turnPeer(t)
	p.answer("threads.get", func() any { return vyre.Thread{ID: threadA, Provider: "claude", State: vyre.StateIdle} })
	p.answer("threads.items", func() any { return itemsOutput{} })
	p.answer("threads.send", func() any { return map[string]any{"message": "m", "via": "queue"} })
	tty, keyboard := termtest.PTY(t)
	before, _ := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	env := map[string]string{"VYRE_HOME": p.home, "TERM": "dumb"}
	done := make(chan int, 1)
	go func() {
		done <- Main(t.Context(), Options{
			Args: []string{"attach", string(threadA)}, In: tty, Out: tty, Err: tty, Version: "test",
			Getenv: func(k string) string { return env[k] }, Tools: someTools,
		})
	}()
	s := &watched{more: make(chan struct{})}
	go s.read(keyboard)
	s.wait(t, "Ctrl-D leaves")
	io.WriteString(keyboard, "hello\n")
	s.wait(t, "queued until the running turn ends: hello")
	io.WriteString(keyboard, "\x04")
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
	after, _ := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if *before != *after {
		t.Error("the terminal was left in another mode")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.Contains(s.text, "\x1b") {
		t.Errorf("a dumb terminal got escape sequences: %q", s.text)
	}
}
