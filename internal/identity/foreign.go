package identity

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"vyre/internal/shim/procs"
)

// foreignLife is how long a look for foreign agents holds. It takes some
// milliseconds, too long for each call.
const foreignLife = 2 * time.Second

// foreign remembers whether an agent runs for this user that no shim holds.
type foreign struct {
	mu    sync.Mutex
	at    time.Time
	found bool
}

// foreignAgent reports whether an agent that no vyre-shim of any home holds runs
// for this user. What it detaches can't be told from a person, so the level is
// then L1 at best, and every answer's event says so.
func (p *Peers) foreignAgent() bool {
	p.foreign.mu.Lock()
	defer p.foreign.mu.Unlock()
	if time.Since(p.foreign.at) > foreignLife {
		p.foreign.found, p.foreign.at = p.lookForForeign(), time.Now()
	}
	return p.foreign.found
}

func (p *Peers) lookForForeign() bool {
	all, err := procs.All()
	if err != nil {
		return false
	}
	w := walk{sys: p.sys, executables: p.executables}
	for _, q := range all {
		if !owned(q.PID, p.uid) || !w.isAgent(q.PID) {
			continue
		}
		chain, err := w.chain(q.PID)
		if err == nil && !slices.ContainsFunc(chain, func(x procs.Proc) bool { return w.isShim(x.PID) }) {
			return true
		}
	}
	return false
}

func (w *walk) isAgent(pid int) bool {
	return slices.ContainsFunc(w.sys.names(pid), func(n string) bool { return slices.Contains(w.executables, n) })
}

func (w *walk) isShim(pid int) bool {
	return slices.ContainsFunc(w.sys.names(pid), func(n string) bool {
		return n == shimName || strings.HasSuffix(n, "-"+shimName)
	})
}

// owned reports whether a process is a user's.
func owned(pid, uid int) bool {
	fi, err := os.Lstat("/proc/" + strconv.Itoa(pid))
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == uid
}
