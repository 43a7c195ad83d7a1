package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vyre"
)

// The daemon dies at each step of a start in a worktree; the next one takes back the
// tree that has no thread, and the start under the same key then runs once.
func TestDieWhileAWorktreeIsMade(t *testing.T) {
	h := newHome(t)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = h.agent.CWD
		b, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, b)
		}
		return string(b)
	}
	git("init", "-q", "-b", "main")
	git("-c", "user.name=p", "-c", "user.email=p@example.invalid", "commit", "-q", "--allow-empty", "-m", "first")
	for _, point := range []string{"worktree.recorded", "worktree.added", "engine.launch.intent", "engine.launch.recorded"} {
		key := "w-" + strings.ReplaceAll(point, ".", "-")
		in := map[string]any{"provider": "claude", "cwd": h.agent.CWD, "worktree": true, "prompt": "say <" + key + ">", "key": key}
		h.kill()
		h.start("VYRE_FAIL=" + point)
		var out struct{ Thread vyre.ThreadID }
		if err := h.try("threads.start", in, &out); err == nil {
			t.Errorf("%s: the daemon did not die", point)
		}
		<-h.exited
		h.start()
		h.noWorktrees()
		if left, err := filepath.Glob(filepath.Join(h.dir, "worktrees", "*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v %v", point, left, err)
		}
		if b := git("branch", "--list", "vyre/*"); b != "" {
			t.Errorf("%s: left %s", point, b)
		}
		h.call("threads.start", in, &out)
		if s := h.finished(out.Thread, 1); s != vyre.TurnCompleted || h.api.Runs("say <"+key+">") != 1 {
			t.Errorf("%s: %s", point, s)
		}
		h.call("threads.stop", map[string]any{"thread": out.Thread}, nil)
		h.call("worktree.remove", map[string]any{"thread": out.Thread}, nil)
	}
}

// noWorktrees waits until the daemon has looked at what an earlier one left.
func (h *home) noWorktrees() {
	h.t.Helper()
	tick, deadline := time.NewTicker(5*time.Millisecond), time.After(waitBound)
	defer tick.Stop()
	for {
		var out struct{ Worktrees []any }
		h.call("worktree.list", map[string]any{}, &out)
		if len(out.Worktrees) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			h.t.Fatalf("left: %v", out.Worktrees)
		}
	}
}
