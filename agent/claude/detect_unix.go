//go:build unix

package claude

import (
	"os/exec"
	"syscall"
)

// ownGroup lets the end of the time also end what the program started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
