package term

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vyre/internal/cli/term/termtest"
)

// A key that was typed before the question stood there answers nothing.
func TestKeysTypedBeforeDoNotCount(t *testing.T) {
	screen, keyboard := termtest.PTY(t)
	in := NewInput(screen)
	if !in.TTY() {
		t.Fatal("a pseudo terminal is a terminal")
	}
	io.WriteString(keyboard, "aaa") // typed while nobody asked
	undo, err := in.Keys()
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	io.WriteString(keyboard, "a") // typed while the question is being printed
	if err := in.Settle(limited(t), 1); err != nil {
		t.Fatal(err)
	}
	io.WriteString(keyboard, "d")
	if r, err := in.Key(limited(t)); err != nil || r != 'd' {
		t.Fatalf("got %q, %v", r, err)
	}
}

// Arrow keys are no answers; a letter of any alphabet is a key.
func TestKeySequencesArePassedOver(t *testing.T) {
	screen, keyboard := termtest.PTY(t)
	in := NewInput(screen)
	undo, err := in.Keys()
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	io.WriteString(keyboard, "\x1b[A")
	got := make(chan rune, 1)
	go func() {
		r, _ := in.Key(limited(t))
		got <- r
	}()
	if r := termtest.Press(t, keyboard, "é", got); r != 'é' {
		t.Fatalf("got %q", r)
	}
}

// A secret is not shown while it is typed, and the terminal is as it was after.
func TestSecretIsNotEchoed(t *testing.T) {
	screen, keyboard := termtest.PTY(t)
	in := NewInput(screen)
	before, _ := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	got := make(chan string, 1)
	go func() {
		s, _ := in.Secret(limited(t))
		got <- s
	}()
	for ctx := limited(t); ctx.Err() == nil; {
		if m, _ := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS); m.Lflag&unix.ECHO == 0 {
			break
		}
	}
	io.WriteString(keyboard, "s3cret\n")
	if s := <-got; s != "s3cret" {
		t.Fatalf("got %q", s)
	}
	after, _ := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	if before.Lflag != after.Lflag {
		t.Fatal("the terminal was left in another mode")
	}
	io.WriteString(screen, "$ ")
	buf := make([]byte, 100)
	n, _ := keyboard.Read(buf)
	for !strings.Contains(string(buf[:n]), "$ ") {
		m, err := keyboard.Read(buf[n:])
		if err != nil {
			t.Fatal(err)
		}
		n += m
	}
	if strings.Contains(string(buf[:n]), "s3cret") {
		t.Fatalf("the screen shows %q", buf[:n])
	}
}

// Colours and signs appear only where they work and are wanted.
func TestStyleOfATerminal(t *testing.T) {
	screen, _ := termtest.PTY(t)
	env := func(kv ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(kv); i += 2 {
				if kv[i] == k {
					return kv[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		env          func(string) string
		color, signs bool
	}{
		{env("TERM", "xterm", "LANG", "en_US.UTF-8"), true, true},
		{env("TERM", "xterm", "LANG", "C"), true, false},
		{env("TERM", "xterm", "NO_COLOR", "1", "LANG", "C.utf8"), false, true},
		{env("TERM", "dumb", "LANG", "en_US.UTF-8"), false, false},
		{env("TERM", "xterm", "LC_ALL", "POSIX", "LANG", "en_US.UTF-8"), true, false},
	} {
		if s := StyleOf(screen, c.env); s.Color != c.color || s.Unicode != c.signs || !s.TTY {
			t.Errorf("got %+v, want colour %v, signs %v", s, c.color, c.signs)
		}
	}
	if s := StyleOf(nil, env("TERM", "xterm", "LANG", "en_US.UTF-8")); s.Color || s.TTY {
		t.Errorf("no terminal, yet %+v", s)
	}
}
