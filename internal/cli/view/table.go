package view

import (
	"fmt"
	"strings"
	"time"

	"vyre"
	"vyre/internal/cli/term"
)

// Table lays out rows under a head. Cells must be clean; columns are as wide as
// their widest cell, the last one is cut to the screen.
func Table(s term.Style, head []string, rows [][]string) string {
	width := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, c := range r {
			width[i] = max(width[i], term.Columns(c))
		}
	}
	var b strings.Builder
	line := func(r []string, paint func(string) string) {
		used := 0
		for i, c := range r {
			if i == len(r)-1 {
				if s.Width > 0 {
					c = term.Line(c, max(10, s.Width-used))
				}
				b.WriteString(strings.TrimRight(paint(c), " "))
				break
			}
			b.WriteString(paint(c) + strings.Repeat(" ", width[i]-term.Columns(c)+2))
			used += width[i] + 2
		}
		b.WriteByte('\n')
	}
	line(head, s.Dim)
	for _, r := range rows {
		line(r, func(c string) string { return c })
	}
	return b.String()
}

// Threads is the table of `vyre ls`.
func Threads(s term.Style, threads []vyre.Thread, now time.Time) string {
	rows := make([][]string, 0, len(threads))
	for _, t := range threads {
		state := string(t.State)
		if t.Reason != "" {
			state += " (" + string(t.Reason) + ")"
		}
		rows = append(rows, []string{
			Short(t.ID), state, t.Provider, string(t.Mode), Ago(t.Updated, now), term.Line(t.Name, 32), term.Line(t.CWD, 0),
		})
	}
	return Table(s, []string{"THREAD", "STATE", "AGENT", "MODE", "UPDATED", "NAME", "FOLDER"}, rows)
}

// Ago says how long ago something was.
func Ago(t vyre.Time, now time.Time) string {
	if t == 0 {
		return "-"
	}
	d := now.Sub(t.Std())
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours())/24)
	}
}
