package view

import (
	"strings"
	"unicode/utf8"

	"vyre"
	"vyre/internal/cli/term"
)

// Answer is the input of threads.answer.
type Answer struct {
	Ask       vyre.AskID        `json:"ask"`
	Decision  vyre.Decision     `json:"decision"`
	Option    string            `json:"option,omitempty"`
	Scope     vyre.Scope        `json:"scope,omitempty"`
	Message   string            `json:"message,omitempty"`
	Answers   map[string]string `json:"answers,omitempty"`
	Mode      vyre.Mode         `json:"mode,omitempty"`
	Interrupt bool              `json:"interrupt,omitempty"`
	Digest    string            `json:"digest,omitempty"` // of the ask that was shown
}

// Key is one thing that can be pressed at an ask.
type Key struct {
	Key   rune
	Label string
	Note  bool // a note is asked for before it is sent
	Later bool // nothing is sent: the ask stays open
	Send  Answer
}

// Keys says what can be pressed at an ask of any kind but question. Where
// characters had to be spelled out, only answers for this once are offered: a
// rule that reaches further would be made of what can't be read.
func Keys(a vyre.Ask, hidden int) []Key {
	var keys []Key
	taken := map[rune]bool{'n': true, 'l': true}
	add := func(k Key) {
		k.Send.Ask, k.Send.Digest = a.ID, a.Digest
		taken[k.Key] = true
		keys = append(keys, k)
	}
	options := a.Options
	if len(options) == 0 {
		options = []vyre.AskOption{
			{Label: "Allow once", Kind: vyre.Allow, Scope: vyre.ScopeOnce},
			{Label: "Deny", Kind: vyre.Deny},
		}
	}
	for _, o := range options {
		if hidden > 0 && o.Kind == vyre.Allow && o.Scope != "" && o.Scope != vyre.ScopeOnce {
			continue
		}
		if k, ok := keyOf(o, taken); ok {
			add(Key{Key: k, Label: optionLabel(o), Send: Answer{Decision: o.Kind, Option: o.ID, Scope: o.Scope}})
		}
	}
	if a.Kind == vyre.AskPlan && !taken['e'] {
		add(Key{Key: 'e', Label: "Approve, and let edits go ahead", Send: Answer{Decision: vyre.Allow, Mode: vyre.ModeEdits}})
	}
	ours := a.Kind == vyre.AskTrust // no agent waits: there is nobody to tell, and no turn to end
	if !ours {
		add(Key{Key: 'n', Label: "Deny with a note", Note: true, Send: Answer{Decision: vyre.Deny}})
	}
	if a.Kind != vyre.AskPlan && !ours && !taken['i'] {
		add(Key{Key: 'i', Label: "Deny and end the turn", Send: Answer{Decision: vyre.Deny, Interrupt: true}})
	}
	add(Key{Key: 'l', Label: "Later", Later: true})
	return keys
}

// keyOfID are the keys of options that are offered often.
var keyOfID = map[string]rune{
	"allow_once": 'a', "approve": 'a', "answer": 'a', "approve_edits": 'e', "allow_session": 's', "deny": 'd', "deny_stop": 'i',
}

func keyOf(o vyre.AskOption, taken map[rune]bool) (rune, bool) {
	want := '1'
	known, ok := keyOfID[o.ID]
	switch {
	case ok:
		want = known
	case o.Kind == vyre.Deny:
		want = 'd'
	case o.Scope == vyre.ScopeSession:
		want = 's'
	case o.Scope == vyre.ScopeProject:
		want = 'p'
	case o.Kind == vyre.Allow:
		want = 'a'
	}
	for taken[want] {
		if want < '1' || want >= '9' {
			want = '0'
		}
		want++
		if want == '9' && taken[want] {
			return 0, false
		}
	}
	return want, true
}

func optionLabel(o vyre.AskOption) string {
	label := term.Line(o.Label, 0)
	rule, _ := term.Visible(o.Rule)
	rule = strings.ReplaceAll(rule, "\n", " ")
	if rule == "" || strings.HasSuffix(label, ": "+rule) { // a label may end in the words of what it allows
		return label
	}
	return label + ": " + rule
}

// Legend names the keys in a line each.
func Legend(s term.Style, keys []Key) []string {
	lines := make([]string, 0, len(keys))
	for _, k := range keys {
		lines = append(lines, "  "+s.You(string(k.Key))+"  "+k.Label)
	}
	return lines
}

// words are answers that may be typed in full.
var words = map[string]rune{
	"allow": 'a', "yes": 'a', "y": 'a', "approve": 'a', "session": 's', "project": 'p', "always": 'p',
	"deny": 'd', "no": 'd', "note": 'n', "interrupt": 'i', "later": 'l', "edits": 'e',
}

// Press finds what a key means.
func Press(keys []Key, r rune) (Key, bool) {
	for _, k := range keys {
		if k.Key == r || k.Key+'A'-'a' == r && r >= 'A' && r <= 'Z' {
			return k, true
		}
	}
	return Key{}, false
}

// Typed finds what a line means, where no single keys can be read: a key or a
// word, and after "deny", "d" or "n" a note.
func Typed(keys []Key, line string) (Key, bool) {
	word, note, _ := strings.Cut(strings.TrimSpace(line), " ")
	word = strings.ToLower(strings.TrimSuffix(word, ":"))
	r, n := utf8.DecodeRuneInString(word)
	if n == 0 {
		return Key{}, false
	}
	if n != len(word) {
		var known bool
		if r, known = words[word]; !known {
			return Key{}, false
		}
	} else if r == 'y' {
		r = 'a'
	}
	k, ok := Press(keys, r)
	if !ok {
		return Key{}, false
	}
	note = strings.TrimSpace(note)
	switch {
	case note == "":
		return k, true
	case k.Send.Decision == vyre.Deny:
		k.Note, k.Send.Message = false, note
		return k, true
	default:
		return Key{}, false // "a" with words behind it is not understood as a yes
	}
}
