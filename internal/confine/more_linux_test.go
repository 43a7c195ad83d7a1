package confine

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestFilterIsSound(t *testing.T) {
	// Every jump of the filter stays inside it, and the kernel's bound is kept.
	for _, debug := range []bool{false, true} {
		prog := filterProgram(callTables, debug)
		if len(prog) > unix.BPF_MAXINSNS {
			t.Errorf("%d steps", len(prog))
		}
		for i, s := range prog {
			if s.Code&0x07 == unix.BPF_JMP && i+1+int(max(s.Jt, s.Jf)) >= len(prog) {
				t.Errorf("step %d jumps out of the filter", i)
			}
		}
	}
	for _, table := range callTables {
		if n := len(table.filter(false)); n > 255 {
			t.Errorf("a table has %d steps, more than one jump can pass", n)
		}
	}
}

func TestProgramThatCannotRun(t *testing.T) {
	// What is wrong with the program is told as the program's, with the kernel's words
	// and no process left; what is wrong with the confinement as that.
	w := newWorld(t)
	p := w.plan()
	text := w.project + "/text"
	if err := os.WriteFile(text, []byte("x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{"/nonexistent/program": unix.ENOENT, text: unix.ENOEXEC, w.project + "/file": unix.EACCES} {
		_, err := tryStart(t, p, Command{Path: path, Args: []string{path}, Dir: w.project})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Confined || e.Error() != want.Error() || IsRefusal(e.Error()) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if _, err := tryStart(t, p, Command{Path: "/bin/true", Args: []string{"true"}, Dir: w.root + "/gone"}); err == nil || err.Error() != unix.ENOENT.Error() {
		t.Errorf("a folder that is gone: %v", err)
	}
	need(t, Mount)
	p.Cover = append(p.Cover, w.root+"/gone")
	_, err := tryStart(t, p, Command{Path: "/bin/true", Args: []string{"true"}, Dir: w.project})
	if e, ok := errors.AsType[*Error](err); !ok || !e.Confined || !IsRefusal(err.Error()) {
		t.Errorf("a folder that can't be covered: %v", err)
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a process is left: %v", err)
	}
}

func TestSideFolderThatIsALink(t *testing.T) {
	// A link in the place of a side folder is not followed: it is told, and nothing
	// else is hidden.
	need(t, Mount)
	w := newWorld(t)
	if err := os.Symlink(w.project, w.side); err != nil {
		t.Fatal(err)
	}
	s := start(t, w.plan(), Command{Path: "/bin/cat", Args: []string{"cat", w.project + "/file"}, Dir: "/"})
	if len(s.held.Open) != 1 || !strings.HasPrefix(s.held.Open[0], w.side) {
		t.Errorf("open %q", s.held.Open)
	}
	if out, _ := s.wait(t); out != "text\n" {
		t.Errorf("it read %q", out)
	}
}

func TestDebugLetsTrace(t *testing.T) {
	// Under debug a process may trace its own children and write their memory, and
	// still not mount, make user namespaces or reach what is outside.
	need(t, Mount|Calls)
	w := newWorld(t)
	w.listen()
	victim := outside(t, w.root)
	p := w.plan()
	p.Debug = true
	p.Parts &^= Files
	if out := attempt(t, w, p, attack{act: "open-write\n/proc/$AGENT/mem", child: true}); out != "done" {
		t.Errorf("memory inside: %s", out)
	}
	if out := attempt(t, w, p, attack{act: "traced by its parent", child: true}); out != "done" {
		t.Errorf("tracing inside: %s", out)
	}
	for _, a := range attacks(w, victim.Process.Pid, writableGroup()) {
		if a.child || a.root || strings.Contains(a.act, "uid_map") || strings.Contains(a.act, "kcmp") || strings.Contains(a.act, "vm ") || strings.Contains(a.act, "x32") && !hasX32() {
			continue // these are what debug is for
		}
		if out := attempt(t, w, p, a); !strings.HasPrefix(out, "refused") {
			t.Errorf("accepted: %s (%s)", a.name, out)
		}
	}
}

func TestEachPartAlone(t *testing.T) {
	// Every part can be had without the others, as a machine may give only some.
	w := newWorld(t)
	for _, n := range partNames {
		if !available(t).Has(n.part) {
			continue
		}
		p := w.plan()
		p.Parts = n.part
		s := start(t, p, Command{Path: "/bin/true", Args: []string{"true"}, Dir: "/"})
		if out, st := s.wait(t); st.ExitStatus() != 0 || s.held.Parts != n.part {
			t.Errorf("%s alone: %d %q", n.name, st.ExitStatus(), out)
		}
	}
	asOrdinary(t)
}

func TestExamineLeavesNothing(t *testing.T) {
	// Looking at the machine leaves no process, and says what is missing.
	r := Examine(self(t), "")
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a process is left: %v", err)
	}
	t.Logf("%+v", r)
	asOrdinary(t)
}

func TestStartTakesLittle(t *testing.T) {
	// A confined start takes a few milliseconds more than a plain one.
	w := newWorld(t)
	took := func(p Plan) time.Duration {
		best := time.Hour
		for range 15 {
			begin := time.Now()
			s := start(t, p, Command{Path: "/bin/true", Args: []string{"true"}, Dir: "/"})
			best = min(best, time.Since(begin))
			s.wait(t)
		}
		return best
	}
	plain, shut := took(Plan{}), took(w.plan())
	t.Logf("plain %v, confined %v", plain, shut)
	if shut > 100*time.Millisecond {
		t.Error(fmt.Errorf("a confined start takes %v", shut))
	}
	asOrdinary(t)
}

func TestRootsFilesSeemOwn(t *testing.T) {
	// In a user namespace root's files belong to nobody, and ssh refuses its settings
	// then; the folders that matter are seen as the user's own, with the same content.
	need(t, Mount)
	if os.Geteuid() != 0 {
		w := newWorld(t)
		p := w.plan()
		p.Copies = []string{"/etc/ssh"}
		out, code := sh(t, p, "/", "stat -c %u /etc/ssh/ssh_config; cat /etc/ssh/ssh_config")
		want, err := os.ReadFile("/etc/ssh/ssh_config")
		if err != nil {
			t.Skip("no ssh here")
		}
		if code != 0 || out != fmt.Sprintf("%d\n%s", os.Geteuid(), want) {
			t.Errorf("it saw %.200q", out)
		}
	}
	asOrdinary(t)
}

func TestKernelFilesAreHeldTwice(t *testing.T) {
	// The agent's memory and the kernel's own files can't be written with the mounts
	// alone, nor with Landlock alone.
	w := newWorld(t)
	for _, parts := range []Parts{Mount | Caps, Files} {
		if !available(t).Has(parts) {
			continue
		}
		p := w.plan()
		p.Parts = parts
		for _, act := range []string{"/proc/$AGENT/mem", "/proc/sys/kernel/core_pattern", "/proc/self/oom_score_adj"} {
			if out := attempt(t, w, p, attack{act: "open-write\n" + act, child: true}); !strings.HasPrefix(out, "refused") {
				t.Errorf("%q: %s: %s", parts.Names(), act, out)
			}
		}
	}
	asOrdinary(t)
}
