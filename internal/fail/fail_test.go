package fail

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPoints(t *testing.T) {
	// A normal build passes every point; a test build dies by SIGKILL at the named
	// one, at its count, and at no other.
	dir := t.TempDir()
	for name, c := range map[string]struct {
		tags, fail string
		out        string
		killed     bool
	}{
		"normal build":  {"", "a.b", "1 2 3 ", false},
		"nothing named": {"failpoints", "", "1 2 3 ", false},
		"other point":   {"failpoints", "a.c,x", "1 2 3 ", false},
		"first time":    {"failpoints", "x,a.b", "", true},
		"third time":    {"failpoints", "a.b:3", "1 2 ", true},
		"nonsense":      {"failpoints", "a.b:x,,:", "1 2 3 ", false},
	} {
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(dir, "prog"+c.tags)
			if _, err := os.Stat(bin); err != nil {
				build := exec.Command("go", "build", "-tags", c.tags, "-o", bin, "./failtest")
				if msg, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, msg)
				}
			}
			cmd := exec.Command(bin)
			cmd.Env = []string{"VYRE_FAIL=" + c.fail}
			var out strings.Builder
			cmd.Stdout = &out
			_ = cmd.Run()
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if killed := status.Signaled() && status.Signal() == syscall.SIGKILL; killed != c.killed || out.String() != c.out {
				t.Fatalf("killed %v, said %q", killed, out.String())
			}
		})
	}
}
