package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vyre"
	"vyre/agent/agenttest"
)

// A disk that fills up in the middle of a turn parks the thread and says so at
// once, while reads work and nothing is acknowledged; when there is room again the
// turn goes on by itself and is whole, its words told once; the same daemon, the
// same agent, the log intact, nothing repaired.
func TestDiskFullInATurn(t *testing.T) {
	dir := smallDisk(t, "64m")
	h := newHomeAt(t, dir, "[retention]\nfree_floor_mb = 0\n")
	pid := h.cmd.Process.Pid
	id := h.begin("words 150 every 20ms\nsay $FILL:400000\nwords 20")
	agent := h.agentPID(id)
	h.until("some words", func() bool { return strings.Count(h.streamed(id), " ") > 10 })
	fill(t, filepath.Join(dir, "ballast"))
	t.Cleanup(func() { _ = os.Remove(filepath.Join(dir, "ballast")) })

	var st struct {
		Room struct {
			Parked int
			Level  string
		}
	}
	h.eventually("the parking", func() bool {
		h.call("daemon.status", map[string]any{}, &st)
		return st.Room.Parked == 1
	})
	if th := h.thread(id); th.Parked != vyre.ParkedSpace || th.State != vyre.StateRunning {
		t.Errorf("thread %s, parked %q", th.State, th.Parked)
	}
	if len(h.items(id)) == 0 || len(h.events()) == 0 || h.streamed(id) == "" {
		t.Error("reads do not work")
	}
	refused := vyre.Code("")
	for range 50 { // there may be room for a few small ones
		err := h.try("threads.send", map[string]any{"thread": id, "text": strings.Repeat("no room ", 20_000)}, nil)
		if refused = vyre.CodeOf(err); refused != "" {
			break
		}
	}
	if refused != vyre.CodeNoSpace {
		t.Errorf("a send on a full disk: %s", refused)
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}

	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	want := agenttest.Words(150)
	if got := h.text(id, vyre.ItemText); !strings.Contains(got, want) || !strings.HasSuffix(got, agenttest.Words(20)) {
		t.Errorf("item of %d bytes does not hold the words", len(got))
	}
	if got := h.streamed(id); !strings.HasPrefix(got, want) || len(got) < 400_000 {
		t.Errorf("streamed %d bytes", len(got))
	}
	if n := h.api.Runs("words 150"); n != 1 {
		t.Errorf("ran %d times", n)
	}
	if !h.alive() || h.cmd.Process.Pid != pid || h.agentPID(id) != agent {
		t.Error("something was started anew")
	}
	h.eventually("the end of the parking", func() bool {
		h.call("daemon.status", map[string]any{}, &st)
		return st.Room.Parked == 0
	})
	if log := h.kinds(); !strings.Contains(log, string(vyre.EvThreadParked)) {
		t.Errorf("the log does not tell: %s", log)
	}
	h.call("daemon.verify", map[string]any{}, nil)
	h.kill()
	h.start()
	h.call("daemon.verify", map[string]any{}, nil)
}

func (h *home) kinds() string {
	var s []string
	for _, e := range h.events() {
		s = append(s, string(e.Kind))
	}
	return strings.Join(s, " ")
}

// smallDisk mounts a file system of its own for the test, which takes root.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skip("needs a small file system of its own, which this user can't mount:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all the room that is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4096, 1} {
		b := make([]byte, size)
		for {
			_, err := f.Write(b)
			if errors.Is(err, syscall.ENOSPC) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// With a full disk an interrupt reaches the agent and a stop ends its tree, though
// neither can be written down before there is room; then both are.
func TestInterruptAndStopOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, "64m")
	h := newHomeAt(t, dir, "[retention]\nfree_floor_mb = 0\n")
	one, two := h.begin("words 2000 every 20ms"), h.begin("words 2000 every 20ms")
	h.until("words of both", func() bool { return h.streamed(one) != "" && h.streamed(two) != "" })
	pids := h.pids(two)
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	t.Cleanup(func() { _ = os.Remove(ballast) })
	var st struct{ Room struct{ Parked int } }
	h.eventually("the parking", func() bool {
		h.call("daemon.status", map[string]any{}, &st)
		return st.Room.Parked == 2
	})
	if err := h.try("threads.interrupt", map[string]any{"thread": one}, nil); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("interrupt: %v", err)
	}
	if err := h.try("threads.stop", map[string]any{"thread": two}, nil); vyre.CodeOf(err) != vyre.CodeNoSpace {
		t.Errorf("stop: %v", err)
	}
	h.goneAll(pids)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if s := h.finished(one, 1); s != vyre.TurnCanceled {
		t.Errorf("the interrupted turn: %s", s)
	}
	h.until("the stop", func() bool { return h.thread(two).State == vyre.StateStopped })
	if th := h.thread(two); th.Reason != vyre.StopPerson {
		t.Errorf("stopped by %s", th.Reason)
	}
	h.send(one, "say again")
	if s := h.finished(one, 2); s != vyre.TurnCompleted {
		t.Errorf("the next turn: %s", s)
	}
	h.call("daemon.verify", map[string]any{}, nil)
}

// A daemon that is killed while the disk is full starts again on the full disk,
// reads, says that it is full, and when there is room takes the turn over whole.
func TestStartOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, "64m")
	h := newHomeAt(t, dir, "[retention]\nfree_floor_mb = 0\n")
	id := h.begin("words 200 every 20ms")
	h.until("some words", func() bool { return strings.Count(h.streamed(id), " ") > 10 })
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	t.Cleanup(func() { _ = os.Remove(ballast) })
	h.eventually("the parking", func() bool { return h.thread(id).Parked == vyre.ParkedSpace })
	h.kill()
	h.start()
	if h.streamed(id) == "" || len(h.items(id)) == 0 {
		t.Error("reads do not work")
	}
	h.eventually("the parking", func() bool { return h.thread(id).Parked == vyre.ParkedSpace })
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if s := h.finished(id, 1); s != vyre.TurnCompleted {
		t.Errorf("status %s", s)
	}
	if got := h.streamed(id); got != agenttest.Words(200) {
		t.Errorf("streamed %q", got)
	}
	if n := h.api.Runs("words 200"); n != 1 {
		t.Errorf("ran %d times", n)
	}
	h.call("daemon.verify", map[string]any{}, nil)

	// One that ended in order left no log to go on with: opening takes room.
	h.call("threads.stop", map[string]any{"thread": id}, nil)
	h.call("daemon.stop", map[string]any{}, nil)
	<-h.exited
	h.client.Close()
	fill(t, ballast)
	h.start()
	if h.streamed(id) == "" || len(h.items(id)) == 0 {
		t.Error("reads do not work")
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	h.call("daemon.verify", map[string]any{}, nil)
}
