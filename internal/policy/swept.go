package policy

import (
	"strings"

	"vyre"
)

// Swept reports whether a file of a session's folder is one that nobody may write
// (places): its path from the folder, with slashes. What agents themselves write there
// as they work is not.
func Swept(rel string) bool {
	low := fold(rel)
	for _, own := range agentsOwn {
		if low == own || strings.HasPrefix(low, own+"/") {
			return false
		}
	}
	v, _ := indexes()[anywhere].strictest(components("/"+low), func(p place) vyre.Verdict { return p.write })
	return v == deny
}

// SweptFolders are the folders of a session's folder in which such files lie.
var SweptFolders = []string{".claude", ".codex", ".gemini", ".qwen", ".opencode", ".goose", ".cursor"}

// agentsOwn is what agents keep beside their settings while they work.
var agentsOwn = []string{
	".claude/scheduled_tasks.json", ".claude/scheduled_tasks.lock", ".claude/state", ".claude/jobs", ".claude/projects",
	".claude/worktrees", ".claude/plans", ".claude/agent-memory", ".claude/agent-memory-local",
}
