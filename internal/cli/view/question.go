package view

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"vyre"
	"vyre/internal/cli/term"
)

// Question is one of the questions of an ask of kind question.
type Question struct {
	Text    string   `json:"question"`
	Header  string   `json:"header"`
	Options []Choice `json:"options"`
	Multi   bool     `json:"multiSelect"`
}

// Choice is one answer that the agent offers.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Questions reads the questions out of an ask's input; none when it has no such
// shape.
func Questions(a vyre.Ask) []Question {
	var in struct {
		Questions []Question `json:"questions"`
	}
	if json.Unmarshal(a.Input, &in) != nil {
		return nil
	}
	return in.Questions
}

func (c *Card) questions(s term.Style, qs []Question) {
	for i, q := range qs {
		if i > 0 || len(c.Lines) > 1 {
			c.add(s, "", plain)
		}
		c.add(s, c.visible(q.Text), s.Bold)
		for n, o := range q.Options {
			c.add(s, fmt.Sprintf("  %d  %s", n+1, c.visible(o.Label)), plain)
			if o.Description != "" {
				c.add(s, "     "+strings.ReplaceAll(c.visible(o.Description), "\n", " "), s.Dim)
			}
		}
	}
	c.add(s, "", plain)
}

// Prompt is what stands before the answer to a question.
func (q Question) Prompt() string {
	what := "number, or your own words"
	if q.Multi {
		what = "numbers such as 1,3, or your own words"
	}
	head := q.Header
	if head == "" {
		head = "answer"
	}
	return term.Line(head, 40) + " (" + what + "; /d declines, /l leaves it open): "
}

// Reply turns what was typed into the answer: numbers stand for the labels they
// count, anything else is the person's own words. ok is false for an empty line
// and for a number that counts nothing.
func (q Question) Reply(typed string) (answer string, ok bool) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", false
	}
	parts := []string{typed}
	if q.Multi {
		parts = strings.FieldsFunc(typed, func(r rune) bool { return r == ',' || r == ' ' })
	}
	labels := make([]string, 0, len(parts))
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		switch {
		case err != nil || len(q.Options) == 0:
			return typed, true // words of their own
		case n < 1 || n > len(q.Options):
			return "", false
		}
		labels = append(labels, q.Options[n-1].Label)
	}
	return strings.Join(labels, ", "), len(labels) > 0
}
