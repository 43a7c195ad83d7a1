package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vyre"
	"vyre/agent/agenttest"
	"vyre/internal/client"
)

// placed has the home's daemon run from a binary of its own, which an upgrade may
// replace, and returns its path.
func (h *home) placed() string {
	h.t.Helper()
	place := filepath.Join(h.t.TempDir(), "vyre")
	b, err := os.ReadFile(vyreBin)
	if err == nil {
		err = os.WriteFile(place, b, 0o755)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.kill()
	h.bin = place
	h.start()
	return place
}

// vyre runs a binary's command line on the home.
func (h *home) vyre(bin string, args ...string) (stdout, stderr string, code int) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 3*time.Minute)
	defer cancel()
	var out, words bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = h.env, &out, &words, h.agent.CWD
	err := cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), words.String(), e.ExitCode()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return out.String(), words.String(), 0
}

type status struct {
	PID     int
	Version string
	Build   struct {
		Program string
		Store   int
		Shim    struct{ Oldest, Newest int }
		Live    []struct {
			Thread   vyre.ThreadID
			PID      int
			Protocol int
		}
	}
}

func (h *home) status() status {
	h.t.Helper()
	var st status
	h.call("daemon.status", map[string]any{}, &st)
	return st
}

// changed makes the daemon that answers now the home's own: its end is waited for at
// the end of the test.
func (h *home) changed() {
	h.t.Helper()
	pid := h.status().PID
	p, err := os.FindProcess(pid)
	if err != nil {
		h.t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { // it is not our child
		defer close(exited)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			if err != nil || strings.Contains(string(b), ") Z ") {
				return
			}
		}
	}()
	h.cmd, h.exited = &exec.Cmd{Process: p}, exited
}

// watcher follows the log as a surface does, across daemons.
type watcher struct {
	got  chan []vyre.Event
	stop context.CancelFunc
}

func (h *home) watch() *watcher {
	ctx, cancel := context.WithCancel(h.t.Context())
	w := &watcher{make(chan []vyre.Event, 1), cancel}
	c := client.Socket(h.socket())
	go func() {
		defer c.Close()
		var all []vyre.Event
		for e, err := range c.Events(ctx, 0, client.EventsOptions{Follow: true}) {
			if err != nil {
				break
			}
			all = append(all, e)
		}
		w.got <- all
	}()
	h.t.Cleanup(cancel)
	return w
}

// A binary is replaced while a turn streams and a question is open: the turn ends
// whole, the answer arrives, and who follows the log sees every event once.
func TestUpgradeUnderTurns(t *testing.T) {
	h := newHome(t)
	place := h.placed()
	w := h.watch()
	talks := h.begin("words 200 every 10ms")
	asks := h.begin(touch)
	a := h.ask(asks)
	h.until("some words", func() bool { return strings.Count(h.streamed(talks), " ") > 20 })
	before := h.status()

	out, words, code := h.vyre(place, "upgrade", "--json", "--to", nextBuild.path(t))
	if code != 0 {
		t.Fatalf("upgrade: %d %s", code, words)
	}
	h.changed()
	st := h.status()
	if st.Version != "9.9.9" || st.PID == before.PID || st.Build.Program != place {
		t.Errorf("after the upgrade: %+v", st)
	}
	for _, s := range []vyre.ThreadID{talks, asks} {
		if !strings.Contains(out, `{"thread":"`+string(s)+`","outcome":"adopted"}`) {
			t.Errorf("%s is not told to be taken over: %s", s, out)
		}
	}
	if old, _, _ := h.vyre(place+".old", "version"); !strings.HasPrefix(old, "vyre dev ") {
		t.Errorf("the binary before is %q", old)
	}
	h.mustAnswer(a, vyre.Allow, nil)
	if s := h.finished(asks, 1); s != vyre.TurnCompleted || !h.exists("made.txt") {
		t.Errorf("the asking turn: %s", s)
	}
	if s := h.finished(talks, 1); s != vyre.TurnCompleted || h.streamed(talks) != agenttest.Words(200) {
		t.Errorf("the talking turn: %s, %q", s, h.streamed(talks))
	}
	if n := h.api.Runs("words 200"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	h.sawAll(w)
}

// sawAll holds that a watcher was given the log as it is, each event once.
func (h *home) sawAll(w *watcher) {
	h.t.Helper()
	want := h.events()
	w.stop()
	got := <-w.got
	if len(got) > len(want) { // more may have come since
		got = got[:len(want)]
	}
	for i, e := range got {
		if e.Seq != want[i].Seq {
			h.t.Fatalf("the watcher saw %d at place %d, the log has %d there", e.Seq, i, want[i].Seq)
		}
	}
	if len(got) < len(want)*9/10 {
		h.t.Errorf("the watcher saw %d of %d events", len(got), len(want))
	}
}

// What can't take over is refused before anything stops: an older vyre, for which the
// store is too new, and a program that is none. An upgrade that brings the store to a
// newer form keeps a copy from before.
func TestUpgradeOfTheStore(t *testing.T) {
	h := newHome(t)
	place := h.placed()
	id := h.begin("say before")
	h.finished(id, 1)
	old := h.status()
	out, words, code := h.vyre(place, "upgrade", "--json", "--to", nextStore.path(t))
	if code != 0 {
		t.Fatalf("upgrade: %d %s", code, words)
	}
	h.changed()
	before := h.status()
	if before.Build.Store != old.Build.Store+1 {
		t.Errorf("%+v after %+v", before, old)
	}
	var done struct {
		Backup string `json:"store_backup"`
	}
	if err := json.Unmarshal([]byte(out), &done); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(done.Backup); err != nil || fi.Size() == 0 || fi.Mode().Perm() != 0o600 {
		t.Errorf("the copy of the store: %v %v", fi, err)
	}

	for to, code := range map[string]vyre.Code{vyreBin: vyre.CodeConflict, "/bin/true": vyre.CodeInvalid, "/nowhere": vyre.CodeInvalid} {
		_, words, exit := h.vyre(place, "upgrade", "--json", "--to", to)
		var e vyre.Envelope
		if err := json.Unmarshal([]byte(words), &e); err != nil || e.Error.Code != code || exit != code.Info().Exit {
			t.Errorf("%s: exit %d, %s", to, exit, words)
		}
	}
	if st := h.status(); st.PID != before.PID {
		t.Errorf("the daemon was stopped")
	}
	names, err := os.ReadDir(filepath.Dir(place))
	if err != nil || len(names) != 2 { // it and the one before
		t.Errorf("left behind: %v %v", names, err)
	}
	h.send(id, "say after")
	if s := h.finished(id, 2); s != vyre.TurnCompleted {
		t.Errorf("the turn after: %s", s)
	}
}

// A binary that says all the right things but does not come up is taken back: the one
// before runs again, and the turn that ran ends whole.
func TestUpgradeGoesBack(t *testing.T) {
	h := newHome(t)
	place := h.placed()
	id := h.begin("words 100 every 10ms")
	h.until("some words", func() bool { return strings.Count(h.streamed(id), " ") > 5 })
	broken := filepath.Join(t.TempDir(), "vyre")
	text := "#!/bin/sh\n[ \"$1\" = daemon ] || exec " + nextBuild.path(t) + " \"$@\"\necho no luck today >&2\nexit 1\n"
	if err := os.WriteFile(broken, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	_, words, code := h.vyre(place, "upgrade", "--to", broken)
	if code != 7 || !strings.Contains(words, "no luck today") || !strings.Contains(words, "was put back and runs") {
		t.Errorf("exit %d, %s", code, words)
	}
	h.changed()
	if st := h.status(); st.Version != "dev" || st.Build.Program != place {
		t.Errorf("%+v", st)
	}
	if s := h.finished(id, 1); s != vyre.TurnCompleted || h.streamed(id) != agenttest.Words(100) {
		t.Errorf("%s %q", s, h.streamed(id))
	}
}

// When the new binary brought the store to its form and then did not come up, the one
// before can't go on: the error says so at once and names the copy of the store and the
// way on. The turn is not lost.
func TestUpgradeStuckAfterTheStore(t *testing.T) {
	h := newHome(t)
	place := h.placed()
	gate := h.api.Gate("hold")
	id := h.begin("gate hold\nsay whole")
	if err := gate.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	broken := filepath.Join(t.TempDir(), "vyre")
	text := "#!/bin/sh\n[ \"$1\" = daemon ] && export VYRE_LISTEN=" + busy.Addr().String() + "\nexec " + nextStore.path(t) + " \"$@\"\n"
	if err := os.WriteFile(broken, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	_, words, code := h.vyre(place, "upgrade", "--to", broken)
	for _, want := range []string{"is in use", "vyre dev was put back but does not run", "the database is of version", "vyre-store-"} {
		if !strings.Contains(words, want) {
			t.Errorf("exit %d, the error lacks %q: %s", code, want, words)
		}
	}
	if out, _, _ := h.vyre(place, "version"); !strings.HasPrefix(out, "vyre dev ") {
		t.Errorf("in the place is %q", out)
	}
	<-h.exited
	h.bin = nextStore.path(t)
	h.start()
	gate.Open()
	if s := h.finished(id, 1); s != vyre.TurnCompleted || h.text(id, vyre.ItemText) != "whole" {
		t.Errorf("%s %q", s, h.text(id, vyre.ItemText))
	}
}

// manage runs the place's daemon as a service manager does, by a unit's Restart lines,
// until it ends in order. Its systemctl says how often it started it again.
func (h *home) manage(place string) {
	h.t.Helper()
	h.kill()
	dir := h.t.TempDir()
	count := filepath.Join(dir, "restarts")
	systemctl := "#!/bin/sh\ncase \"$*\" in *NRestarts*) cat " + count + " ;; *) exit 1 ;; esac\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "systemctl"), []byte(systemctl), 0o755), os.WriteFile(count, []byte("0"), 0o600)); err != nil {
		h.t.Fatal(err)
	}
	h.env = append(h.env, "PATH="+dir+":"+os.Getenv("PATH"), "VYRE_SERVICE=user")
	managed := make(chan struct{})
	go func() {
		defer close(managed)
		for n := 0; ; n++ {
			_ = os.WriteFile(count, []byte(strconv.Itoa(n)), 0o600)
			cmd := exec.Command(place, "daemon")
			cmd.Env, cmd.Dir, cmd.SysProcAttr = h.env, "/", &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Run(); err == nil || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
				return
			}
			<-time.After(50 * time.Millisecond) // a unit's RestartSec
		}
	}()
	h.exited = managed
	h.eventually("the daemon", func() bool { return h.client.Call(h.t.Context(), "daemon.status", nil, nil) == nil })
}

// Under a service manager the daemon asks to be started again, and the manager's next
// one is the new binary; one that does not come up is taken back.
func TestUpgradeOfAService(t *testing.T) {
	h := newHome(t)
	place := h.placed()
	h.manage(place)
	id := h.begin("words 100 every 10ms")
	h.until("some words", func() bool { return strings.Count(h.streamed(id), " ") > 5 })

	broken := filepath.Join(t.TempDir(), "vyre")
	text := "#!/bin/sh\n[ \"$1\" = daemon ] || exec " + nextBuild.path(t) + " \"$@\"\nexit 1\n"
	if err := os.WriteFile(broken, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, words, code := h.vyre(place, "upgrade", "--to", broken); code != 7 || !strings.Contains(words, "was put back and runs") {
		t.Errorf("exit %d, %s", code, words)
	}
	if st := h.status(); st.Version != "dev" {
		t.Errorf("%+v", st)
	}

	if _, words, code := h.vyre(place, "upgrade", "--to", nextBuild.path(t)); code != 0 {
		t.Fatalf("upgrade: %d %s", code, words)
	}
	if st := h.status(); st.Version != "9.9.9" {
		t.Errorf("%+v", st)
	}
	if s := h.finished(id, 1); s != vyre.TurnCompleted || h.streamed(id) != agenttest.Words(100) {
		t.Errorf("%s %q", s, h.streamed(id))
	}
}
