package term

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// What an agent writes can't steer a terminal: controls, C1 controls and
// overrides of direction are spelled out, wherever they stand.
func TestCleanSpellsOutWhatSteers(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":              "plain\n\ttext",
		"\x1b]52;c;aGk=\x07":         "␛]52;c;aGk=␇",
		"a\x1b[2Jb":                  "a␛[2Jb",
		"\u009b31mred":               "⟨U+009B⟩31mred",
		"progress 10%\rprogress 99%": "progress 10%progress 99%",
		"line\r\nnext":               "line\nnext",
		"a\u2028b":                   "a\nb",
		"safe\u202etxt.exe":          "safe⟨U+202E⟩txt.exe",
		"bad \xff byte":              "bad \ufffd byte",
		"👩‍💻 é 漢字":                   "👩‍💻 é 漢字",
		"del\x7f and nul\x00":        "del␡ and nul␀",
		"isolate \u2066x\u2069":      "isolate ⟨U+2066⟩x⟨U+2069⟩",
		"":                           "",
		"\u200fמימין לשמאל":          "\u200fמימין לשמאל",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// A command that is shown for a yes hides nothing: every character that leaves
// no mark is spelled out and counted.
func TestVisibleSpellsOutWhatCannotBeSeen(t *testing.T) {
	for _, c := range []struct {
		in, want string
		hidden   int
	}{
		{"npm test", "npm test", 0},
		{"a\n\tb", "a\n\tb", 0},
		{"ls\u00a0-l", "ls⟨U+00A0⟩-l", 1},
		{"rm\u200b -rf", "rm⟨U+200B⟩ -rf", 1},
		{"echo \x1b[8mhidden", "echo ⟨U+001B⟩[8mhidden", 1},
		{"a\rb", "a⟨U+000D⟩b", 1},
		{"x\u3164y", "x⟨U+3164⟩y", 1},
		{"x\ufe0fy", "x⟨U+FE0F⟩y", 1},
		{"bad \xfe", "bad ⟨0xFE⟩", 1},
		{"forged ⟨U+001B⟩", "forged ⟨U+27E8⟩U+001B⟩", 0},
	} {
		got, n := Visible(c.in)
		if got != c.want || n != c.hidden {
			t.Errorf("Visible(%q) = %q, %d; want %q, %d", c.in, got, n, c.want, c.hidden)
		}
	}
}

// A line of a table is one line and no wider than asked.
func TestLineIsCutByColumns(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"two\nlines  here", 0, "two lines here"},
		{"abcdefghij", 5, "abcd…"},
		{"漢字漢字", 5, "漢字…"},
		{"ab cdef", 4, "ab…"},
	} {
		if got := Line(c.in, c.width); got != c.want {
			t.Errorf("Line(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

// A document that is shown at a terminal means the same as before.
func TestJSONEscapesOnlyWhatSteers(t *testing.T) {
	doc := []byte("{\"a\":\"\u009b31m é \u202e\x7f\"}")
	got := JSON(doc)
	if want := `{"a":"\u009b31m é \u202e\u007f"}`; string(got) != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	var a, b map[string]string
	if json.Unmarshal(doc, &a) != nil || json.Unmarshal(got, &b) != nil || a["a"] != b["a"] {
		t.Fatal("the meaning changed")
	}
}

func steering(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || steers(r)
	})
}

// Nothing that steers a terminal comes out, whatever goes in, and Visible can
// be read back, so no two commands look the same.
func FuzzNeutralise(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b]0;t\x07", "a\u009bb\xff", "⟨U+001B⟩", "⟨", "\r\n\u2028\u202e", "e\u0301\ufe0f"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		if got := Clean(s); steering(got) || !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) = %q", s, got)
		}
		if got := Line(s, width); steering(got) || strings.Contains(got, "\n") {
			t.Fatalf("Line(%q) = %q", s, got)
		} else if width > 1 && Columns(got) > width {
			t.Fatalf("Line(%q, %d) is %d wide", s, width, Columns(got))
		}
		got, _ := Visible(s)
		if steering(got) || !utf8.ValidString(got) {
			t.Fatalf("Visible(%q) = %q", s, got)
		}
		if back, ok := Hidden(got); !ok || back != s {
			t.Fatalf("Hidden(Visible(%q)) = %q, %v", s, back, ok)
		}
	})
}
