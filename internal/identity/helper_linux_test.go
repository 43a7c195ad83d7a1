package identity

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// The tests start real processes: this binary again, with a role as its first
// argument (not in the environment, which some of them lose).
const helperMark = "vyre-identity-helper"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == helperMark {
		if err := play(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, os.Args[2]+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play runs one role.
func play(role string, args []string) error {
	switch role {
	case "dial":
		return dial(args)
	case "root":
		return root(args)
	case "between":
		return between(args)
	case "pass":
		return pass(args)
	case "judge":
		return judge(args)
	case "hold":
		return hold()
	}
	return fmt.Errorf("no role %q", role)
}

// helper is this binary in a role.
func helper(role string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, append([]string{helperMark, role}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// dial waits for the end of descriptor 3 if there is one, connects to a socket,
// and stays until the other end hangs up.
func dial(args []string) error {
	if len(args) > 1 {
		if _, err := io.Copy(io.Discard, os.NewFile(3, "gate")); err != nil {
			return err
		}
	}
	c, err := net.Dial("unix", args[0])
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, c) // any end of it will do
	return nil
}

// root is a session's root: it starts what its stdin asks for, line by line, and
// ends when that ends. With "subreaper" it takes orphans in.
func root(args []string) error {
	if args[0] == "subreaper" {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if err := spawn(f[0], f[1]); err != nil {
			return err
		}
	}
	return lines.Err()
}

// spawn starts a dialer in one of the ways in which processes slip away.
func spawn(how, socket string) error {
	var cmd *exec.Cmd
	switch how {
	case "child":
		cmd = helper("dial", socket)
	case "setsid":
		cmd = helper("dial", socket)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "pass":
		cmd = helper("pass", socket)
	case "orphan", "setsid-orphan":
		cmd = helper("between", how, socket)
	default:
		return fmt.Errorf("no way %q", how)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// between starts a dialer that connects only once between is gone, with an
// empty environment, and in a session of its own if asked.
func between(args []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := helper("dial", args[1], "gate")
	cmd.ExtraFiles = []*os.File{r}
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: args[0] == "setsid-orphan"}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer w.Close() // with our end, the dialer sees the end of the pipe
	return cmd.Process.Release()
}

// pass connects, hands the connection to another process and dies.
func pass(args []string) error {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: args[0], Net: "unix"})
	if err != nil {
		return err
	}
	f, err := c.File()
	if err != nil {
		return err
	}
	cmd := helper("hold")
	cmd.ExtraFiles = []*os.File{f}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// hold says over the connection that it has it, and stays until the hang-up.
func hold() error {
	f := os.NewFile(3, "connection")
	if _, err := f.WriteString("mine\n"); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, f)
	return nil
}
