package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vyre"
)

// fields are an input's members. Names are matched exactly and the last of a
// repeated one counts, as in the agent: a struct of this language would also
// take "Command" for "command" and could show what is not run.
type fields map[string]json.RawMessage

func fieldsOf(input json.RawMessage) fields {
	var f fields
	if json.Unmarshal(input, &f) != nil {
		return nil
	}
	return f
}

// take returns a string member and removes it, so that the rest can be shown.
func (f fields) take(name string) (string, bool) {
	var s string
	v, ok := f[name]
	if !ok || json.Unmarshal(v, &s) != nil || string(v) == "null" {
		return "", false
	}
	delete(f, name)
	return s, true
}

func (f fields) peek(name string) string {
	s, _ := maps.Clone(f).take(name)
	return s
}

// display is the whole of what would be done, for reading.
func display(kind vyre.AskKind, tool string, input json.RawMessage) string {
	f := fieldsOf(input)
	switch {
	case kind == vyre.AskQuestion:
		if s, ok := displayQuestions(input); ok {
			return s
		}
	case kind == vyre.AskPlan:
		if plan, ok := f.take("plan"); ok {
			delete(f, "planFilePath")
			return with(plan, f)
		}
		if len(f) == 0 {
			return "The agent wrote no plan; it asks to leave plan mode."
		}
	case tool == "Bash":
		if cmd, ok := f.take("command"); ok {
			delete(f, "description") // the agent's word for it, shown as the title
			return with(cmd, f)
		}
	case tool == "Write":
		path, ok := f.take("file_path")
		text, ok2 := f.take("content")
		if ok && ok2 {
			return with(path+"\n\n"+text, f)
		}
	case tool == "Edit":
		path, ok := f.take("file_path")
		before, ok2 := f.take("old_string")
		after, ok3 := f.take("new_string")
		if ok && ok2 && ok3 {
			if string(f["replace_all"]) == "false" {
				delete(f, "replace_all")
			}
			return with(path+"\n\n"+marked("-", before)+marked("+", after), f)
		}
	}
	return indented(input)
}

// with adds the members that a special form does not show.
func with(text string, rest fields) string {
	if len(rest) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(text, "\n"))
	b.WriteString("\n")
	for _, k := range slices.Sorted(maps.Keys(rest)) {
		fmt.Fprintf(&b, "\n%s: %s", k, rest[k])
	}
	return b.String()
}

func marked(mark, text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(mark + line + "\n")
	}
	return b.String()
}

func indented(input json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, input, "", "  ") != nil {
		return string(input)
	}
	return b.String()
}

// questions is the input of AskUserQuestion.
type questions struct {
	Questions []struct {
		Question    string `json:"question"`
		MultiSelect bool   `json:"multiSelect"`
		Options     []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	} `json:"questions"`
}

func displayQuestions(input json.RawMessage) (string, bool) {
	var q questions
	if json.Unmarshal(input, &q) != nil || len(q.Questions) == 0 {
		return "", false
	}
	var b strings.Builder
	for i, x := range q.Questions {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(x.Question)
		if x.MultiSelect {
			b.WriteString(" (several may be chosen)")
		}
		b.WriteString("\n")
		for _, o := range x.Options {
			b.WriteString("- " + o.Label)
			if o.Description != "" {
				b.WriteString(": " + o.Description)
			}
			b.WriteString("\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n"), true
}

// askTitle is one line for people.
func askTitle(kind vyre.AskKind, r *request, input json.RawMessage) string {
	var q questions
	switch {
	case kind == vyre.AskPlan:
		return "Approve the plan"
	case kind == vyre.AskQuestion && json.Unmarshal(input, &q) == nil && len(q.Questions) > 0:
		return oneLine(q.Questions[0].Question)
	case r.Title != "" && !quotes(r.Title, input):
		return oneLine(r.Title)
	}
	name := r.DisplayName
	if name == "" {
		name = r.Tool
	}
	if r.Description != "" && !quotes(r.Description, input) {
		return oneLine(name + ": " + r.Description)
	}
	if t := toolTitle(r.Tool, input); t != r.Tool {
		return oneLine(name + ": " + strings.TrimPrefix(t, r.Tool+": "))
	}
	return oneLine(name)
}

// toolTitle is a call in a few words: the agent's own word for it, or the file it
// is about. Titles travel in events, so what may hold a credential (a command,
// an address, a query) is not among them: it is in the item alone.
func toolTitle(tool string, input json.RawMessage) string {
	f := fieldsOf(input)
	for _, name := range []string{"description", "file_path", "notebook_path", "path", "skill"} {
		if s := f.peek(name); s != "" {
			return oneLine(tool + ": " + s)
		}
	}
	return oneLine(tool)
}

// quotes reports whether words repeat the command of a call.
func quotes(words string, input json.RawMessage) bool {
	cmd := strings.TrimSpace(fieldsOf(input).peek("command"))
	return cmd != "" && strings.Contains(words, cmd)
}

func oneLine(s string) string {
	const limit = 120
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
