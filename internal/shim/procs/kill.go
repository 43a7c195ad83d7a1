package procs

import "syscall"

// freezeRounds bounds how often a round looks for children that were made
// while it stopped their parents; the next round goes on from there.
const freezeRounds = 16

// KillTree does one round of ending what list returns: it stops every process
// until no new one appears (so that none can fork itself out of the list), then
// kills them all. It returns how many were there; 0 means that none is left.
// The caller repeats it: a process that died since may have left children.
func KillTree(list func() ([]Proc, error)) (int, error) {
	stopped := map[int]uint64{}
	var all []Proc
	for range freezeRounds {
		found, err := list()
		if err != nil {
			return 0, err
		}
		all = found
		fresh := false
		for _, p := range found {
			if start, ok := stopped[p.PID]; ok && start == p.Start {
				continue
			}
			fresh = true
			stopped[p.PID] = p.Start
			_ = Signal(p.PID, p.Start, syscall.SIGSTOP) // it may be gone: the next look tells
		}
		if !fresh {
			break
		}
	}
	for _, p := range all {
		_ = Signal(p.PID, p.Start, syscall.SIGKILL)
	}
	return len(all), nil
}
