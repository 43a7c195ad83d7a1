package policy

import "testing"

func TestSessionRule(t *testing.T) {
	// A rule for the session is about what was shown; none allows any command, any write or a whole server.
	for _, rule := range []string{
		"Bash(touch a.txt)", "Bash(touch:*)", "Bash(git status:*)", "Bash(git status *)", "Bash(npm run test:*)", "Bash(/usr/bin/ls:*)",
		"Bash(ls && rm -rf x)", "Read(//srv/data/**)", "Edit(/src/a.go)", "WebFetch(domain:example.org)", "WebSearch", "Grep",
		"mcp__files__read", "Bash(sh -c 'echo hi')",
	} {
		if !SessionRule(rule) {
			t.Errorf("%q is refused", rule)
		}
	}
	for _, rule := range []string{
		"", "*", "Bash", "Bash()", "Bash(*)", "Bash(:*)", "Bash( * )", "Bash(**)", "Bash(* --help)", "Bash(git * main)", "Bash(git*)",
		"Bash(sh:*)", "Bash(bash -c:*)", "Bash(/bin/sh:*)", "Bash(sudo:*)", "Bash(env:*)", "Bash(python3 -c:*)", "Bash(xargs:*)", "Bash(find:*)",
		"Bash(A=1 sh:*)", "Bash(ls; sh:*)", "Bash($(x):*)", "Bash(vyre:*)", "Bash(touch:*", "Bash(touch:*)x", "Bash(touch\n:*)", "Bash(touch\u202e:*)",
		"Bash(git:*)", "Bash(git -C:*)", "Bash(git config:*)", "Bash(npm:*)", "Bash(claude:*)", "Bash(crontab:*)", "Bash(perl x.pl:*)", "Bash(setsid:*)", "Bash(systemctl restart:*)", "Bash(docker:*)",
		"Edit(/.claude/**)", "Edit(.claude/settings.json)", "Write(/src/.mcp.json)", "Edit(/a/.git/hooks/**)", "Edit(~/.bashrc)", "Read(~/.ssh/**)", "Read(/app/.env)",
		"Edit", "Write", "Read", "Edit(*)", "Edit(**)", "Edit(//**)", "Write(/*)", "WebFetch", "WebFetch(domain:*)", "Agent", "Task",
		"mcp__files", "mcp__files__", "mcp__*", "mcp__files__*", "Power Shell(x)", "PowerShell(*)",
	} {
		if SessionRule(rule) {
			t.Errorf("%q is offered", rule)
		}
	}
}

func FuzzSessionRule(f *testing.F) {
	// No rule makes it panic, and a shell's rule that it takes never ends in a bare wildcard.
	f.Add("Bash(git status:*)")
	f.Add("Edit(/a/**)")
	f.Add("mcp__a__b")
	f.Fuzz(func(t *testing.T, rule string) {
		if SessionRule(rule) && (rule == "Bash" || rule == "Bash(*)" || rule == "Bash(:*)") {
			t.Fatalf("%q is offered", rule)
		}
	})
}
