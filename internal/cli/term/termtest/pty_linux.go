package termtest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// PTY opens a pseudo terminal of 80 by 24: what is written to keyboard is
// typed, and what a program prints is read from it. Both are closed at the
// test's end; where this machine has none, the test is skipped.
func PTY(t testing.TB) (screen, keyboard *os.File) {
	t.Helper()
	m, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	fd := int(m.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	s, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { s.Close(); m.Close() })
	return s, m
}

// Press types keys until done is closed or something can be received from it, a
// few times a second: the kernel may hand two strokes over as one, which nobody
// takes for a key.
func Press[T any](t testing.TB, keyboard *os.File, keys string, done <-chan T) T {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		if _, err := keyboard.WriteString(keys); err != nil {
			t.Fatal(err)
		}
		select {
		case v := <-done:
			return v
		case <-tick.C:
		}
	}
	t.Fatalf("nobody took %q", keys)
	var none T
	return none
}
