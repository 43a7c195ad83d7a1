package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vyre"
	"vyre/agent"
)

func TestRefusedStart(t *testing.T) {
	// What can't run is refused with a code before anything is started, and
	// leaves nothing: no folder, no socket, no process.
	b := newBench(t)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := script(t, "exit 0")
	for name, c := range map[string]struct {
		change func(*agent.Command)
		code   vyre.Code
		says   string
	}{
		"missing program":  {func(c *agent.Command) { c.Path = "/nonexistent/agent" }, vyre.CodeUnavailable, "missing"},
		"relative program": {func(c *agent.Command) { c.Path = "agent" }, vyre.CodeUnavailable, "not found"},
		"folder":           {func(c *agent.Command) { c.Path = dir }, vyre.CodeUnavailable, "not a file"},
		"not executable":   {func(c *agent.Command) { c.Path = plain }, vyre.CodeUnavailable, "executed"},
		"missing cwd":      {func(c *agent.Command) { c.Dir = "/nonexistent/dir" }, vyre.CodeInvalid, "no such folder"},
		"relative cwd":     {func(c *agent.Command) { c.Dir = "x" }, vyre.CodeInvalid, "absolute"},
		"cwd is a file":    {func(c *agent.Command) { c.Dir = plain }, vyre.CodeInvalid, "not a folder"},
		"NUL":              {func(c *agent.Command) { c.Args = []string{"a\x00b"} }, vyre.CodeInvalid, "NUL"},
		"huge secret":      {func(c *agent.Command) { c.OneShot = [][]byte{make([]byte, 1<<20)} }, vyre.CodeTooLarge, "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := good
			c.change(&cmd)
			s := b.session()
			_, p, err := b.Prepare(ctx(t), s, cmd)
			if err == nil {
				p.Detach()
				t.Fatal("it was not refused")
			}
			if vyre.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error %v", err)
			}
			b.nothingLeft(s)
		})
	}
}

func TestExecError(t *testing.T) {
	// A program that the system can't execute gives the system's words at Go, and
	// nothing of the session is left.
	b := newBench(t)
	bad := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(bad, []byte("\x7fELF nonsense"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := script(t, "")
	cmd.Path, cmd.Args = bad, nil
	s, p := b.prepare(cmd)
	_, err := p.Go(ctx(t))
	if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "exec format error") {
		t.Fatalf("error %v", err)
	}
	closed(t, "it is over", p.Done())
	b.nothingLeft(s)
	if lines := collect(t, p); len(lines) != 0 {
		t.Fatalf("read %q", texts(lines))
	}
}

func TestMissingEmbed(t *testing.T) {
	// A build without the shim says what to do.
	_, err := programOf(fstest.MapFS{"embed/README.md": {}})
	e := vyre.EnvelopeOf(err).Error
	if e.Code != vyre.CodeUnavailable || !strings.Contains(e.Hint, "make build") {
		t.Fatalf("error %+v", e)
	}
}

func TestProgramRepaired(t *testing.T) {
	// An installed shim that was changed is not executed but replaced.
	b := newBench(t)
	path, err := b.program()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, p := b.start(script(t, "echo hi"))
	if got := texts(collect(t, p)); !slices.Equal(got, []string{"hi"}) {
		t.Fatalf("read %q", got)
	}
}

func TestSameSessionTwice(t *testing.T) {
	// A session id in use is a conflict, and the first one is not disturbed.
	b := newBench(t)
	s, p := b.start(helper(t, "echo"))
	_, _, err := b.Prepare(ctx(t), s, script(t, ""))
	if vyre.CodeOf(err) != vyre.CodeConflict {
		t.Fatalf("error %v", err)
	}
	send(t, p, 1, "still here\n")
	expect(t, p, "still here")
}

func TestLongHome(t *testing.T) {
	// A home of 200 bytes works: sockets lie in the runtime folder.
	b := newBench(t, func(c *Config) {
		c.Home = filepath.Join(c.Home, strings.Repeat("h", 200-len(c.Home)))
		if err := os.MkdirAll(c.Home, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	_, p := b.start(script(t, "echo hi"))
	if got := texts(collect(t, p)); !slices.Equal(got, []string{"hi"}) {
		t.Fatalf("read %q", got)
	}
	if _, err := New(Config{Home: "/h", RuntimeDir: "/" + strings.Repeat("r", 90)}); vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Fatalf("a runtime folder that is too long: %v", err)
	}
}

func TestUnusedEndsItself(t *testing.T) {
	// A prepared session that nobody let go, and whose daemon is gone, ends itself
	// and leaves nothing.
	b := newBench(t, func(c *Config) { c.Orphan = 50 * 1e6 })
	s, p := b.prepare(script(t, "echo never"))
	p.Detach()
	until(t, "the shim is gone", func() bool { b.buryLost(); return !b.alive(s.BootID, s.PID, s.StartTime) })
	if _, err := os.Lstat(s.Socket); err == nil {
		t.Fatal("the socket is left")
	}
	for _, name := range []string{"shim.json", "exit.json", "spool/0000000000000000.log"} {
		if _, err := os.Lstat(filepath.Join(s.Dir, name)); err == nil {
			t.Fatalf("%s is left", name)
		}
	}
	q := b.adopt(s)
	if err := q.Stop(ctx(t)); err != nil {
		t.Fatal(err)
	}
	b.nothingLeft(s)
}

// nothingRuns checks that no process, group or socket of a session is left.
func (b *bench) nothingRuns(s vyre.Session) {
	b.t.Helper()
	if _, err := os.Lstat(b.socketPath(s.ID)); err == nil {
		b.t.Error("the socket is left")
	}
	if b.parent != "" {
		if _, err := os.Lstat(filepath.Join(b.parent, b.groupName(s.ID))); err == nil {
			b.t.Error("the control group is left")
		}
	}
	if s.PID != 0 && b.alive(s.BootID, s.PID, s.StartTime) {
		b.t.Error("the shim is left")
	}
}

// nothingLeft checks besides that the folder is gone.
func (b *bench) nothingLeft(s vyre.Session) {
	b.t.Helper()
	b.nothingRuns(s)
	if _, err := os.Lstat(s.Dir); err == nil {
		b.t.Error("the session's folder is left")
	}
}
