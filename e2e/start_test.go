package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
)

// A program that is missing, not a program, too old, ends at once or says nothing
// is an error within seconds, with its last words; nothing of the start is left.
func TestStartRefused(t *testing.T) {
	h := newHome(t)
	fake := filepath.Join(h.agent.Dir, "claude-broken")
	script := func(body string) {
		t.Helper()
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ok := `if [ "$1" = --version ]; then echo "2.1.332 (Claude Code)"; exit 0; fi` + "\n"
	for _, c := range []struct{ name, body, code, says string }{
		{"missing", "", "unavailable", "runtime"},
		{"too old", `echo "1.0.3 (Claude Code)"`, "unavailable", "1.0.3"},
		{"no version", "exit 1", "unavailable", ""},
		{"ends at once", ok + "echo the model is on holiday >&2\nexit 7\n", "unavailable", "the model is on holiday"},
		{"garbage", ok + "echo this is not the protocol\nexit 0\n", "unavailable", ""},
		{"says nothing", ok + "exec tail -f /dev/null", "unavailable", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_ = os.Remove(fake)
			if c.body != "" {
				script(c.body)
			}
			h.config(fmt.Sprintf("[providers.claude]\nruntime = %q\n", fake))
			h.kill()
			h.start()
			begun := time.Now()
			err := h.try("threads.start", map[string]any{"provider": "claude", "cwd": h.agent.CWD, "prompt": "say x"}, nil)
			if string(vyre.CodeOf(err)) != c.code || !strings.Contains(fmt.Sprint(err, vyre.AsError(err).Details, vyre.AsError(err).Hint), c.says) {
				t.Errorf("error %v", err)
			}
			if d := time.Since(begun); d > 30*time.Second {
				t.Errorf("it took %v", d)
			}
			h.nothingLeft()
		})
	}
	h.config(fmt.Sprintf("[providers.claude]\nruntime = %q\n", h.agent.Binary))
	h.kill()
	h.start()
}

// nothingLeft holds that a refused start left no thread, no event, no session and no process.
func (h *home) nothingLeft() {
	h.t.Helper()
	var list struct{ Threads []vyre.Thread }
	h.call("threads.list", map[string]any{}, &list)
	var st struct{ Sessions int }
	h.call("daemon.status", map[string]any{}, &st)
	dirs := h.sessionDirs()
	if len(list.Threads) != 0 || st.Sessions != 0 || len(h.events()) != 0 || len(dirs) != 0 {
		h.t.Errorf("left: %d threads, %d sessions, %d events, folders %v", len(list.Threads), st.Sessions, len(h.events()), dirs)
	}
	for p := range strings.SplitSeq(processesOf(h.agent.Dir), "\n") {
		if p != "" && !strings.Contains(p, vyreBin+" daemon") {
			h.t.Errorf("left running: %s", p)
		}
	}
}

func (h *home) sessionDirs() []string {
	entries, err := os.ReadDir(filepath.Join(h.dir, "private", "sessions"))
	if err != nil {
		h.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Bad input is refused whole, naming the field; nothing changes.
func TestBadInput(t *testing.T) {
	h := newHome(t)
	long := strings.Repeat("x", 9<<20)
	for _, c := range []struct {
		tool, code, field string
		in                map[string]any
	}{
		{"threads.nothing", "not_found", "", map[string]any{}},
		{"threads.start", "invalid", "cwd", map[string]any{"provider": "claude", "cwd": "relative"}},
		{"threads.start", "invalid", "cwd", map[string]any{"provider": "claude", "cwd": "/no/such/folder"}},
		{"threads.start", "invalid", "cwd", map[string]any{"provider": "claude", "cwd": "/etc/passwd"}},
		{"threads.start", "invalid", "cwd", map[string]any{"provider": "claude"}},
		{"threads.start", "invalid", "provider", map[string]any{"provider": "copilot", "cwd": "/"}},
		{"threads.start", "invalid", "bypass", map[string]any{"provider": "claude", "cwd": "/", "bypass": true}},
		{"threads.start", "invalid", "mode", map[string]any{"provider": "claude", "cwd": "/", "mode": "bypassPermissions"}},
		{"threads.start", "invalid", "prompt", map[string]any{"provider": "claude", "cwd": "/", "prompt": 7}},
		{"threads.start", "invalid", "key", map[string]any{"provider": "claude", "cwd": "/", "key": "NOT AN ID"}},
		{"threads.start", "too_large", "", map[string]any{"provider": "claude", "cwd": "/", "prompt": long}},
		{"threads.send", "not_found", "", map[string]any{"thread": "none", "text": "x"}},
		{"threads.send", "invalid", "thread", map[string]any{"thread": "../x", "text": "x"}},
		{"threads.items", "invalid", "limit", map[string]any{"thread": "none", "limit": -1}},
		{"threads.answer", "not_found", "", map[string]any{"ask": "0123456789abcdef01", "decision": "allow"}},
		{"threads.answer", "invalid", "decision", map[string]any{"ask": "0123456789abcdef01", "decision": "yes"}},
		{"vault.put", "invalid", "name", map[string]any{"name": "A B", "value": "x"}},
		{"daemon.backup", "invalid", "path", map[string]any{"path": "relative.db"}},
	} {
		err := h.try(c.tool, c.in, nil)
		e := vyre.AsError(err)
		if string(vyre.CodeOf(err)) != c.code || (c.field != "" && e.Field != c.field && e.Details["field"] != c.field) {
			t.Errorf("%s %.80v: %.300v (field %v)", c.tool, c.in, err, e.Details["field"])
		}
		if strings.Contains(fmt.Sprint(e.Message, e.Hint), "/home/") || strings.Contains(e.Message, "goroutine") {
			t.Errorf("%s: an internal shows: %s", c.tool, e.Message)
		}
	}
	if err := h.try("threads.start", map[string]any{"provider": "copilot", "cwd": "/"}, nil); !strings.Contains(vyre.AsError(err).Hint, "claude") {
		t.Errorf("the list of providers is not told: %v", err)
	}
	h.nothingLeft()
}

// A second daemon on the home is refused and names the first; a home of 200
// bytes works.
func TestLockAndLongHome(t *testing.T) {
	h := newHome(t)
	h.kill()
	h.dir = filepath.Join(filepath.Dir(h.dir), strings.Repeat("long", 50))
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.config(fmt.Sprintf("[providers.claude]\nruntime = %q\n", h.agent.Binary))
	for i, kv := range h.env {
		if strings.HasPrefix(kv, "VYRE_HOME=") {
			h.env[i] = "VYRE_HOME=" + h.dir
		}
	}
	h.start()
	id := h.begin("say hello")
	h.finished(id, 1)
	out, err := h.cli("", "daemon")
	if err == nil || !strings.Contains(out, fmt.Sprint(h.cmd.Process.Pid)) {
		t.Errorf("a second daemon: %v\n%s", err, out)
	}
}

// A backup that was made while a turn ran opens and holds the thread.
func TestBackup(t *testing.T) {
	h := newHome(t)
	id := h.begin("words 50 every 5ms")
	path := filepath.Join(t.TempDir(), "copy.db")
	h.call("daemon.backup", map[string]any{"path": path}, nil)
	h.finished(id, 1)
	if err := h.try("daemon.backup", map[string]any{"path": path}, nil); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("over an existing file: %v", err)
	}
	h.kill()
	db := filepath.Join(h.dir, "private", "vyre.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(db + suffix)
	}
	if err := os.Rename(path, db); err != nil {
		t.Fatal(err)
	}
	h.start()
	if th := h.thread(id); th.ID != id {
		t.Errorf("restored %+v", th)
	}
	h.call("daemon.verify", map[string]any{}, nil)
}

// A daemon on a copy of a home leaves the sessions of the home it was copied from
// alone: they work on, and the copy shows their threads as stopped.
func TestCopiedHome(t *testing.T) {
	h := newHome(t)
	gate := h.api.Gate("hold")
	id := h.begin("gate hold\nsay whole")
	if err := gate.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	pids := h.pids(id)
	h.kill()
	b := &home{t: t, dir: h.dir + "-copy", agent: h.agent, api: h.api, port: freePort(t)}
	if out, err := exec.Command("cp", "-a", h.dir, b.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, kv := range h.env {
		switch {
		case strings.HasPrefix(kv, "VYRE_HOME="):
			kv = "VYRE_HOME=" + b.dir
		case strings.HasPrefix(kv, "VYRE_LISTEN="):
			kv = fmt.Sprintf("VYRE_LISTEN=127.0.0.1:%d", b.port)
		}
		b.env = append(b.env, kv)
	}
	b.start()
	b.until("the stop", func() bool { return b.thread(id).State == vyre.StateStopped })
	h.start()
	for _, pid := range pids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
			t.Errorf("process %d of the original is gone", pid)
		}
	}
	gate.Open()
	if s := h.finished(id, 1); s != vyre.TurnCompleted || h.text(id, vyre.ItemText) != "whole" {
		t.Errorf("the original's turn: %s %q", s, h.text(id, vyre.ItemText))
	}
	b.close()
}
