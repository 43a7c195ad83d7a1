package shim

import "golang.org/x/sys/unix"

// monotonic is a clock that all processes of the machine share, in nanoseconds.
func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
