package term

import (
	"os"
	"strings"
)

// Style is how one stream looks. The zero value is plain: no colour, ASCII signs.
type Style struct {
	TTY     bool // somebody looks at it
	Color   bool // escape sequences of our own are understood
	Unicode bool // signs beyond ASCII can be shown
	Width   int  // columns, 0 when it is no terminal
	Height  int  // rows, 0 when it is no terminal
}

// StyleOf looks at a stream and the environment: colours only at a terminal
// that is not dumb and without NO_COLOR, signs only where the locale has them.
func StyleOf(f *os.File, getenv func(string) string) Style {
	s := Style{Unicode: unicodeLocale(getenv)}
	if f == nil || !IsTerminal(f) {
		return s
	}
	dumb := getenv("TERM") == "dumb" || getenv("TERM") == ""
	s.TTY = true
	s.Color = !dumb && getenv("NO_COLOR") == ""
	s.Unicode = s.Unicode && !dumb
	s.Width, s.Height = size(f)
	if s.Width <= 0 {
		s.Width = 80
	}
	return s
}

func unicodeLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

func (s Style) paint(code, text string) string {
	if !s.Color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Dim is for what is beside the point.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Bold is for names.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// You is for what waits for the person, and for nothing else.
func (s Style) You(text string) string { return s.paint("1;33", text) }

// Bad is for a failure or a denial.
func (s Style) Bad(text string) string { return s.paint("31", text) }

// Good is for what is done.
func (s Style) Good(text string) string { return s.paint("32", text) }

// Signs are the marks of rows.
type Signs struct{ Run, Done, Fail, Stop, Dot, Bar, On, Me string }

// Signs returns the marks that this stream can show.
func (s Style) Signs() Signs {
	if s.Unicode {
		return Signs{Run: "▸", Done: "✓", Fail: "✗", Stop: "⊘", Dot: "·", Bar: "│", On: "┆", Me: "›"}
	}
	return Signs{Run: ">", Done: "ok", Fail: "failed", Stop: "stopped", Dot: "-", Bar: "|", On: ":", Me: ">"}
}
