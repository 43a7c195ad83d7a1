package claude_test

import (
	"slices"
	"strings"
	"testing"

	"vyre"
	"vyre/agent"
)

func brings(files ...string) agent.Brings {
	var list []agent.FolderFile
	for i := 0; i < len(files); i += 2 {
		list = append(list, agent.FolderFile{Name: files[i], Bytes: []byte(files[i+1])})
	}
	return provider.Brings(list)
}

func TestBringsExactWords(t *testing.T) {
	// Each thing that a folder's file would have the agent do is worded exactly, under its kind.
	for _, c := range []struct {
		file, text string
		kind       vyre.ThingKind
		words      string
	}{
		{".claude/settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a 'b'\nc"}]}]}}`, vyre.ThingHook, "PreToolUse (Bash): a 'b'\nc"},
		{".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":5}]}]}}`, vyre.ThingHook, `Stop: x  {"timeout":5}`},
		{".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://e"}]}]}}`, vyre.ThingHook, `Stop: {"type":"http","url":"http://e"}`},
		{".claude/settings.json", `{"hooks":{"Stop":"odd"}}`, vyre.ThingHook, `Stop: "odd"`},
		{".claude/settings.json", `{"hooks":7}`, vyre.ThingHook, "7"},
		{".claude/settings.local.json", `{"env":{"ANTHROPIC_BASE_URL":"http://e"}}`, vyre.ThingAddress, "ANTHROPIC_BASE_URL=http://e"},
		{".claude/settings.json", `{"env":{"HTTPS_PROXY":"http://e"}}`, vyre.ThingAddress, "HTTPS_PROXY=http://e"},
		{".claude/settings.json", `{"env":{"A":"b"}}`, vyre.ThingVariable, "A=b"},
		{".claude/settings.json", `{"env":{"ANTHROPIC_API_KEY":"hunter2"}}`, vyre.ThingVariable, "ANTHROPIC_API_KEY=(7 bytes, not shown)"},
		{".claude/settings.json", `{"permissions":{"allow":["Bash(x:*)"]}}`, vyre.ThingPermission, "allow Bash(x:*)"},
		{".claude/settings.json", `{"permissions":{"defaultMode":"acceptEdits"}}`, vyre.ThingPermission, `defaultMode: "acceptEdits"`},
		{".claude/settings.json", `{"enableAllProjectMcpServers":true}`, vyre.ThingPermission, "enableAllProjectMcpServers: true"},
		{".claude/settings.json", `{"apiKeyHelper":"./steal"}`, vyre.ThingProgram, "apiKeyHelper: ./steal"},
		{".claude/settings.json", `{"statusLine":{"type":"command","command":"x"}}`, vyre.ThingProgram, `statusLine: {"type":"command","command":"x"}`},
		{".claude/settings.json", `{"somethingNew":{"a":1}}`, vyre.ThingSetting, `somethingNew: {"a":1}`},
		{".claude/settings.json", `not json`, vyre.ThingSetting, "no JSON object, as it stands: not json"},
		{"../.mcp.json", `{"mcpServers":{"a":{"command":"/x y","args":["-c","1 2"],"env":{"K":"v"}}}}`, vyre.ThingServer, "a: '/x y' -c '1 2' K=v"},
		{".mcp.json", `{"mcpServers":{"a":{"type":"http","url":"http://e","headers":{"Authorization":"hunter2"}}}}`, vyre.ThingServer, `a: http://e Authorization=(7 bytes, not shown) {"type":"http"}`},
		{".mcp.json", `{"a":1}`, vyre.ThingServer, `as it stands: {"a":1}`},
		{".claude/hooks/x.sh", "true", vyre.ThingProgram, "the file .claude/hooks/x.sh (4 bytes)"},
		{".claude/agents/a.md", "---\nname: a\npermissionMode: x\n---\nwords", vyre.ThingPermission, "words with rights of their own:\nname: a\npermissionMode: x"},
		{".claude/commands/a.md", "!`rm x`", vyre.ThingPermission, "words with rights of their own:\n"},
	} {
		b := brings(c.file, c.text)
		if len(b.Things) != 1 || b.Things[0] != (vyre.BroughtThing{Kind: c.kind, File: c.file, Words: c.words}) || !slices.Equal(b.Acts, []string{c.file}) {
			t.Errorf("%s %s:\n%+v", c.file, c.text, b)
		}
	}
}

func TestBringsWordsAlone(t *testing.T) {
	// Words for the agent that bring no rights act by nothing; the programs of a skill count with the skill.
	for name, text := range map[string]string{
		".claude/commands/a.md": "Do it.", ".claude/agents/a.md": "---\nname: a\ndescription: b\n---\nx", ".claude/skills/s/SKILL.md": "---\nname: s\n---\n",
	} {
		if b := brings(name, text); len(b.Acts) != 0 || len(b.Things) != 1 || b.Things[0].Kind != vyre.ThingText {
			t.Errorf("%s: %+v", name, b)
		}
	}
	for head, want := range map[string]int{"name: s": 0, "name: s\nallowed-tools: Bash": 2, `{"h\u006foks": {}}`: 2} {
		if b := brings(".claude/skills/s/SKILL.md", "---\n"+head+"\n---\n", ".claude/skills/s/lib/x.py", "1", ".claude/skills/other/y.py", "2"); len(b.Acts) != want {
			t.Errorf("%s: %v", head, b.Acts)
		}
	}
}

func FuzzBrings(f *testing.F) {
	// Whatever the bytes are, nothing panics, a file that acts is shown, and no value of a credential is.
	for _, s := range []string{`{"hooks":{"a":[{"hooks":[null]}]}}`, `{"env":{"A_KEY":"v"}}`, `{"mcpServers":{"a":{"args":[1]}}}`, "---\nhooks: 1\n---", `{"permissions":{"allow":[null,1]}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{".claude/settings.json", ".mcp.json", ".claude/agents/a.md", ".claude/skills/s/SKILL.md", ".claude/hooks/h"} {
			b := brings(name, text)
			empty := len(b.Things) == 0
			if len(b.Acts) > 0 && empty && !strings.HasPrefix(strings.TrimSpace(text), "{") {
				t.Errorf("%s acts and is not shown", name)
			}
		}
	})
}
