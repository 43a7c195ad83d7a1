package claude

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

func TestActs(t *testing.T) {
	// What a call would do is told in no provider's words; what is not known for certain is other.
	act := func(k vyre.ActKind, a vyre.Act) vyre.Act {
		a.Kind, a.CWD, a.Source = k, "/w", "builtin"
		return a
	}
	for _, c := range []struct {
		tool, input string
		want        vyre.Act
	}{
		{"Bash", `{"command":"ls","description":"x"}`, act(vyre.ActCommand, vyre.Act{Command: "ls", Shell: "bash"})},
		{"Bash", `{"command":"ls","command":"rm a"}`, act(vyre.ActCommand, vyre.Act{Command: "rm a", Shell: "bash"})},
		{"Bash", `{"Command":"ls"}`, act(vyre.ActOther, vyre.Act{})},
		{"Bash", `{"command":["ls"]}`, act(vyre.ActOther, vyre.Act{})},
		{"Bash", `[]`, act(vyre.ActOther, vyre.Act{})},
		{"PowerShell", `{"command":"ls"}`, act(vyre.ActCommand, vyre.Act{Command: "ls", Shell: "powershell"})},
		{"Glob", `{"pattern":"**/*.go"}`, act(vyre.ActRead, vyre.Act{Paths: []string{"/w"}})},
		{"Glob", `{"pattern":"/h/.ssh/*"}`, act(vyre.ActRead, vyre.Act{Paths: []string{"/h/.ssh/"}})},
		{"Glob", `{"pattern":"../*"}`, act(vyre.ActOther, vyre.Act{})},
		{"Write", `{"file_path":"/w/a","content":"x"}`, act(vyre.ActWrite, vyre.Act{Paths: []string{"/w/a"}, Edits: []vyre.FileEdit{{Whole: true, New: "x"}}})},
		{"Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true}`, act(vyre.ActWrite, vyre.Act{Paths: []string{"/w/a"}, Edits: []vyre.FileEdit{{Old: "x", New: "y", All: true}}})},
		{"Edit", `{"file_path":"/w/a","old_string":"x"}`, act(vyre.ActWrite, vyre.Act{Paths: []string{"/w/a"}})},
		{"MultiEdit", `{"file_path":"/w/a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"y","new_string":""}]}`, act(vyre.ActWrite, vyre.Act{Paths: []string{"/w/a"}, Edits: []vyre.FileEdit{{Old: "x", New: "y"}, {Old: "y"}}})},
		{"Write", `{"content":"x"}`, act(vyre.ActOther, vyre.Act{})},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, act(vyre.ActWrite, vyre.Act{Paths: []string{"n.ipynb"}})},
		{"Grep", `{"pattern":"x"}`, act(vyre.ActRead, vyre.Act{Paths: []string{"/w"}})},
		{"Grep", `{"pattern":"x","path":7}`, act(vyre.ActOther, vyre.Act{})},
		{"WebFetch", `{"url":"https://example.org"}`, act(vyre.ActFetch, vyre.Act{URL: "https://example.org"})},
		{"Agent", `{"prompt":"x"}`, act(vyre.ActAgent, vyre.Act{})},
		{"mcp__files__read", `{"path":"/a"}`, act(vyre.ActOther, vyre.Act{})},
		{"NewTool", `{}`, act(vyre.ActOther, vyre.Act{})},
	} {
		got := New().Acts(c.tool, "builtin", []byte(c.input), "/w")
		if d := cmp.Diff([]vyre.Act{c.want}, got); d != "" {
			t.Errorf("%s %s: %s", c.tool, c.input, d)
		}
	}
	if got := New().Acts("Bash", "builtin", []byte(`{"command":"ls","somethingNew":true}`), "/w"); len(got) != 2 || got[1].Kind != vyre.ActOther {
		t.Errorf("a member that nobody knows is not asked about: %v", got)
	}
	if got := New().Acts("Read", "config:x", []byte(`{"file_path":"/a"}`), "/w"); got[0].Kind != vyre.ActOther {
		t.Errorf("a server's tool with a known name is taken for the agent's own: %v", got)
	}
}
