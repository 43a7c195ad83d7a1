package claude

import "vyre/agent"

var _ agent.Carrier = (*Provider)(nil)

// carried is where Claude Code 2.1.332 takes settings from a folder, measured with
// --setting-sources=user,project,local and a session two folders deep: settings.json of
// the session's folder alone; settings.local.json, .mcp.json and what lies under the
// others of the folders above too. A .env and a bunfig.toml are not read.
var carried = []agent.FolderPlace{
	{Path: ".claude/settings.json"},
	{Path: ".claude/settings.local.json", Up: true, Everywhere: true},
	{Path: ".mcp.json", Up: true, Everywhere: true},
	{Path: ".claude/hooks/**", Up: true},
	{Path: ".claude/launch.json", Up: true},
	{Path: ".claude/workflows/**", Up: true},
	{Path: ".claude/agents/**", Up: true},
	{Path: ".claude/commands/**", Up: true},
	{Path: ".claude/skills/**", Up: true},
	{Path: ".claude/output-styles/**", Up: true},
	{Path: ".claude/routines/**", Up: true},
	{Path: ".claude/scheduled_tasks.json", Up: true},
}

// Carries implements agent.Carrier.
func (*Provider) Carries(o agent.Options) agent.Carries {
	return agent.Carries{Places: carried, Own: configDir(o.Env)}
}

// sources are the arguments that say whose settings count. Without a folder's own the
// agent would not read its CLAUDE.md either, which is text and no setting; naming the
// folder as an additional one brings that back (with .claude/CLAUDE.md and
// .claude/rules), and nothing else of it: no hook, server, variable, skill or plugin
// (measured). It gives no right that the session's folder does not have already.
func sources(o agent.Options) []string {
	switch {
	case o.Bare:
		return []string{"--setting-sources="}
	case o.FolderSettings:
		return []string{"--setting-sources=user,project,local"}
	}
	return []string{"--setting-sources=user", "--add-dir=" + o.CWD}
}

// folderText has the agent read CLAUDE.md of the folder that sources names.
const folderText = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1"
