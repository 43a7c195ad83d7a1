package policy

import (
	"testing"

	"vyre"
)

// A tool of a configured server that sends is an outward act, by its name or by what the
// person configured; one that looks, one of ours, and a command are none.
func TestOutwardActs(t *testing.T) {
	o := Outward{Tools: []string{"mcp__crm__*"}, Except: []string{"mcp__notes__post_*"}}
	for _, c := range []struct {
		tool, source string
		acts         []vyre.Act
		want         bool
	}{
		{"mcp__slack__send_message", "config:slack", nil, true},
		{"mcp__slack__chat_postMessage", "config:slack", nil, true},
		{"mcp__github__merge_pull_request", "config:github", nil, true},
		{"mcp__github__add_issue_comment", "config:github", nil, true},
		{"mcp__mail__SendEmail", "config:mail", nil, true},
		{"mcp__x__publishes", "config:x", nil, true},
		{"mail_send", "config:mail", nil, true},
		{"mcp__crm__anything", "config:crm", nil, true},
		{"Whatever", "builtin", []vyre.Act{{Kind: vyre.ActSend}}, true},

		{"mcp__github__get_post", "config:github", nil, false},
		{"mcp__github__list_releases", "config:github", nil, false},
		{"mcp__post-office__weather", "config:post-office", nil, false},
		{"post_weather", "config:post", nil, false},
		{"mcp__notes__post_it", "config:notes", nil, false},
		{"mcp__vyre__gate_request", "vyre", nil, false},
		{"SendMessage", "builtin", []vyre.Act{{Kind: vyre.ActAgent}}, false},
		{"Bash", "builtin", []vyre.Act{{Kind: vyre.ActCommand, Command: "git push"}}, false},
		{"mcp__x__resend", "config:x", nil, false}, // a word of its own: for the person to configure
		{"", "config:x", nil, false},
	} {
		if _, got := o.Judge(Call{Tool: c.tool, Source: c.source, Acts: c.acts}); got != c.want {
			t.Errorf("%s of %s: outward %v", c.tool, c.source, got)
		}
	}
	v := Judge(Call{
		Tool: "mcp__slack__send_message", Source: "config:slack", Project: "/p", CWD: "/p", Mode: vyre.ModeAsk,
		Acts: []vyre.Act{{Kind: vyre.ActOther, Source: "config:slack"}},
	}, Facts{
		Outward: Outward{}.Judge,
		Granted: func(Call, Part) (string, bool) { return "g", true },
	})
	if v.Verdict != vyre.VerdictDeny || v.By != ByGate {
		t.Errorf("a grant lets it pass: %+v", v)
	}
}
