package identity

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vyre"
)

// Who calls from another user, pid, mount or network namespace is nobody, although it
// hangs below the same parents as the person's shell; the hint speaks of containers.
func TestAnotherNamespaceIsNobody(t *testing.T) {
	for name, flag := range map[string]uintptr{
		"user": syscall.CLONE_NEWUSER, "pid": syscall.CLONE_NEWPID, "mount": syscall.CLONE_NEWNS, "network": syscall.CLONE_NEWNET,
	} {
		t.Run(name, func(t *testing.T) {
			d := listen(t)
			cmd := helper("dial", d.path)
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flag | syscall.CLONE_NEWUSER}
			if os.Geteuid() == 0 {
				cmd.SysProcAttr.Cloneflags = flag
			}
			if cmd.SysProcAttr.Cloneflags&syscall.CLONE_NEWUSER != 0 {
				cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
				cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
			}
			if err := cmd.Start(); err != nil {
				t.Skip("this machine makes no such namespace: ", err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
			_, err := NewPeers(books(nil), nil).Caller(d.accept(t))
			refused(t, err)
			if e := vyre.AsError(err); !strings.Contains(e.Message, name) || !strings.Contains(e.Hint, "container") {
				t.Errorf("got %q, %q", e.Message, e.Hint)
			}
		})
	}
}

// Where /proc hides other users' processes, or is not there at all, a caller can't be
// followed to the top, so nobody is the person.
func TestHiddenProcIsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount such a /proc and give up its rights below it")
	}
	for how, want := range map[string]string{"hidepid": "unauthenticated", "none": "unauthenticated", "plain": "person:owner:cli"} {
		t.Run(how, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "vyre-id")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(self)
			if err != nil {
				t.Fatal(err)
			}
			copied := filepath.Join(dir, "helper")
			if err := os.WriteFile(copied, b, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), copied, helperMark, "judge", how, filepath.Join(dir, "s"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatal(err, string(out))
			}
			if got := strings.TrimSpace(string(out)); !strings.HasPrefix(got, want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// judge is a daemon under an ordinary user whose /proc is not what it was; it prints
// what it takes a process of that user for.
func judge(args []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	var err error
	switch args[0] {
	case "hidepid":
		err = unix.Mount("proc", "/proc", "proc", 0, "hidepid=invisible")
	case "none":
		err = unix.Mount("tmpfs", "/proc", "tmpfs", 0, "")
	}
	if err != nil {
		return err
	}
	const nobodyUser = 65534
	if err := syscall.Setgid(nobodyUser); err != nil {
		return err
	}
	if err := syscall.Setuid(nobodyUser); err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: args[1], Net: "unix"})
	if err != nil {
		return err
	}
	defer l.Close()
	cmd := exec.Command(os.Args[0], helperMark, "dial", args[1])
	if err := cmd.Start(); err != nil {
		return err
	}
	c, err := l.AcceptUnix()
	if err != nil {
		return err
	}
	got, err := NewPeers(books(nil), nil).Caller(c)
	_ = c.Close()
	_ = cmd.Wait()
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	if err != nil {
		fmt.Fprintln(w, vyre.CodeOf(err), err)
		return nil
	}
	fmt.Fprintln(w, got)
	return nil
}
