package procs

import "errors"

// Proc is one process as it was seen.
type Proc struct {
	PID, PPID, PGID, SID int
	Start                uint64 // clock ticks since boot (Linux), microseconds since the epoch (macOS)
	State                byte   // as in /proc/<pid>/stat: R S D T Z X …
}

// ErrGone means that there is no such process (any more).
var ErrGone = errors.New("no such process")

// Dead reports whether the process can run nothing any more.
func (p Proc) Dead() bool { return p.State == 'Z' || p.State == 'X' || p.State == 'x' }

// Alive reports whether the process pid that started at start still runs.
func Alive(pid int, start uint64) bool {
	p, err := Stat(pid)
	return err == nil && p.Start == start && !p.Dead()
}

// Descendants returns every living descendant of root, root itself left out,
// parents before children.
func Descendants(root int) ([]Proc, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	return Below(all, func(p Proc) bool { return p.PPID == root }), nil
}

// Below returns the processes of all that top holds for, and their descendants.
func Below(all []Proc, top func(Proc) bool) []Proc {
	children := make(map[int][]int, len(all))
	var queue []int
	for i, p := range all {
		children[p.PPID] = append(children[p.PPID], i)
		if top(p) {
			queue = append(queue, i)
		}
	}
	seen := map[int]bool{}
	var found []Proc
	for len(queue) > 0 {
		p := all[queue[0]]
		queue = queue[1:]
		if seen[p.PID] {
			continue
		}
		seen[p.PID] = true
		if !p.Dead() {
			found = append(found, p)
		}
		queue = append(queue, children[p.PID]...)
	}
	return found
}

// Inside reports whether pid is root or a descendant of it. When the chain of
// parents can't be followed to its end the answer is an error, not a no.
func Inside(pid, root int) (bool, error) {
	for range 1 << 16 { // longer than any chain, so that a changing tree can't hold us
		if pid == root {
			return true, nil
		}
		if pid <= 1 {
			return false, nil
		}
		p, err := Stat(pid)
		if err != nil {
			return false, err
		}
		pid = p.PPID
	}
	return false, ErrGone
}
