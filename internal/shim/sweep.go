package shim

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"vyre/internal/shim/cgroup"
	"vyre/internal/shim/procs"
)

// sweep ends what the ladder left, without the shim's help, and returns nil
// when nobody of the session is left. It touches only what the records of this
// boot name: the control group by path and inode, processes by pid and start
// time, and their descendants.
func (p *process) sweep(ctx context.Context) error {
	if p.s.BootID != "" && p.s.BootID != p.l.bootID {
		return nil // nothing lives through a restart
	}
	ctx, cancel := context.WithTimeout(ctx, p.l.cfg.KillWait)
	defer cancel()
	pause := time.Millisecond
	for {
		t := p.traces()
		// Before the group: who left it is found through the shim, while that lives.
		if err := t.endProcesses(ctx); err != nil {
			return err
		}
		if err := p.endGroup(ctx); err != nil {
			return err
		}
		lives, err := shimLives(p.s.Dir)
		if err != nil {
			return fault("the session's folder can't be looked at", err)
		}
		if !lives {
			p.warnSuspects(t)
			break
		}
		// One that was born just before its daemon died: it leaves its record in a
		// moment, or ends because nobody told it what to do.
		select {
		case <-ctx.Done():
			return stillThere()
		case <-time.After(pause):
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
	if !p.isGone() && !wait(ctx, p.l.cfg.KillWait, p.gone) {
		return stillThere()
	}
	return nil
}

// endGroup ends the session's control group. A start that was cut short did not
// record it; its name tells, and a group of that name can only be ours.
func (p *process) endGroup(ctx context.Context) error {
	g := cgroup.Group{Path: p.s.Cgroup, ID: p.s.CgroupID}
	if g.Path == "" {
		if p.s.PID != 0 || p.l.parent == "" {
			return nil // it had none, or there are none here
		}
		var ok bool
		if g, ok = readGroup(p.s.Dir); !ok {
			g = cgroup.Group{Path: filepath.Join(p.l.parent, p.l.groupName(p.s.ID))}
		}
	}
	err := g.End(ctx)
	if errors.Is(err, cgroup.ErrOther) {
		return nil // ours is gone; this one is somebody else's
	}
	if err != nil {
		e := stillThere()
		e.Err = err
		return e
	}
	return nil
}

// traces is who a session's processes were, by the records.
type traces struct {
	shim, agent procs.Proc // PID 0: none in this boot
}

func (p *process) traces() traces {
	var t traces
	r, ok := readRecord(p.s.Dir)
	if !ok || r.BootID != p.l.bootID {
		r.PID, r.Agent = 0, 0
	}
	switch {
	case p.s.PID != 0:
		t.shim = procs.Proc{PID: p.s.PID, Start: p.s.StartTime}
		if r.PID != p.s.PID || r.StartTime != p.s.StartTime {
			r.Agent = 0 // the file is not of this session
		}
	case r.PID != 0:
		t.shim = procs.Proc{PID: r.PID, Start: r.StartTime}
	}
	if r.Agent != 0 && r.AgentStart != 0 {
		t.agent = procs.Proc{PID: r.Agent, Start: r.AgentStart}
	}
	return t
}

// list returns who is provably ours: below the shim while it lives; the agent
// while it lives, its session (a session's id can't be another's while its
// leader lives) and all below these.
func (t traces) list() ([]procs.Proc, error) {
	all, err := procs.All()
	if err != nil {
		return nil, err
	}
	shim, agent := t.shim.PID, t.agent.PID
	if shim != 0 && !procs.Alive(shim, t.shim.Start) {
		shim = 0
	}
	if agent != 0 && !procs.Alive(agent, t.agent.Start) {
		agent = 0
	}
	if shim == 0 && agent == 0 {
		return nil, nil
	}
	return procs.Below(all, func(p procs.Proc) bool {
		return (shim != 0 && p.PPID == shim) || (agent != 0 && (p.PID == agent || p.SID == agent))
	}), nil
}

// endProcesses kills who is ours until nobody is left, the shim last: its
// children would lose their common ancestor.
func (t traces) endProcesses(ctx context.Context) error {
	if err := untilNone(ctx, t.remembering(t.list)); err != nil {
		return err
	}
	return untilNone(ctx, func() ([]procs.Proc, error) {
		if t.shim.PID == 0 || !procs.Alive(t.shim.PID, t.shim.Start) {
			return nil, nil
		}
		return []procs.Proc{t.shim}, nil
	})
}

// remembering adds to what list returns those that it returned before and that
// live: who was ours once stays ours, whatever died above it.
func (t traces) remembering(list func() ([]procs.Proc, error)) func() ([]procs.Proc, error) {
	ours := map[int]procs.Proc{}
	return func() ([]procs.Proc, error) {
		found, err := list()
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			ours[p.PID] = p
		}
		found = found[:0:0]
		for pid, p := range ours {
			if procs.Alive(pid, p.Start) {
				found = append(found, p)
			} else {
				delete(ours, pid)
			}
		}
		return found, nil
	}
}

func untilNone(ctx context.Context, list func() ([]procs.Proc, error)) error {
	pause := time.Millisecond
	for {
		n, err := procs.KillTree(list)
		if err != nil {
			return fault("this machine does not show its processes", err)
		}
		if n == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return stillThere()
		case <-time.After(pause):
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// warnSuspects tells the log about processes that look like the session's but
// can't be proven to be: they are left alone. Without a control group and with
// the shim killed this can happen.
func (p *process) warnSuspects(t traces) {
	p.mu.Lock()
	empty := p.empty
	p.mu.Unlock()
	if empty || p.s.Cgroup != "" || t.agent.PID == 0 {
		return
	}
	all, err := procs.All()
	if err != nil {
		return
	}
	n := 0
	for _, q := range all {
		if q.SID == t.agent.PID && q.Start >= t.agent.Start && !q.Dead() {
			n++
		}
	}
	if n > 0 {
		p.l.cfg.Log.Warn("processes that may be of an ended session are left alone", "session", string(p.s.ID), "count", n)
	}
}
