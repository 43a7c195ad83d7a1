package term

import "golang.org/x/sys/unix"

const (
	ioctlGetTermios      = unix.TIOCGETA
	ioctlSetTermios      = unix.TIOCSETA
	ioctlSetTermiosFlush = unix.TIOCSETAF
)

// fread is FREAD of <sys/fcntl.h>: flush what was read from the keyboard.
const fread = 1

// flushTyped drops what was typed and not read yet.
func flushTyped(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fread) }
