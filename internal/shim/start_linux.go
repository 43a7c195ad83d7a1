package shim

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/cgroup"
)

func cloexecPair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// startShim starts the shim, straight into its control group where there is
// one: there is no moment in which it, or a child, is outside.
func startShim(program string, boot, lock *os.File, g cgroup.Group) (child, error) {
	c := child{pidfd: -1}
	attr := &syscall.SysProcAttr{PidFD: &c.pidfd}
	if g.Path != "" {
		dir, err := g.Open()
		if err != nil {
			return c, err
		}
		defer dir.Close()
		attr.UseCgroupFD, attr.CgroupFD = true, int(dir.Fd())
	}
	pid, err := launch(program, boot, lock, attr)
	c.pid = pid
	if err != nil {
		c.pid = 0
	}
	return c, err
}
