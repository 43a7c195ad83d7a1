package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Daemons and agents live in sessions of their own, so they outlive a test process
// that is killed: its cleanups don't run then. A watcher does it for them: this program
// again, in a session of its own, which reads from a pipe that ends with the tests.
const (
	watchMode  = "VYRE_E2E_WATCH"  // the folder that everything of the tests lies in
	victimMode = "VYRE_E2E_VICTIM" // a test process that is to be killed
	builtMode  = "VYRE_E2E_BUILT"  // the program under test, built already
)

// watchOver starts the watcher of a folder and returns how to end it.
func watchOver(dir string) (func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), watchMode+"="+dir), r, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { w.Close(); _ = cmd.Wait() }, nil
}

// sweepBound is how long a sweep goes on at most.
const sweepBound = 20 * time.Second

// runWatcher waits for the end of the tests, ends what they left and removes their folder.
func runWatcher(dir string) int {
	_, _ = io.Copy(io.Discard, os.Stdin)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(sweepBound); time.Now().Before(end); <-tick.C {
		left := pidsOf(dir)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			break
		}
	}
	_ = os.RemoveAll(dir)
	return 0
}

// pidsOf lists the processes whose arguments, environment or program name a folder.
func pidsOf(dir string) []int {
	var out []int
	for line := range strings.Lines(processesOf(dir)) {
		first, _, _ := strings.Cut(line, " ")
		if pid, err := strconv.Atoi(first); err == nil && pid != os.Getpid() {
			out = append(out, pid)
		}
	}
	programs, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, p := range programs {
		if to, err := os.Readlink(p); err == nil && strings.HasPrefix(to, dir+"/") {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(p))); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// A test process that is killed leaves no daemon, agent, parent of a session or folder.
func TestKilledTestsLeaveNothing(t *testing.T) {
	if os.Getenv(victimMode) != "" {
		h := newHome(t)
		gate := h.api.Gate("hold")
		id := h.begin("gate hold\nsay never")
		if err := gate.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		fmt.Println("pids", h.status().PID, strings.Trim(fmt.Sprint(h.pids(id)), "[]"))
		fmt.Println("dir", filepath.Dir(os.Getenv("TMPDIR")))
		<-t.Context().Done() // it is killed
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestKilledTestsLeaveNothing$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), victimMode+"=1", builtMode+"="+vyreBin, "TMPDIR=/tmp") // short paths for its sockets
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	dir := ""
	lines := bufio.NewScanner(out)
	for dir == "" && lines.Scan() {
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		switch kind {
		case "pids":
			for f := range strings.FieldsSeq(rest) {
				pid, err := strconv.Atoi(f)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, pid)
			}
		case "dir":
			dir = rest
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if len(pids) < 3 || dir == "" {
		t.Fatalf("the test process did not get there: %v %q", pids, dir)
	}
	h := &home{t: t}
	h.goneAll(pids)
	h.eventually("the end of the folder", func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) })
}
