package loginenv

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the process has exited, and leaves it to be reaped:
// kqueue tells of an exit without taking it. A process that is already a
// zombie can't be watched (ESRCH), which says the same.
func awaitExit(pid int) {
	kq, err := unix.Kqueue()
	if err != nil {
		return // the kill of the group then comes early; the shell gave what it could
	}
	defer unix.Close(kq)
	ev := make([]unix.Kevent_t, 1)
	unix.SetKevent(&ev[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	ev[0].Fflags = unix.NOTE_EXIT
	for {
		n, err := unix.Kevent(kq, ev, ev, nil)
		if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
