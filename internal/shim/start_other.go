//go:build !linux

package shim

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/cgroup"
)

func cloexecPair() ([2]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(p[0])
		unix.CloseOnExec(p[1])
	}
	return p, err
}

// startShim starts the shim. There are no control groups here.
func startShim(program string, boot, lock *os.File, _ cgroup.Group) (child, error) {
	pid, err := launch(program, boot, lock, &syscall.SysProcAttr{})
	if err != nil {
		pid = 0
	}
	return child{pid: pid, pidfd: -1}, err
}
