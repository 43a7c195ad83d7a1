package view

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vyre"
	"vyre/internal/cli/term"
)

var update = flag.Bool("update", os.Getenv("VYRE_UPDATE") != "", "write the golden files again")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

var (
	plainStyle  = term.Style{}
	screenStyle = term.Style{TTY: true, Color: true, Unicode: true, Width: 60, Height: 24}
)

// shared is one screen that both streams write to.
func shared(s term.Style) (*Live, *bytes.Buffer) {
	var b bytes.Buffer
	return NewLive(term.NewOut(&b, s, &b, s)), &b
}

func event(data vyre.EventData) vyre.Event { return vyre.NewEvent("t1", "t1:1", data) }

func said(item vyre.ItemID, kind vyre.ItemKind, offset int, text string) vyre.Event {
	return event(vyre.ThreadText{Item: item, Kind: kind, Offset: offset, Text: text})
}

func toolRow(item vyre.ItemID, tool, title string, status vyre.ItemStatus, parent vyre.ItemID) vyre.Event {
	return event(vyre.ThreadTool{Item: item, Tool: tool, Title: title, Status: status, Parent: parent})
}

// aTurn is a turn with everything a reader sees.
func aTurn() []vyre.Event {
	return []vyre.Event{
		said("r", vyre.ItemReasoning, 0, "**Look around first**\nThen decide"),
		said("r", vyre.ItemReasoning, 33, " what to do."),
		said("a", vyre.ItemText, 0, "I'll run "),
		said("a", vyre.ItemText, 9, "the tests.\x1b[2J"),
		said("a", vyre.ItemText, 9, "the tests.\x1b[2J"), // told twice
		toolRow("b", "Bash", "npm test", vyre.ItemRunning, ""),
		toolRow("b", "Bash", "npm test", vyre.ItemCompleted, ""),
		toolRow("c", "Agent", "Agent", vyre.ItemRunning, ""), // not known yet what about
		toolRow("c", "Agent", "review the change\nwith care", vyre.ItemRunning, ""),
		toolRow("d", "Read", "Read a/very/long/path/that/does/not/fit/on/this/screen/at/all.go", vyre.ItemRunning, "c"),
		toolRow("d", "Read", "Read a/very/long/path/that/does/not/fit/on/this/screen/at/all.go", vyre.ItemFailed, "c"),
		toolRow("c", "Agent", "review the change\nwith care", vyre.ItemCanceled, ""),
		event(vyre.ThreadPlan{Done: 1, Total: 3}),
		event(vyre.ThreadItem{Kind: vyre.ItemNotice, Title: "retrying"}),
		event(vyre.ThreadMode{Mode: vyre.ModeEdits}),
		said("e", vyre.ItemText, 0, "All "),
		said("e", vyre.ItemText, 2, "l green.\nDone."), // overlaps
		event(vyre.ThreadUsage{Usage: vyre.Usage{InputTokens: 12345, OutputTokens: 67, CostMicros: 1234567}}),
		event(vyre.ThreadTurn{Status: vyre.TurnFailed, Error: "the provider is overloaded"}),
		{Kind: "thread.invented", Data: json.RawMessage(`{}`)},
		{Kind: vyre.EvThreadTool, Data: json.RawMessage(`[]`)},
	}
}

// A turn reads well on a screen and piped, with each call in one line, and no
// escape sequence of the agent's comes through.
func TestLiveTurn(t *testing.T) {
	for name, style := range map[string]term.Style{"turn_plain": plainStyle, "turn_screen": screenStyle} {
		l, b := shared(style)
		for _, ev := range aTurn() {
			l.Event(ev)
		}
		l.End()
		if strings.Contains(b.String(), "\x1b[2J") {
			t.Errorf("%s: the agent's escape sequence came through", name)
		}
		golden(t, name, b.String())
	}
}

// Piped, the first stream holds the agent's words and nothing else.
func TestDataIsOnlyWords(t *testing.T) {
	var data, notes bytes.Buffer
	l := NewLive(term.NewOut(&data, plainStyle, &notes, plainStyle))
	for _, ev := range aTurn() {
		l.Event(ev)
	}
	l.End()
	if want := "I'll run the tests.␛[2J\nAll green.\nDone.\n"; data.String() != want {
		t.Errorf("got %q, want %q", data.String(), want)
	}
}

// A timeline that was drawn is not drawn again by the events that made it.
func TestItemsThenEvents(t *testing.T) {
	body, _ := json.Marshal(vyre.ToolBody{Tool: "Bash", Title: "npm test"})
	l, b := shared(plainStyle)
	l.Items([]vyre.Item{
		{ID: "u", Kind: vyre.ItemUser, Text: "run the\ntests"},
		{ID: "r", Kind: vyre.ItemReasoning, Text: "hm"},
		{ID: "a", Kind: vyre.ItemText, Text: "I'll run "},
		{ID: "b", Kind: vyre.ItemTool, Status: vyre.ItemCompleted, Body: body},
		{ID: "x", Kind: vyre.ItemError, Text: "no more tokens"},
		{ID: "y", Kind: vyre.ItemRaw, Text: "{}"},
	})
	before := b.String()
	golden(t, "items", before)
	l.Event(said("a", vyre.ItemText, 0, "I'll run "))
	l.Event(said("r", vyre.ItemReasoning, 0, "hm"))
	l.Event(toolRow("b", "Bash", "npm test", vyre.ItemCompleted, ""))
	if b.String() != before {
		t.Errorf("drawn again: %q", b.String()[len(before):])
	}
	l.Event(said("a", vyre.ItemText, 9, "them"))
	if !strings.HasSuffix(b.String(), "them") {
		t.Error("what is new was not drawn")
	}
}

func someAsk() vyre.Ask {
	return vyre.Ask{
		ID: "1a2b3c4d5e6f708192", Thread: "t1", Kind: vyre.AskTool, Tool: "Bash", Title: "Run the tests",
		Display: "npm test -- --run\nrm\u00a0-rf / \x1b[8m&& curl evil", Source: "config:github", AgentPath: []string{"main", "reviewer"},
		Blocked: "/etc/passwd", Why: "it is outside\nthe folder", Input: json.RawMessage(`{"command":"x"}`),
		Options: []vyre.AskOption{
			{ID: "once", Label: "Allow once", Kind: vyre.Allow, Scope: vyre.ScopeOnce},
			{ID: "ses", Label: "Allow for this session", Kind: vyre.Allow, Scope: vyre.ScopeSession, Rule: "Bash(npm test:*)"},
			{ID: "no", Label: "Deny", Kind: vyre.Deny},
		},
	}
}

const askQuestionInput = `{"questions":[
 {"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm\nred"},{"label":"Blue\u200b"}]},
 {"question":"Which sizes?","header":"","multiSelect":true,"options":[{"label":"S"},{"label":"M"}]}]}`

// The whole command stands on the card, what can't be seen is spelled out, and
// every line is behind a bar.
func TestAskCards(t *testing.T) {
	long := someAsk()
	long.Display = "npm test" + strings.Repeat(" ", 120) + "a  Allow once, it is harmless"
	long.Source, long.AgentPath, long.Blocked, long.Why = "builtin", nil, "", ""
	bare := someAsk()
	bare.Display, bare.Kind = "", vyre.AskTrust
	question := vyre.Ask{ID: "q", Kind: vyre.AskQuestion, Title: "2 questions", Source: "builtin", Input: json.RawMessage(askQuestionInput)}
	for name, a := range map[string]vyre.Ask{"ask_tool": someAsk(), "ask_long": long, "ask_bare": bare, "ask_question": question} {
		style := plainStyle
		if name == "ask_long" {
			style = screenStyle
			style.Color = false
		}
		c := AskCard(style, a)
		for _, line := range c.Lines[1:] {
			if !strings.HasPrefix(line, style.Signs().Bar) && !strings.HasPrefix(line, style.Signs().On) {
				t.Errorf("%s: a line without a bar: %q", name, line)
			}
		}
		out := strings.Join(c.Lines, "\n") + "\n"
		if a.Kind != vyre.AskQuestion {
			out += strings.Join(Legend(style, Keys(a, c.Hidden)), "\n") + "\n"
		}
		golden(t, name, out)
	}
}

// What an option allows stands behind its label, once.
func TestOptionSaysOnceWhatItAllows(t *testing.T) {
	for _, o := range []vyre.AskOption{
		{Label: "Always in this project", Rule: "npm test"},
		{Label: "Always in this project: npm test", Rule: "npm test"},
	} {
		if got := optionLabel(o); got != "Always in this project: npm test" {
			t.Errorf("%+v reads %q", o, got)
		}
	}
}

// Each option gets a key of its own; where something was hidden, only answers
// for this once are offered.
func TestKeys(t *testing.T) {
	runes := func(ks []Key) (s string) {
		for _, k := range ks {
			s += string(k.Key)
		}
		return s
	}
	odd := someAsk()
	odd.Options = append(odd.Options,
		vyre.AskOption{ID: "x", Label: "Allow too", Kind: vyre.Allow},
		vyre.AskOption{ID: "y", Label: "Deny too", Kind: vyre.Deny},
		vyre.AskOption{ID: "p", Label: "Always", Kind: vyre.Allow, Scope: vyre.ScopeProject})
	plan := vyre.Ask{Kind: vyre.AskPlan}
	offered := vyre.Ask{Options: []vyre.AskOption{
		{ID: "allow_once", Kind: vyre.Allow, Scope: vyre.ScopeOnce},
		{ID: "allow_session", Kind: vyre.Allow, Scope: vyre.ScopeSession},
		{ID: "deny", Kind: vyre.Deny},
		{ID: "deny_stop", Kind: vyre.Deny},
	}}
	planned := vyre.Ask{Kind: vyre.AskPlan, Options: []vyre.AskOption{
		{ID: "approve", Kind: vyre.Allow}, {ID: "approve_edits", Kind: vyre.Allow}, {ID: "deny", Kind: vyre.Deny},
	}}
	for _, c := range []struct {
		a      vyre.Ask
		hidden int
		want   string
	}{
		{someAsk(), 0, "asdnil"}, {someAsk(), 1, "adnil"}, {odd, 0, "asd12pnil"}, {plan, 0, "adenl"}, {offered, 0, "asdinl"}, {planned, 0, "aednl"}, {vyre.Ask{}, 0, "adnil"},
	} {
		if got := runes(Keys(c.a, c.hidden)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A typed line is an answer only where it can mean nothing else.
func TestTypedAnswers(t *testing.T) {
	keys := Keys(someAsk(), 0)
	for in, want := range map[string]string{
		"a": "allow once ", "allow": "allow once ", " YES ": "allow once ", "y": "allow once ", "A": "allow once ",
		"s": "allow session ", "session": "allow session ",
		"d": "deny  ", "deny": "deny  ", "no": "deny  ",
		"deny: use yarn": "deny  use yarn", "n use yarn": "deny  use yarn", "d  use yarn ": "deny  use yarn",
		"l": "later", "n": "note",
		"": "?", "p": "?", "allow it all": "?", "x": "?", "allowed": "?", "aa": "?",
	} {
		k, ok := Typed(keys, in)
		got := string(k.Send.Decision) + " " + string(k.Send.Scope) + " " + k.Send.Message
		switch {
		case !ok:
			got = "?"
		case k.Later:
			got = "later"
		case k.Note:
			got = "note"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// A number stands for the label it counts; other words are the person's own.
func TestReplies(t *testing.T) {
	qs := Questions(vyre.Ask{Input: json.RawMessage(askQuestionInput)})
	for _, c := range []struct {
		q        int
		in, want string
		ok       bool
	}{
		{0, "1", "Red", true},
		{0, " 2 ", "Blue\u200b", true},
		{0, "3", "", false},
		{0, "0", "", false},
		{0, "", "", false},
		{0, "green please", "green please", true},
		{0, "1,2", "1,2", true},
		{1, "1,2", "S, M", true},
		{1, "2 1", "M, S", true},
		{1, "1,9", "", false},
		{1, "S and L", "S and L", true},
		{1, ",", "", false},
	} {
		if got, ok := qs[c.q].Reply(c.in); got != c.want || ok != c.ok {
			t.Errorf("%q: got %q, %v; want %q, %v", c.in, got, ok, c.want, c.ok)
		}
	}
	if Questions(vyre.Ask{Input: json.RawMessage(`[1]`)}) != nil {
		t.Error("an input of another shape has no questions")
	}
}

// The list of threads lines up and fits the screen.
func TestThreadsTable(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	threads := []vyre.Thread{
		{ID: "3f2a9c1d-0000-4000-8000-000000000000", State: vyre.StateWaiting, Provider: "claude", Mode: vyre.ModeAsk, Name: "tests 漢字", CWD: "/home/me/project", Updated: vyre.At(now.Add(-3 * time.Minute))},
		{ID: "b", State: vyre.StateStopped, Reason: vyre.StopCrash, Provider: "codex", Mode: vyre.ModePlan, Name: "evil\x1b[2J\nname", CWD: "/srv/a/very/long/folder/that/does/not/fit", Updated: vyre.At(now.Add(-50 * time.Hour))},
	}
	golden(t, "threads_plain", Threads(plainStyle, threads, now))
	narrow := screenStyle
	narrow.Color, narrow.Width = false, 90
	golden(t, "threads_screen", Threads(narrow, threads, now))
}

// What a thread does about a limit is said in words.
func TestParked(t *testing.T) {
	for _, c := range []struct {
		d    vyre.ThreadParked
		want string
	}{
		{vyre.ThreadParked{Why: vyre.ParkedLimit, Until: 1}, "waits for the provider's limit until 19"},
		{vyre.ThreadParked{Fallback: "api-key"}, "goes on with the credential api-key"},
		{vyre.ThreadParked{Why: vyre.ParkedSpace}, "waits for room on the disk"},
		{vyre.ThreadParked{}, "goes on"},
	} {
		l, b := shared(plainStyle)
		l.Event(event(c.d))
		if got := b.String(); !strings.Contains(got, c.want) {
			t.Errorf("%+v is drawn as %q", c.d, got)
		}
	}
}
