package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"vyre"
	"vyre/internal/cli/term"
)

// Card is an ask as it is shown: the whole of what would be done, nothing cut
// and nothing hidden.
type Card struct {
	Lines  []string // ready to print, without newlines
	Hidden int      // characters that can't be seen and were spelled out
}

// AskCard draws an ask. Every line but the first begins with a bar, also where a
// long one goes on, so nothing in the command can pass for a line of ours.
func AskCard(s term.Style, a vyre.Ask) Card {
	var c Card
	c.Lines = append(c.Lines, s.You("? "+headline(a))+s.Dim("  ask "+Short(a.ID)))
	qs := Questions(a)
	if a.Title != "" && !(len(qs) == 1 && qs[0].Text == a.Title) {
		c.add(s, c.visible(a.Title), plain)
	}
	switch {
	case a.Kind == vyre.AskQuestion && len(qs) > 0:
		c.questions(s, qs)
	default:
		c.add(s, "", plain)
		c.add(s, indent(c.visible(whole(a))), plain)
		c.add(s, "", plain)
	}
	c.facts(s, a)
	return c
}

func headline(a vyre.Ask) string {
	tool := term.Line(a.Tool, 60)
	switch a.Kind {
	case vyre.AskQuestion:
		return "The agent asks you"
	case vyre.AskPlan:
		return "The agent has a plan"
	case vyre.AskMode:
		return "The agent wants another mode"
	case vyre.AskTrust:
		return "May the agent use what this folder brings?"
	default:
		return "May " + tool + " do this?"
	}
}

// whole is all that would be done. Where the driver gave no text for it, it is
// the raw input.
func whole(a vyre.Ask) string {
	if strings.TrimSpace(a.Display) != "" {
		return a.Display
	}
	var b bytes.Buffer
	if json.Indent(&b, a.Input, "", "  ") != nil {
		return string(a.Input)
	}
	return b.String()
}

// facts are the lines that help to judge.
func (c *Card) facts(s term.Style, a vyre.Ask) {
	fact := func(name, value string) {
		if value != "" {
			c.add(s, name+": "+strings.ReplaceAll(c.visible(value), "\n", " "), s.Dim)
		}
	}
	if a.Source != "builtin" {
		fact("from", a.Source)
	}
	fact("by", strings.Join(a.AgentPath, " > "))
	fact("because of", a.Blocked)
	fact("why", a.Why)
	if c.Hidden > 0 {
		c.add(s, fmt.Sprintf("What can't be seen here is spelled out as ⟨U+…⟩: %d in all.", c.Hidden), s.Bad)
	}
}

func (c *Card) visible(text string) string {
	shown, n := term.Visible(strings.TrimRight(text, "\n"))
	c.Hidden += n
	return shown
}

func plain(s string) string { return s }

// add puts a text behind the bar, line by line; what is wider than the screen
// goes on behind a bar of its own.
func (c *Card) add(s term.Style, text string, paint func(string) string) {
	bar, on := s.You(s.Signs().Bar), s.You(s.Signs().On)
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			c.Lines = append(c.Lines, bar)
			continue
		}
		for i, piece := range term.Wrap(line, s.Width-barRoom) {
			if i == 0 {
				c.Lines = append(c.Lines, bar+" "+paint(piece))
			} else {
				c.Lines = append(c.Lines, on+" "+paint(piece))
			}
		}
	}
}

// barRoom is what the bar takes, and a column to spare.
const barRoom = 3

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
