//go:build failpoints

package fail

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Enabled says whether this build honours VYRE_FAIL.
const Enabled = true

// variable names the points; it is read at each point, as a test may set it late.
const variable = "VYRE_FAIL"

// passed counts how often each point was reached. Any goroutine may pass one.
var passed struct {
	sync.Mutex
	n map[string]int
}

// Point kills this process when VYRE_FAIL names the point and its turn has come.
func Point(name string) {
	want, ok := wanted(os.Getenv(variable), name)
	if !ok {
		return
	}
	passed.Lock()
	if passed.n == nil {
		passed.n = map[string]int{}
	}
	passed.n[name]++
	n := passed.n[name]
	passed.Unlock()
	if n == want {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way; nothing may run any more
	}
}

// ForChild returns what has to be added to a child's environment so that its
// points are honoured too.
func ForChild() []string {
	v := os.Getenv(variable)
	if v == "" {
		return nil
	}
	return []string{variable + "=" + v}
}

func wanted(list, name string) (n int, ok bool) {
	for entry := range strings.SplitSeq(list, ",") {
		point, count, counted := strings.Cut(entry, ":")
		if point != name {
			continue
		}
		if !counted {
			return 1, true
		}
		n, err := strconv.Atoi(count)
		return n, err == nil
	}
	return 0, false
}
