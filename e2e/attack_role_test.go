package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vyre"
)

// attackMark makes this binary an attacker's program: attackMark, role, arguments.
const attackMark = "vyre-e2e-attack"

// runAttack plays one role and prints what came of it.
func runAttack(args []string) int {
	var err error
	switch role := args[0]; role {
	case "call": // door, tool, input
		tried(callAt(args[1], args[2], args[3]))
	case "every": // list of tools, doors…
		err = every(args[1], args[2:])
	case "run-away": // ask over a connection and be gone before anybody looks
		err = runAway(args[1], args[2], args[3])
	case "exec": // connect, become another program, ask
		err = execBetween(args[1], args[2], args[3])
	case "pass": // connect, hand the connection on, die; the other asks
		err = passOn(args[1], args[2], args[3])
	case "passed":
		err = overFD(3, args[1], args[2])
	case "give": // hand a connection of ours to whoever listens, who asks
		err = give(args[1], args[2], args[3], args[4])
	case "take":
		err = take(args[1], args[2], args[3])
	case "orphan": // a program as an orphan of an own session
		err = orphan(args[1:])
	case "leave": // the control group, and become a program
		err = leave(args[1:])
	default:
		err = fmt.Errorf("no role %q", role)
	}
	if err != nil {
		fmt.Println(err)
		fmt.Println("TRIED kernel")
		return 1
	}
	return 0
}

func tried(code string) { fmt.Println("TRIED " + code) }

// callAt makes a call at a door and returns the code of the refusal, or ok.
func callAt(door, tool, input string) string {
	c := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}
	url := door
	if !strings.HasPrefix(door, "http:") {
		url = "http://localhost"
		c.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", door)
		}}
	}
	res, err := c.Post(url+"/v1/tools/"+tool, "application/json", strings.NewReader(input))
	if err != nil {
		fmt.Println(err)
		return "kernel"
	}
	defer res.Body.Close()
	return codeOf(res)
}

func codeOf(res *http.Response) string {
	body, _ := io.ReadAll(res.Body)
	fmt.Println(string(bytes.TrimSpace(body)))
	if res.StatusCode/100 == 2 {
		return "ok"
	}
	var e vyre.Envelope
	if json.Unmarshal(body, &e) != nil || e.Error.Code == "" {
		return "status " + strconv.Itoa(res.StatusCode)
	}
	return string(e.Error.Code)
}

// every calls each tool of a list at each door.
func every(list string, doors []string) error {
	b, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	for _, door := range doors {
		for tool := range strings.FieldsSeq(string(b)) {
			tried(callAt(door, tool, "{}"))
		}
	}
	return nil
}

func request(tool, input string) []byte {
	return fmt.Appendf(nil, "POST /v1/tools/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", tool, len(input), input)
}

func runAway(sock, tool, input string) error {
	for range 50 {
		c, err := net.Dial("unix", sock)
		if err != nil {
			return err
		}
		_, err = c.Write(request(tool, input))
		if err != nil {
			return err
		}
		_ = c.Close()
	}
	c, err := net.Dial("unix", sock)
	if err != nil {
		return err
	}
	if _, err = c.Write(request(tool, input)); err != nil {
		return err
	}
	tried("no answer") // the process ends now; what the ask says in the end tells
	return nil
}

func dialFile(sock string) (*os.File, error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: sock, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.File()
}

func execBetween(sock, tool, input string) error {
	f, err := dialFile(sock)
	if err != nil {
		return err
	}
	if err := dup(int(f.Fd()), 3); err != nil && int(f.Fd()) != 3 {
		return err
	}
	if _, err := unix.FcntlInt(3, unix.F_SETFD, 0); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	copied := filepath.Join(os.TempDir(), "bash-of-a-person")
	if b, err := os.ReadFile(self); err != nil || os.WriteFile(copied, b, 0o700) != nil {
		return fmt.Errorf("no copy: %w", err)
	}
	return syscall.Exec(copied, []string{"-bash", attackMark, "passed", tool, input}, []string{})
}

// overFD asks over a connection that was inherited.
func overFD(fd uintptr, tool, input string) error {
	f := os.NewFile(fd, "connection")
	defer f.Close()
	if len(os.Args) > 5 { // wait until the one who connected is gone
		parent, err := strconv.Atoi(os.Args[5])
		if err != nil {
			return err
		}
		for i := 0; i < 400 && os.Getppid() == parent; i++ {
			<-time.NewTimer(5 * time.Millisecond).C // a parent that ends tells nobody but the kernel
		}
	}
	if _, err := f.Write(request(tool, input)); err != nil {
		return err
	}
	return answerFrom(f)
}

func answerFrom(r io.Reader) error {
	b, err := io.ReadAll(r)
	if len(b) == 0 {
		return fmt.Errorf("no answer: %w", err)
	}
	_, body, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	fmt.Println(string(b))
	var e vyre.Envelope
	i := bytes.IndexByte(body, '{')
	switch {
	case bytes.Contains(b[:min(len(b), 15)], []byte(" 200")):
		tried("ok")
	case i >= 0 && json.NewDecoder(bytes.NewReader(body[i:])).Decode(&e) == nil:
		tried(string(e.Error.Code))
	default:
		tried("status")
	}
	return nil
}

func passOn(sock, tool, input string) error {
	f, err := dialFile(sock)
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0], attackMark, "passed", tool, input, strconv.Itoa(os.Getpid()))
	cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = []*os.File{f}, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// give connects to the daemon and sends the connection to a second process over a
// socketpair of the file system (SCM_RIGHTS).
func give(sock, at, tool, input string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return err
	}
	defer l.Close()
	cmd := exec.Command(os.Args[0], attackMark, "take", at, tool, input)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	c, err := l.AcceptUnix()
	if err != nil {
		return err
	}
	defer c.Close()
	f, err := dialFile(sock)
	if err != nil {
		return err
	}
	if _, _, err := c.WriteMsgUnix([]byte{0}, unix.UnixRights(int(f.Fd())), nil); err != nil {
		return err
	}
	return cmd.Wait()
}

func take(at, tool, input string) error {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return err
	}
	defer c.Close()
	buf, oob := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := c.ReadMsgUnix(buf, oob)
	if err != nil {
		return err
	}
	ms, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(ms) == 0 {
		return fmt.Errorf("nothing was given: %w", err)
	}
	fds, err := unix.ParseUnixRights(&ms[0])
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fds[0]), "given")
	defer f.Close()
	if _, err := f.Write(request(tool, input)); err != nil {
		return err
	}
	return answerFrom(f)
}

// orphan runs a program that begins once its parent is gone, in a session of its own
// and with an empty environment. The caller waits for its output's end.
func orphan(args []string) error {
	if args[0] == "begin" {
		parent, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		for i := 0; i < 400 && os.Getppid() == parent; i++ {
			<-time.NewTimer(5 * time.Millisecond).C // a parent that ends tells nobody but the kernel
		}
		return syscall.Exec(args[2], args[2:], []string{"PATH=/usr/bin:/bin"})
	}
	cmd := exec.Command(os.Args[0], append([]string{attackMark, "orphan", "begin", strconv.Itoa(os.Getpid())}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// leave writes itself into the top control group and becomes a program.
func leave(args []string) error {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	err = fmt.Errorf("no control group can be written to")
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if !strings.Contains(line, " - cgroup2 ") || len(f) < 5 {
			continue
		}
		if err = os.WriteFile(filepath.Join(f[4], "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0); err == nil {
			return syscall.Exec(args[0], args, os.Environ())
		}
	}
	return err
}
