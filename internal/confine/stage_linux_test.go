package confine

import (
	"os"
	"strings"
	"testing"
)

func TestWhatASessionSees(t *testing.T) {
	// Private state and side sockets are empty, settings that allow things are
	// read-only, the session's own socket folder, the project and worktrees are as
	// they were, and nothing that was mounted is seen outside.
	need(t, Mount|Caps)
	w := newWorld(t)
	for _, c := range []struct{ name, script, want string }{
		{"private is empty", "ls -A " + w.home + "/private; cat " + w.home + "/private/vyre.db", "No such file"},
		{"private can't be written", "touch " + w.home + "/private/x", "Read-only"},
		{"side sockets are empty", "touch " + w.side + "/x", "Read-only"},
		{"the runtime folder has only the session", "cd " + w.runtime + "; find . | sort | tr '\\n' ' '", ". ./s ./s/one "},
		{"settings are read-only", "echo x > " + w.project + "/.claude/settings.json", "Read-only"},
		{"settings can't be moved away", "mv " + w.project + "/.claude/settings.json /tmp/x 2>&1; cd " + w.project + "/.claude; mv settings.json x", "busy"},
		{"settings can't be removed", "rm -f " + w.person + "/.claude/settings.json", "busy"},
		{"settings keep their mode", "chmod 777 " + w.person + "/.claude/settings.json", "Read-only"},
		{"our own settings are read-only", "echo x > " + w.home + "/config.toml; echo x > " + w.home + "/new", "Read-only"},
		{"worktrees can be written", "echo fine > " + w.home + "/worktrees/a/f && cat " + w.home + "/worktrees/a/f", "fine"},
		{"the project can be written", "echo fine > file && mkdir d && mv file d/ && cat d/file", "fine"},
		{"the folder is the one that was said", "pwd", w.project},
		{"private is hidden from the folder upwards", "cd ../../home/private && ls -A | wc -l", "0"},
	} {
		out, _ := sh(t, w.plan(), w.project, c.script)
		if !strings.Contains(out, c.want) || strings.Contains(out, secret) {
			t.Errorf("%s: %q, want %q", c.name, out, c.want)
		}
	}
	// The folder that a session begins in is what covers it, never what lies below.
	if out, _ := sh(t, w.plan(), w.home, "cat private/vyre.db; echo x > config.toml"); strings.Contains(out, secret) || !strings.Contains(out, "Read-only") {
		t.Errorf("from the home itself: %q", out)
	}
	if b, err := os.ReadFile(w.home + "/private/vyre.db"); err != nil || string(b) != secret {
		t.Errorf("outside it reads %q, %v", b, err)
	}
	if fi, err := os.Lstat(w.side); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("the side folder was not made: %v", err)
	}
	asOrdinary(t)
}
