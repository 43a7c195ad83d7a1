package threads

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"vyre"
	"vyre/agent"
	"vyre/internal/engine"
)

// A thread as Markdown: a heading of level 2 for each item, and below it what was
// said. Words of the person are quoted as they are; words of the agent are Markdown
// already and stay so, made unable to look like ours: their headings go down two
// levels, an open fence is closed, raw HTML and pictures from elsewhere are escaped.

// maxExported bounds what is shown of one tool's input or output, in bytes.
const maxExported = 32 << 10

func markdownHead(th vyre.Thread) string {
	name := th.Name
	if name == "" {
		name = string(th.ID)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeLine(name))
	for _, row := range [][2]string{
		{"Thread", string(th.ID)}, {"Agent", th.Provider + " " + th.Model}, {"Folder", th.CWD}, {"Begun", th.Created.String()},
	} {
		fmt.Fprintf(&b, "- %s: %s\n", row[0], escapeLine(strings.TrimSpace(row[1])))
	}
	return b.String() + "\n"
}

// markdownItem is one item; of names the subagent that it is of, or is empty.
func markdownItem(it vyre.Item, of string) string {
	var head, body string
	switch it.Kind {
	case vyre.ItemUser:
		head, body = "Person", quote(it.Text)+attachedList(it)
	case vyre.ItemText:
		head, body = "Agent", tame(it.Text)
	case vyre.ItemReasoning:
		head, body = "Thinking", tame(it.Text)
	case vyre.ItemTool, vyre.ItemSubagent:
		head, body = toolMarkdown(it)
	case vyre.ItemPlan:
		head, body = "Plan", planMarkdown(it.Body)
	case vyre.ItemCompaction:
		head, body = "The conversation was compacted", tame(it.Text)
	case vyre.ItemNotice:
		head, body = "Notice", quote(it.Text)
	case vyre.ItemError:
		head, body = "Error", fence(it.Text, "")
	case vyre.ItemRaw:
		head, body = "A message of the agent that is not known here", fence(string(it.Body), "json")
	}
	if of != "" {
		head += " (subagent: " + escapeLine(of) + ")"
	}
	if it.Rewound {
		head += " (before which the conversation went back)"
	}
	if body = strings.TrimRight(body, "\n"); body != "" {
		body += "\n\n"
	}
	return "## " + head + "\n\n" + body
}

func toolMarkdown(it vyre.Item) (head, body string) {
	var t vyre.ToolBody
	_ = json.Unmarshal(it.Body, &t) // what is no body shows as an empty call
	head = "Tool: " + escapeLine(strings.TrimSpace(t.Tool+" "+t.Title)) + " (" + string(it.Status) + ")"
	if len(t.Input) > 0 {
		body += fence(string(t.Input), "json") + "\n"
	}
	if len(t.Output) > 0 {
		var s string
		if json.Unmarshal(t.Output, &s) != nil {
			s = string(t.Output)
		}
		body += fence(s, "")
	}
	return head, body
}

func planMarkdown(body json.RawMessage) string {
	var p agent.Plan
	if json.Unmarshal(body, &p) != nil {
		return fence(string(body), "json")
	}
	var b strings.Builder
	for _, e := range p.Entries {
		mark := " "
		if e.Status == "completed" {
			mark = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", mark, escapeLine(e.Text))
	}
	return b.String()
}

func attachedList(it vyre.Item) string {
	var u engine.UserBody
	if json.Unmarshal(it.Body, &u) != nil || len(u.Attachments) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for _, a := range u.Attachments {
		fmt.Fprintf(&b, "- attached: %s (%s, %d bytes)\n", escapeLine(a.Name), escapeLine(a.MediaType), a.Size)
	}
	return b.String()
}

// clean takes out what a terminal or an editor would act on: control characters and
// those that turn the direction of text.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029' || r == '\r':
			return '\n'
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return '\uFFFD'
		}
		return r
	}, s)
}

const special = "\\`*_{}[]<>()#+-.!|~&$"

// escapeLine makes plain words of one line.
func escapeLine(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch {
		case r == '\n' || r == '\t':
			r = ' '
		case strings.ContainsRune(special, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote shows plain words, line by line.
func quote(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(clean(s), "\n"), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		b.WriteString("> " + strings.ReplaceAll(line[:indent], "\t", " ") + escapeLine(line[indent:]) + "  \n")
	}
	return b.String()
}

// fence puts a text between fences that it can't close.
func fence(s, lang string) string {
	s = clean(s)
	cut := ""
	if len(s) > maxExported {
		cut = fmt.Sprintf("\n… %d bytes more", len(s)-maxExported)
		s = strings.ToValidUTF8(s[:maxExported], "")
	}
	longest, run := 2, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	f := strings.Repeat("`", longest+1)
	return f + lang + "\n" + strings.TrimRight(s, "\n") + cut + "\n" + f + "\n"
}
