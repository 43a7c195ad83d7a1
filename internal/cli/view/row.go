package view

import (
	"strings"

	"vyre"
	"vyre/internal/cli/term"
)

// row is a tool call: what it is called, and how much of it was drawn.
type row struct {
	label string
	begun bool
	done  bool
}

// tool draws a call in one line: it is begun when it is known what the call is
// about, and finished with its outcome. Where something else came in between,
// the outcome gets a line of its own.
func (l *Live) tool(d vyre.ThreadTool) {
	r, known := l.rows[d.Item]
	if !known {
		r = &row{}
		l.rows[d.Item] = r
	}
	named := d.Title != "" && d.Title != d.Tool
	if r.done || r.begun && d.Status == vyre.ItemRunning {
		return
	}
	if !r.begun && (named || r.label == "") {
		r.label = rowLabel(d.Tool, d.Title, d.Parent != "", l.out.Notes)
	}
	if d.Parent == "" {
		l.spoken()
	}
	l.Rest()
	switch {
	case d.Status != vyre.ItemRunning:
		r.done = true
		end := outcome(d.Status, l.out.Notes)
		if l.row != d.Item || !l.out.EndPart(" "+end) {
			l.out.Note(r.label + " " + end)
		}
		l.row = ""
	case named || known: // at first an agent may say no more than the tool's name
		r.begun = true
		l.out.Part(r.label)
		l.row = d.Item
	}
}

// outcomeRoom is what the outcome takes at the end of a row.
const outcomeRoom = 10

func rowLabel(tool, title string, nested bool, s term.Style) string {
	sign := s.Signs().Run + " "
	if nested {
		sign = "  " + sign
	}
	text := title
	if !strings.HasPrefix(title, tool) {
		text = strings.TrimSpace(tool + "  " + title)
	}
	width := 0
	if s.Width > 0 {
		width = max(20, s.Width-outcomeRoom-len(sign))
	}
	line := term.Line(text, width)
	if name := term.Line(tool, 0); name != "" && strings.HasPrefix(line, name) {
		line = s.Bold(name) + line[len(name):]
	}
	return sign + line
}

func outcome(status vyre.ItemStatus, s term.Style) string {
	signs := s.Signs()
	switch status {
	case vyre.ItemCompleted:
		return s.Good(signs.Done)
	case vyre.ItemFailed:
		return s.Bad(signs.Fail)
	default:
		return s.Dim(signs.Stop)
	}
}
