package gate

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Machine is the count of this machine: which start it is of, and the milliseconds since
// then, sleep included. No clock that somebody sets moves it. Without a name of the
// start nothing is known, and ms is 0.
func Machine() (boot string, ms int64) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0
	}
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return "", 0
	}
	return strings.TrimSpace(string(b)), ts.Nano() / 1e6
}
