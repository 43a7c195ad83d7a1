package gate

import "golang.org/x/sys/unix"

// Machine is the count of this machine: which start it is of, and the milliseconds since
// then. No clock that somebody sets moves it. Without a name of the start nothing is
// known, and ms is 0.
func Machine() (boot string, ms int64) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", 0
	}
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return "", 0
	}
	return id, ts.Nano() / 1e6
}
