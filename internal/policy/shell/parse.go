package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// MaxText is the longest text that is read, in bytes: more than Linux hands to a
	// program in one argument (128 KB).
	MaxText = 160 << 10
	// maxNested bounds how deep the parser can get: each of these can open one level.
	// A level takes up to 4 KB of stack (measured), so this is some 32 MB.
	maxNested = 8000
)

// openers can each begin a level. They are counted wherever they stand, so that no
// quoting hides one; a text with so many that is still harmless is not typed by anybody.
var openers = []string{
	"(", "{", "[", "`", "<<", "!", "?", "--", "- ", "-(", "++", "~", "**",
	"if", "then", "while", "until", "do", "case", "select", "function", "coproc", "time",
}

// Env is what the text may rely on.
type Env struct {
	CWD  string // absolute: where the shell starts; empty: nobody knows
	Home string // what ~ and $HOME are; empty: nobody knows
}

// Parse takes text apart as Bash reads it.
func Parse(text string, env Env) (s Script) {
	if len(text) > MaxText || nested(text) > maxNested {
		return Script{TooMuch: true, Doubts: []string{"it is too long or too deeply nested to be looked at"}}
	}
	w := &walker{text: text, env: env}
	w.sure()
	defer func() {
		if recover() != nil { // a fault of the parser on text that somebody made for it
			s = Script{Steps: w.out, Doubts: append(w.doubts, "the parser gave up on it")}
		}
	}()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return Script{Doubts: []string{"it is no shell text that can be read: " + shown(err)}}
	}
	start := Dirs{}
	if env.CWD != "" {
		start = Dirs{List: []string{env.CWD}, Known: true}
	}
	w.list(f.Stmts, start, false)
	return Script{Steps: w.out, Doubts: w.doubts}
}

func nested(text string) int {
	n := 0
	for _, o := range openers {
		n += strings.Count(text, o)
	}
	return n
}

// sure finds out whether ~, $HOME and $PWD mean what they do at the start: a text
// that names these variables in any other way may set them.
func (w *walker) sure() {
	only := func(name string) bool {
		return strings.Count(w.text, name) == strings.Count(w.text, "$"+name)+strings.Count(w.text, "${"+name+"}")
	}
	w.homeSure = w.env.Home != "" && only("HOME")
	w.pwdSure = only("PWD")
}

// shown is a parser's complaint without the file's name and place.
func shown(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 && i < 40 {
		s = s[i+2:]
	}
	if len(s) > 120 {
		s = s[:120] + "…"
	}
	return strings.ToValidUTF8(s, "?")
}
