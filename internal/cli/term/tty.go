package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), ioctlGetTermios)
	return err == nil
}

// size returns columns and rows, 0 where unknown.
func size(f *os.File) (width, height int) {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(w.Col), int(w.Row)
}

// change sets the terminal's mode and returns what undoes it. Signals stay on,
// so Ctrl-C works in every mode. What was typed so far is dropped.
func change(f *os.File, edit func(*unix.Termios)) (undo func(), err error) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	mode := *old
	edit(&mode)
	if err := unix.IoctlSetTermios(fd, ioctlSetTermiosFlush, &mode); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermios, old) }, nil
}

// singleKeys hands over each key as it is typed, unechoed.
func singleKeys(t *unix.Termios) {
	t.Lflag &^= unix.ICANON | unix.ECHO
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
}

// unechoed shows nothing of what is typed, but takes whole lines.
func unechoed(t *unix.Termios) { t.Lflag &^= unix.ECHO }
