package identity

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"vyre/internal/shim/procs"
)

// foreignLife is how long a look for foreign agents holds. It takes some
// milliseconds, too long for each call.
const foreignLife = 2 * time.Second

// foreign remembers which agent that no shim holds runs for this user.
type foreign struct {
	mu   sync.Mutex
	at   time.Time
	name string
}

// foreignAgent names an agent that runs for this user and that no vyre-shim of any
// home holds, or is empty. What such an agent detaches can't be told from a person, so
// the level is then L1 at best, and every answer's event says so. With fresh it is
// looked for now, else up to two seconds ago.
func (p *Peers) foreignAgent(fresh bool) string {
	p.foreign.mu.Lock()
	defer p.foreign.mu.Unlock()
	if fresh || time.Since(p.foreign.at) > foreignLife {
		p.foreign.name, p.foreign.at = p.lookForForeign(), time.Now()
	}
	return p.foreign.name
}

// lookForForeign fails closed: where processes can't be listed there may be one.
func (p *Peers) lookForForeign() string {
	all, err := procs.All()
	if err != nil {
		return "an agent that can't be seen, as processes can't be listed here"
	}
	w := p.walk(nil)
	bound := w.boundPIDs()
	for _, q := range all {
		if !owned(q.PID, p.uid) || q.Dead() {
			continue
		}
		name, is := w.programs.agent(w.sys.program(q.PID))
		if b, ok := bound[q.PID]; ok && b.Start == q.Start {
			name, is = b.Caller.ID, true
		}
		if !is {
			continue
		}
		chain, err := w.chain(q.PID)
		if errors.Is(err, procs.ErrGone) {
			continue
		}
		held := slices.ContainsFunc(chain, func(x procs.Proc) bool { return w.sys.program(x.PID).isShim() })
		if !held { // one whose parents can't be followed is not held either
			return name
		}
	}
	return ""
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
