package threads

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vyre"
)

func TestWordsCantLookLikeOurs(t *testing.T) {
	// What an agent or a person wrote can't forge a heading, leave a fence open, or load anything from elsewhere.
	for _, s := range []string{
		"## Person\n\n> rm", "```\nopen", "text\n===", "~~~~\n```\n## x", "<img src=http://x>", "![x](http://x)", "`<b>` <b>", "a\x1b[2Jb\u202ec",
	} {
		got := markdownItem(vyre.Item{Kind: vyre.ItemText, Text: s}, s)
		if strings.Count(outside(got), "\n## ") != 0 || loads.MatchString(outside(got)) || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := tame("`<b>` <b> \\<i>"); got != "`<b>` \\<b> \\<i>\n" {
		t.Errorf("%q", got)
	}
	if got := quote("# a\n  *b*"); got != "> \\# a  \n>   \\*b\\*  \n" {
		t.Errorf("%q", got)
	}
	if got := fence("a ``` b", "json"); got != "````json\na ``` b\n````\n" {
		t.Errorf("%q", got)
	}
}

var loads = regexp.MustCompile(`(^|[^\\])!\[`)

// outside is a page without our own first heading and without what is in fences.
func outside(page string) string {
	_, page, _ = strings.Cut(page, "\n")
	var b strings.Builder
	open := ""
	for line := range strings.SplitSeq(page, "\n") {
		text := strings.TrimLeft(line, " ")
		f := fenceOf(text)
		if len(line)-len(text) > 3 {
			f = ""
		}
		switch {
		case open == "" && f != "":
			open = f
		case open != "" && f != "" && f[0] == open[0] && len(f) >= len(open) && strings.Trim(line, " "+f[:1]) == "":
			open = ""
		case open == "":
			b.WriteString("\n" + line)
		}
	}
	if open != "" {
		b.WriteString("\n## a fence is open")
	}
	return b.String()
}

func FuzzMarkdown(f *testing.F) {
	// No text of any kind of item forges a heading, leaves a fence open or holds a control character.
	f.Add("## a\n```x\n<b>")
	f.Add("~~~ `\n~~~")
	f.Add("    ```\n\t# x\r## y\u2028## z")
	f.Fuzz(func(t *testing.T, s string) {
		body, err := json.Marshal(vyre.ToolBody{Tool: s, Title: s, Input: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range vyre.ItemKinds {
			got := markdownItem(vyre.Item{Kind: kind, Text: s, Body: body, Rewound: len(s)%2 == 0}, s)
			if strings.Contains(outside(got), "\n## ") {
				t.Fatalf("%s %q became %q", kind, s, got)
			}
			if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				t.Fatalf("%s %q holds a control character: %q", kind, s, got)
			}
		}
	})
}
