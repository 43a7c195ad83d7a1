package view

import (
	"encoding/json"
	"strings"
	"testing"

	"vyre"
	"vyre/internal/cli/term"
)

// A line that is no plain yes never becomes one, and an answer always belongs to
// the ask that was shown.
func FuzzTyped(f *testing.F) {
	for _, s := range []string{"a", "allow", "yes please", "d because", "n", "s", "\x00a", "а", "a\n", "deny:allow", "A"} {
		f.Add(s)
	}
	a := someAsk()
	keys := Keys(a, 0)
	yes := map[string]bool{"a": true, "allow": true, "yes": true, "y": true, "approve": true, "s": true, "session": true}
	f.Fuzz(func(t *testing.T, line string) {
		k, ok := Typed(keys, line)
		if !ok || k.Later {
			return
		}
		if k.Send.Ask != a.ID {
			t.Fatalf("%q answers another ask", line)
		}
		word := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(line), ":"))
		if k.Send.Decision == vyre.Allow && !yes[word] {
			t.Fatalf("%q was taken for a yes", line)
		}
	})
}

// Whatever an agent puts into an ask, the card can be drawn: every line behind
// a bar, and nothing in it steers the terminal.
func FuzzAskCard(f *testing.F) {
	f.Add("Bash", "title", "ls\n-l", `{"questions":[{"question":"q?","options":[{"label":"x"}]}]}`, 40)
	f.Add("", "", "", `[]`, 0)
	f.Add("T\x1b", "a\u202eb", strings.Repeat("x", 200)+"\r\n\u2028", `{"questions":[{}]}`, 7)
	f.Fuzz(func(t *testing.T, tool, title, display, input string, width int) {
		s := term.Style{TTY: true, Width: width % 300}
		for _, kind := range vyre.AskKinds {
			a := vyre.Ask{ID: "a", Kind: kind, Tool: tool, Title: title, Display: display, Input: json.RawMessage(input), Why: title, Source: tool}
			for i, line := range AskCard(s, a).Lines {
				if strings.ContainsAny(line, "\x1b\n\r\u0085\u009b\u202e") {
					t.Fatalf("line %d steers: %q", i, line)
				}
				if i > 0 && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, ":") {
					t.Fatalf("line %d has no bar: %q", i, line)
				}
			}
			for _, q := range Questions(a) {
				if answer, ok := q.Reply(display); ok && strings.TrimSpace(answer) == "" {
					blank := false
					for _, o := range q.Options {
						blank = blank || strings.TrimSpace(o.Label) == ""
					}
					if !blank {
						t.Fatalf("%q became an empty answer", display)
					}
				}
			}
		}
	})
}
