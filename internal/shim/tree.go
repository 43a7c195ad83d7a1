package shim

import (
	"context"

	"vyre/internal/engine"
	"vyre/internal/shim/cgroup"
	"vyre/internal/shim/procs"
)

// Tree lists the session's processes, the shim included; see engine.Process.
// Empty when none is left. The shim is not asked. Errors: internal where the
// machine hides processes, timeout.
func (p *process) Tree(ctx context.Context) ([]engine.Member, error) {
	if p.s.BootID != "" && p.s.BootID != p.l.bootID {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	t := p.traces()
	found, err := t.list()
	if err != nil {
		return nil, fault("this machine does not show its processes", err)
	}
	if t.shim.PID != 0 {
		if s, err := procs.Stat(t.shim.PID); err == nil && s.Start == t.shim.Start && !s.Dead() {
			found = append([]procs.Proc{s}, found...)
		}
	}
	seen := map[int]bool{}
	var members []engine.Member
	add := func(q procs.Proc) {
		if !seen[q.PID] {
			seen[q.PID] = true
			members = append(members, engine.Member{PID: q.PID, PGID: q.PGID, SID: q.SID})
		}
	}
	for _, q := range found {
		add(q)
	}
	for _, q := range p.inGroup() {
		add(q)
	}
	if ctx.Err() != nil { // the machine was slow to say
		return nil, contextError(ctx)
	}
	return members, nil
}

// inGroup lists who is in the session's control group: what left the tree of
// parents is still there.
func (p *process) inGroup() []procs.Proc {
	if p.s.Cgroup == "" {
		return nil
	}
	pids, err := (cgroup.Group{Path: p.s.Cgroup, ID: p.s.CgroupID}).Members()
	if err != nil {
		return nil
	}
	var found []procs.Proc
	for _, pid := range pids {
		if q, err := procs.Stat(pid); err == nil && !q.Dead() {
			found = append(found, q)
		}
	}
	return found
}
