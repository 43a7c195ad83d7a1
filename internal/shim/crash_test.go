package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vyre/internal/shim/procs"
	"vyre/internal/shim/shimtest"
)

// failingSelf is the path of this test binary, built so that it honours
// VYRE_FAIL, and the shim's beside it. Once; TestMain removes them.
var failingSelf = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "vyre-shim-test-")
	if err != nil {
		return "", err
	}
	builtDir.Store(&dir)
	msg, err := exec.Command("go", "test", "-c", "-tags", "failpoints", "-o", filepath.Join(dir, "daemon"), ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, msg)
	}
	return dir, nil
})

var builtDir atomic.Pointer[string]

func removeBuilt() {
	if dir := builtDir.Load(); dir != nil {
		_ = os.RemoveAll(*dir)
	}
}

// rig is a home whose daemons die.
type rig struct {
	t      *testing.T
	dir    string
	binary string
	orders string
	book   string
	launch *Launcher
}

func newRig(t *testing.T, o orders) *rig {
	t.Helper()
	built, err := failingSelf()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "vc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := &rig{t: t, dir: dir, binary: filepath.Join(dir, "daemon"), orders: filepath.Join(dir, "orders"), book: filepath.Join(dir, "book")}
	if err := os.Link(filepath.Join(built, "daemon"), r.binary); err != nil {
		t.Fatal(err)
	}
	o.Home, o.Run, o.Program, o.Book = filepath.Join(dir, "home"), filepath.Join(dir, "run"), filepath.Join(dir, "program"), r.book
	o.Agent.Path = r.binary // so that its processes are told by their program
	raw, err := json.Marshal(o)
	if err == nil {
		err = os.Mkdir(o.Run, 0o700)
	}
	if err == nil {
		err = os.WriteFile(r.orders, raw, 0o600)
	}
	if err == nil {
		err = os.WriteFile(o.Program, shimtest.FailingProgram(t), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := o.config()
	if err != nil {
		t.Fatal(err)
	}
	if r.launch, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs a daemon until it ends or, with kill, until it is killed then.
func (r *rig) run(fail string, kill time.Duration) (died bool) {
	r.t.Helper()
	cmd := exec.Command(r.binary)
	cmd.Env = []string{daemonMode + "=" + r.orders, "PATH=/usr/bin:/bin", "VYRE_FAIL=" + fail}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if kill > 0 {
		timer := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); ok && e.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		r.t.Fatalf("daemon (fail %q): %v\n%s", fail, err, out.String())
	}
	return false
}

// check looks for what the sessions of this home left.
func (r *rig) check() book {
	r.t.Helper()
	b, err := readBook(r.book)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, dir := range []string{r.launch.cfg.RuntimeDir, r.launch.parent} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".sock") || e.Name() == r.launch.groupName(b.Last.ID) {
				r.t.Errorf("%s is left", e.Name())
			}
		}
	}
	until(r.t, "no process of the home is left", func() bool { return len(r.processes()) == 0 })
	return b
}

// processes lists the shims and agents that run in this rig's folder.
func (r *rig) processes() (pids []int) {
	all, err := procs.All()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range all {
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
		if strings.HasPrefix(exe, r.dir+"/") && !p.Dead() {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func (r *rig) checkLines(b book, frames int) {
	r.t.Helper()
	if len(b.Lines) != frames {
		r.t.Fatalf("%d lines of %d: %q", len(b.Lines), frames, b.Lines)
	}
	for i, l := range b.Lines {
		if want := fmt.Sprintf("frame %d", i+1); l != want {
			r.t.Fatalf("line %d is %q, want %q", i, l, want)
		}
	}
}

var daemonPoints = []string{
	"shim.prepare.dir", "shim.prepare.group", "shim.prepare.spawned", "shim.prepare.told", "shim.prepare.ready",
	"shim.go", "shim.go.done", "shim.send", "shim.send:3",
	"shim.stop.end", "shim.stop.sweep", "shim.stop.proven",
}

var adoptPoints = []string{"shim.adopt.connected", "shim.adopt.welcomed"}

var shimPoints = []string{
	"vyre-shim.spec", "vyre-shim.record", "vyre-shim.listen", "vyre-shim.start", "vyre-shim.started",
	"vyre-shim.spool", "vyre-shim.spool:3", "vyre-shim.frame", "vyre-shim.frame:2",
	"vyre-shim.exit", "vyre-shim.exited", "vyre-shim.empty",
}

func bothLevels(t *testing.T, f func(t *testing.T, noCgroup bool)) {
	for level, no := range map[string]bool{"L2": false, "L1": true} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			f(t, no)
		})
	}
}

func TestDaemonKilledAtEachStep(t *testing.T) {
	// A daemon killed at any step of start, sending, adoption and stop: the next one
	// goes on, every frame is written once, every line is read once, and nothing is
	// left.
	bothLevels(t, func(t *testing.T, no bool) {
		adopted := 0
		for _, point := range daemonPoints {
			r := newRig(t, agentOrders(t, no, 5))
			if !r.run(point, 0) {
				t.Errorf("%s was never reached", point)
			}
			for _, p := range adoptPoints { // and the next ones die in taking over, if they get there
				if r.run(p, 0) {
					adopted++
				}
			}
			r.run("", 0)
			r.checkLines(r.check(), 5)
		}
		if adopted < 2*len(adoptPoints) {
			t.Errorf("only %d daemons died in an adoption", adopted)
		}
	})
}

func TestShimKilledAtEachStep(t *testing.T) {
	// A shim killed at any step: the daemon notices at once, ends what is left of
	// the session, and the next session does the work. Nothing is left.
	bothLevels(t, func(t *testing.T, no bool) {
		for _, point := range shimPoints {
			o := agentOrders(t, no, 5)
			o.Once = true // the same death would wait for the next session
			r := newRig(t, o)
			if r.run(point, 0) {
				t.Errorf("%s killed the daemon", point)
			}
			b := r.check()
			if !b.Done {
				t.Errorf("%s: not done: %+v", point, b)
			}
			for i, l := range b.Lines {
				if want := fmt.Sprintf("frame %d", i+1); l != want {
					t.Errorf("%s: line %d is %q", point, i, l)
				}
			}
		}
	})
}

func TestRandomKills(t *testing.T) {
	// Whenever the daemon is killed: nothing is lost, doubled or left.
	rounds, kills := 60, 0
	if testing.Short() {
		rounds = 10
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := range rounds {
		r := newRig(t, agentOrders(t, i%2 == 1, 20))
		for range 4 {
			if r.run("", time.Duration(rnd.IntN(60)+1)*time.Millisecond) {
				kills++
			}
		}
		r.run("", 0)
		b := r.check()
		r.checkLines(b, 20)
		if b.Restart != 0 {
			t.Fatalf("a session ended early: %+v", b)
		}
	}
	if kills < rounds {
		t.Errorf("only %d kills hit in %d rounds", kills, rounds)
	}
}

// agentOrders are orders with an echo agent.
func agentOrders(t *testing.T, noCgroup bool, frames int) orders {
	t.Helper()
	return orders{NoCgroup: noCgroup, Agent: helper(t, "echo"), Frames: frames}
}
