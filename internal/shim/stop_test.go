package shim

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/internal/shim/procs"
)

// levels runs a test with and without a control group.
func levels(t *testing.T, f func(t *testing.T, b *bench)) {
	t.Run("L2", func(t *testing.T) {
		b := newBench(t)
		if b.parent == "" {
			t.Skip("no control group to be had here")
		}
		f(t, b)
	})
	t.Run("L1", func(t *testing.T) { f(t, newBench(t, func(c *Config) { c.NoCgroup = true })) })
}

// brood is an agent that leaves children in every way there is; each writes its
// pid. The agent itself hears nothing but KILL when told so.
const brood = `
trap '' HUP
child='echo $$ >> pids; trap "" HUP; exec sleep 1000'
sh -c "$child" &
setsid sh -c "$child" &
(setsid sh -c "$child" &) &
(setsid sh -c "trap '' TERM; $child" &) &
nohup setsid sh -c "(setsid sh -c '$child' &)" >/dev/null 2>&1 &
while [ "$(wc -l < pids 2>/dev/null || echo 0)" -lt 5 ]; do sleep 0.01; done
echo ready
`

// kids reads the pids file of a brood, with the start times that tell them apart.
func kids(t testing.TB, dir string) []procs.Proc {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "pids"))
	if err != nil {
		t.Fatal(err)
	}
	var all []procs.Proc
	for f := range strings.FieldsSeq(string(raw)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := procs.Stat(pid); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func allGone(t testing.TB, all []procs.Proc) {
	t.Helper()
	for _, p := range all {
		if procs.Alive(p.PID, p.Start) {
			t.Errorf("process %d is left", p.PID)
			_ = procs.Signal(p.PID, p.Start, syscall.SIGKILL)
		}
	}
}

func TestStopEndsTheTree(t *testing.T) {
	// Stop ends the agent and everything it started, detached and deaf ones too,
	// and returns only when nobody is left; repeated it is no error.
	levels(t, func(t *testing.T, b *bench) {
		for name, end := range map[string]string{
			"agent ends with its input": "cat >/dev/null",
			"agent is deaf":             "trap '' TERM; while :; do sleep 0.1; done",
			"agent exits first":         "exit 0",
		} {
			t.Run(name, func(t *testing.T) {
				cmd := script(t, brood+end)
				s, p := b.start(cmd)
				expect(t, p, "ready")
				all := kids(t, cmd.Dir)
				if len(all) != 5 {
					t.Fatalf("%d of 5 children run", len(all))
				}
				begin := time.Now()
				if err := p.Stop(ctx(t)); err != nil {
					t.Fatal(err)
				}
				t.Logf("stop took %v", time.Since(begin))
				allGone(t, all)
				b.nothingRuns(s)
				closed(t, "the exit is known", p.Done())
				if err := p.Stop(ctx(t)); err != nil {
					t.Fatalf("again: %v", err)
				}
			})
		}
	})
}

func TestStopWhoLeftTheGroup(t *testing.T) {
	// A process that moved itself out of the session's control group and lost its
	// parents is still below the shim, and is ended. (Shut in it can't move itself.)
	b := newBench(t, unconfined)
	if b.parent == "" {
		t.Skip("no control group to be had here")
	}
	cmd := script(t, `(setsid sh -c 'echo $$ > "$1"/cgroup.procs && echo $$ >> pids; trap "" TERM HUP; exec sleep 1000' sh "$P" &)
while [ ! -s pids ]; do sleep 0.01; done; echo ready; read x`)
	cmd.Env = append(cmd.Env, "P="+b.parent)
	s, p := b.start(cmd)
	expect(t, p, "ready")
	all := kids(t, cmd.Dir)
	if group := groupOf(t, all[0].PID); strings.Contains(group, b.groupName(s.ID)) {
		t.Fatalf("it did not leave: %s", group)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	allGone(t, all)
	b.nothingRuns(s)
}

func groupOf(t *testing.T, pid int) string {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestStopForker(t *testing.T) {
	// A process that forks itself away again and again does not outrun Stop.
	levels(t, func(t *testing.T, b *bench) {
		cmd := helper(t, "forker")
		mark := "SESSION=" + vyre.NewID()
		cmd.Env = append(cmd.Env, mark)
		s, p := b.start(cmd)
		expect(t, p, "forking")
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		b.nothingRuns(s)
		all, err := procs.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range all {
			if q.Dead() {
				continue
			}
			env, _ := os.ReadFile("/proc/" + strconv.Itoa(q.PID) + "/environ")
			if strings.Contains(string(env), mark) {
				t.Errorf("a hop is left: %d", q.PID)
			}
		}
	})
}

func TestStopAfterShimKilled(t *testing.T) {
	// With the shim killed, Stop still ends what is provably the session's: all of
	// it in a control group; the agent with its own children without one.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, `sh -c 'echo $$ >> pids; exec sleep 1000' & while [ ! -s pids ]; do sleep 0.01; done; echo $$ >> pids; echo ready; trap '' TERM HUP PIPE; while :; do sleep 1; done`)
		s, p := b.start(cmd)
		expect(t, p, "ready")
		all := kids(t, cmd.Dir)
		if err := procs.Signal(s.PID, s.StartTime, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		closed(t, "the death of the shim is seen", p.Done())
		if e := p.Exit(); e.Code != -1 || e.Signal != exitUnknown {
			t.Fatalf("exit %+v", e)
		}
		if err := p.Send(ctx(t), 1, []byte("x\n")); vyre.CodeOf(err) != vyre.CodeUnavailable {
			t.Fatalf("send: %v", err)
		}
		p.Detach()
		q := b.adopt(s)
		if err := q.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		allGone(t, all)
		b.nothingRuns(s)
	})
}

func TestStopFrozenShim(t *testing.T) {
	// An agent of the same user may stop its shim; it is woken, or ended by force.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, brood+"trap '' TERM; while :; do sleep 0.1; done")
		s, p := b.start(cmd)
		expect(t, p, "ready")
		all := kids(t, cmd.Dir)
		if err := procs.Signal(s.PID, s.StartTime, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		allGone(t, all)
		b.nothingRuns(s)
	})
}

func TestStopPrepared(t *testing.T) {
	// A session that was never let go is stopped at once and ran nothing.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, "echo ran > ran")
		s, p := b.prepare(cmd)
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		b.nothingLeft(s)
		if _, err := os.Stat(filepath.Join(cmd.Dir, "ran")); err == nil {
			t.Fatal("the agent ran")
		}
		if lines := collect(t, p); len(lines) != 0 {
			t.Fatalf("read %q", texts(lines))
		}
	})
}

func TestStopStarting(t *testing.T) {
	// From a start that was cut short only the id is known: the shim, its group and
	// its socket are found and ended all the same.
	levels(t, func(t *testing.T, b *bench) {
		s := b.session()
		full, p, err := b.Prepare(ctx(t), s, script(t, "echo never"))
		if err != nil {
			t.Fatal(err)
		}
		p.Detach()
		q := b.adopt(s) // nothing but id, folder and token
		closed(t, "it is over", q.Done())
		if err := q.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		b.buryLost()
		b.nothingLeft(full)
	})
}

func TestDiscard(t *testing.T) {
	// The folder of an ended session can be removed, that of a running one not.
	b := newBench(t)
	s, p := b.start(script(t, "echo kept; read x"))
	expect(t, p, "kept")
	if err := b.Discard(s); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Fatalf("error %v", err)
	}
	if err := p.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); err != nil {
		t.Fatalf("stop removed what an agent wrote: %v", err)
	}
	for range 2 {
		if err := b.Discard(s); err != nil {
			t.Fatal(err)
		}
	}
	b.nothingLeft(s)
}

func TestNoZombies(t *testing.T) {
	// A shim that ended after Detach is reaped at the next start, and its status is
	// nobody else's.
	b := newBench(t)
	s, p := b.start(script(t, "read x"))
	p.Detach()
	if err := procs.Signal(s.PID, s.StartTime, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// Its leader may be a zombie while another of its threads still ends: only when
	// all are gone can it be reaped.
	until(t, "it can be reaped", func() bool {
		threads, err := os.ReadDir("/proc/" + strconv.Itoa(s.PID) + "/task")
		return !procs.Alive(s.PID, s.StartTime) && (err != nil || len(threads) <= 1)
	})
	other := exec.Command("/bin/sh", "-c", "exit 9")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	q := b.adopt(s)
	if left, err := procs.Stat(s.PID); err == nil && left.Start == s.StartTime {
		t.Fatalf("it is left as %c", left.State)
	}
	_ = other.Wait()
	if code := other.ProcessState.ExitCode(); code != 9 {
		t.Fatalf("exit %d", code)
	}
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
}

func TestAdoptFrozenShim(t *testing.T) {
	// A shim that somebody stopped is woken by an adoption, which then works.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	p.Detach()
	if err := procs.Signal(s.PID, s.StartTime, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	q := b.adopt(s)
	send(t, q, 1, "awake\n")
	expect(t, q, "awake")
}

func TestAdoptWithoutToken(t *testing.T) {
	// A shim whose token is lost can't be controlled, but its output is read and it
	// is ended and proven gone.
	levels(t, func(t *testing.T, b *bench) {
		s, p := b.start(helper(t, "echo"))
		send(t, p, 1, "said\n")
		expect(t, p, "said")
		p.Detach()
		right := s.Token
		s.Token = "lost"
		q := b.adopt(s)
		expect(t, q, "said")
		if err := q.Send(ctx(t), 2, []byte("x\n")); err == nil {
			t.Fatal("it was let in")
		}
		s.Token = right
		if err := q.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		b.nothingRuns(s)
	})
}

func TestStopsAtOnce(t *testing.T) {
	// Many stops at once, racing the agent's own exit, all return nil.
	b := newBench(t)
	s, p := b.start(script(t, "sleep 0.05"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := p.Stop(ctx(t)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b.nothingRuns(s)
}

func TestAgentKilled(t *testing.T) {
	// An agent killed by somebody is known to be, with its signal, and what it left
	// is ended by Stop.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, brood+"cat >/dev/null")
		s, p := b.start(cmd)
		expect(t, p, "ready")
		all := kids(t, cmd.Dir)
		if err := p.Signal(ctx(t), "KILL"); err != nil {
			t.Fatal(err)
		}
		closed(t, "the exit is known", p.Done())
		if e := p.Exit(); e.Code != -1 || e.Signal != "killed" {
			t.Fatalf("exit %+v", e)
		}
		collect(t, p) // the end comes although others hold the agent's stdout
		if err := p.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		allGone(t, all)
		b.nothingRuns(s)
		if err := p.Signal(ctx(t), "KILL"); vyre.CodeOf(err) != vyre.CodeUnavailable {
			t.Fatalf("signal to nobody: %v", err)
		}
		if err := p.Signal(ctx(t), "NOSUCH"); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Fatalf("no such signal: %v", err)
		}
	})
}

func TestLeftoversEndThemselves(t *testing.T) {
	// What a dead agent left is ended by the shim when no daemon comes to do it.
	b := newBench(t, func(c *Config) { c.NoCgroup = true; c.Leftovers = 50 * time.Millisecond })
	cmd := script(t, brood+"exit 7")
	s, p := b.start(cmd)
	expect(t, p, "ready")
	all := kids(t, cmd.Dir)
	closed(t, "the exit is known", p.Done())
	p.Detach()
	until(t, "the shim is gone", func() bool { b.buryLost(); return !b.alive(s.BootID, s.PID, s.StartTime) })
	allGone(t, all)
	q := b.adopt(s)
	if e := q.Exit(); e.Code != 7 {
		t.Fatalf("exit %+v", e)
	}
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	b.nothingRuns(s)
}

func TestForeignProcessIsLeftAlone(t *testing.T) {
	// A record whose pid another process has today, or that is of another boot, is
	// never signalled.
	b := newBench(t)
	other := exec.Command("/bin/sleep", "1000")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	who, err := procs.Stat(other.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*vyre.Session){
		"another start time": func(s *vyre.Session) { s.StartTime = who.Start - 1 },
		"another boot":       func(s *vyre.Session) { s.BootID = "00000000-0000-0000-0000-000000000000" },
	} {
		t.Run(name, func(t *testing.T) {
			s := b.session()
			s.State, s.BootID, s.PID, s.StartTime = vyre.SessionLive, b.bootID, who.PID, who.Start
			s.PGID, s.SID, s.AgentPID = who.PID, who.PID, who.PID
			change(&s)
			p := b.adopt(s)
			closed(t, "it is over", p.Done())
			if err := p.Stop(ctx(t)); err != nil {
				t.Fatal(err)
			}
			if !procs.Alive(who.PID, who.Start) {
				t.Fatal("a foreign process was ended")
			}
			if want := map[bool]string{true: exitUnknown, false: exitRestart}[s.BootID == b.bootID]; p.Exit().Signal != want {
				t.Fatalf("exit %+v, want %s", p.Exit(), want)
			}
		})
	}
}
