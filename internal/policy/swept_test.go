package policy

import "testing"

func TestSwept(t *testing.T) {
	// Agents' permission files are swept in any spelling; words, plans and what agents keep for themselves are not.
	for rel, want := range map[string]bool{
		".claude/settings.json": true, ".claude/settings.local.json": true, ".claude/hooks/x.sh": true, ".Claude/Settings.JSON": true,
		".mcp.json": true, ".codex/config.toml": true, ".cursor/mcp.json": true, ".claude/skills/s/SKILL.md": true,
		"CLAUDE.md": false, "main.go": false, ".claude/plans/a.md": false, ".claude/scheduled_tasks.json": false, "package.json": false,
		".claude/worktrees/x/y": false, ".git/config": false,
	} {
		if got := Swept(rel); got != want {
			t.Errorf("%s: %v", rel, got)
		}
	}
}
