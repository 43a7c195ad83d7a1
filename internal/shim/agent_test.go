package shim

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre/agent"
)

// agentMode makes this test binary an agent.
const agentMode = "VYRE_SHIM_TEST_AGENT"

// helper runs this binary as an agent of a mode.
func helper(t testing.TB, mode string, args ...string) agent.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return agent.Command{Path: self, Args: args, Env: append([]string{agentMode + "=" + mode, "GORACE=atexit_sleep_ms=0"}, environ...), Dir: t.TempDir()}
}

func runAgent(mode string) int {
	switch mode {
	case "echo": // says back what it hears, at once
		_, _ = io.Copy(struct{ io.Writer }{os.Stdout}, os.Stdin)
		return 0
	case "long": // a line of 20 MB, then a normal one
		w := bufio.NewWriter(os.Stdout)
		for range 20 {
			w.WriteString(strings.Repeat("x", 1_000_000))
		}
		w.WriteString("\nnormal\n")
		w.Flush()
		return 0
	case "lines": // n numbered lines of a width
		n, _ := strconv.Atoi(os.Args[1])
		width, _ := strconv.Atoi(os.Args[2])
		w := bufio.NewWriterSize(os.Stdout, 3000)
		for i := range n {
			fmt.Fprintln(w, countingLine(i, width))
		}
		w.Flush()
		return 0
	case "count", "count-flood": // says how long each line was; floods on request
		countLines(mode == "count-flood")
		return 0
	case "control", "control-detached", "control-child": // attacks its own shim
		r := bufio.NewReader(os.Stdin)
		socket, _ := r.ReadString('\n')
		token, _ := r.ReadString('\n')
		if mode == "control-detached" {
			attackDetached(socket, token)
		} else {
			fmt.Println(controlAttack(strings.TrimSpace(socket), strings.TrimSpace(token)))
		}
		_, _ = r.ReadString('\n')
		return 0
	case "clock": // says the time, again and again
		n, _ := strconv.Atoi(os.Args[1])
		tick := time.NewTicker(2 * time.Millisecond)
		for range n {
			<-tick.C
			fmt.Println(monotonic())
		}
		return 0
	case "forker": // starts itself anew, detached, and dies, again and again
		fmt.Println("forking")
		hop()
		return 0
	}
	return 99
}

func countLines(flood bool) {
	r := bufio.NewReaderSize(os.Stdin, 1<<16)
	n := 0
	for {
		part, err := r.ReadSlice('\n')
		n += len(part)
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return
		case flood && string(part) == "flood\n":
			for range 200 {
				fmt.Println(strings.Repeat("z", 100_000))
			}
			fmt.Println("flooded")
			n = 0
		default:
			fmt.Println(n)
			n = 0
		}
	}
}

// attackDetached attacks from a process of another session whose parent is gone.
func attackDetached(socket, token string) {
	self, err := os.Executable()
	if err != nil {
		return
	}
	sh := exec.Command("/bin/sh", "-c", `(printf '%s%s' "$1" "$2" | setsid "$0" &)`, self, socket, token)
	sh.Env = []string{agentMode + "=control-child", "PATH=/usr/bin:/bin"}
	sh.Stdout, sh.Stderr = os.Stdout, os.Stderr
	_ = sh.Run()
}

func hop() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	_, _ = os.StartProcess(self, []string{self}, &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
}
