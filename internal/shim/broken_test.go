package shim

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

func TestBrokenRecords(t *testing.T) {
	// Whatever a power cut or a full disk made of a dead session's files, it is read as far
	// as it goes, ends with an exit that is known or told to be unknown, is proven empty and
	// can be removed; and another session of the home is not disturbed.
	breaks := map[string]func(string) error{
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"half":    func(path string) error { return os.Truncate(path, half(t, path)) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00\xff{]\n\x00"), 0o600) },
		"gone":    os.Remove,
	}
	b := newBench(t)
	_, other := b.start(helper(t, "echo"))
	for _, file := range []string{proto.RecordFile, proto.ExitFile, proto.LockFile, groupFile, proto.StderrFile, filepath.Join(proto.SpoolDir, proto.SegmentName(0))} {
		for how, broken := range breaks {
			t.Run(strings.ReplaceAll(file, "/", " ")+" "+how, func(t *testing.T) {
				b := &bench{Launcher: b.Launcher, t: t, cfg: b.cfg}
				s, p := b.start(script(t, "echo one; echo two; echo words >&2; exit 3"))
				collect(t, p)
				closed(t, "the parent is gone", p.gone)
				p.Detach()
				path := filepath.Join(s.Dir, file)
				if _, err := os.Lstat(path); err != nil {
					if file == groupFile {
						t.Skip("no control group to be had here")
					}
					t.Fatal(err)
				}
				if err := broken(path); err != nil {
					t.Fatal(err)
				}
				s.Committed = 4
				q := b.adopt(s)
				q.SetOffset(s.Committed)
				closed(t, "the exit is known", q.Done())
				if e := q.Exit(); file == proto.ExitFile && e.Signal != exitUnknown || file != proto.ExitFile && e.Code != 3 {
					t.Errorf("exit %+v", e)
				}
				readToTheEnd(t, q)
				if err := q.Stop(ctx(t)); err != nil {
					t.Errorf("stop: %v", err)
				}
				q.Detach()
				if err := b.Discard(s); err != nil {
					t.Errorf("discard: %v", err)
				}
			})
		}
	}
	send(t, other, 1, "still here\n")
	expect(t, other, "still here")
}

func half(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Size() / 2
}

// readToTheEnd reads until there is no more, or an error says that there can't be.
func readToTheEnd(t *testing.T, p *process) {
	t.Helper()
	for {
		if _, err := p.Read(ctx(t), 64<<10); err != nil {
			if ctx(t).Err() != nil {
				t.Error("it does not end")
			}
			return
		}
	}
}

func TestBrokenRecordOfALivingOne(t *testing.T) {
	// The record of a living parent may be broken: the daemon's own row still finds it, it is
	// taken over, and with the parent killed what is left is ended all the same.
	levels(t, func(t *testing.T, b *bench) {
		cmd := script(t, brood+"while read x; do echo got $x; done")
		s, p := b.start(cmd)
		expect(t, p, "ready")
		p.Detach()
		if err := os.WriteFile(filepath.Join(s.Dir, proto.RecordFile), []byte(`{"boot":"`), 0o600); err != nil {
			t.Fatal(err)
		}
		q := b.adopt(s)
		send(t, q, 1, "it\n")
		expect(t, q, "got it")
		if s.Cgroup == "" {
			return // without a group the record is what names the agent once its parent is dead
		}
		all := kids(t, cmd.Dir)
		if err := procs.Signal(s.PID, s.StartTime, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		closed(t, "the parent is gone", q.gone)
		if err := q.Stop(ctx(t)); err != nil {
			t.Fatal(err)
		}
		allGone(t, all)
	})
}
