package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vyre"
)

var defaultsWanted = Config{
	Listen:   DefaultListen,
	Sessions: Sessions{Fallback: "api-key", IdleMinutes: 10, MaxLive: 6, Confine: "auto", Pids: 4096, Subagents: 16, SubagentsProject: 8, Teammates: 6, TeammatesProject: 3},
	Asks:     Asks{Proof: "gated"}, Web: Web{Tailnet: "off"}, Retention: Retention{WordsDays: 1, RawDays: 30, FreeFloorMB: 64}, Gate: Gate{UndoSeconds: 5},
	Providers: map[string]Provider{"claude": {}},
}

func TestLoadDefaults(t *testing.T) {
	// Without a file every setting has its documented default.
	got, err := LoadFrom(t.TempDir(), env())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(defaultsWanted, got); d != "" {
		t.Fatal(d)
	}
}

func TestLoadWhole(t *testing.T) {
	// Everything that is written holds, and what is not keeps its default.
	home := t.TempDir()
	text := `
[sessions]
auth = "api-key"
idle_minutes = 0

[retention]
words_days = 7
disk_budget_mb = 500

[providers.claude]
runtime = "/opt/claude"
nonessential_traffic = true
env = { ANTHROPIC_BASE_URL = "http://127.0.0.1:1" }
`
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := LoadFrom(home, env("VYRE_LISTEN", "localhost:0"))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Listen:   "127.0.0.1:0",
		Sessions: Sessions{Auth: "api-key", Fallback: "api-key", IdleMinutes: 0, MaxLive: 6, Confine: "auto", Pids: 4096, Subagents: 16, SubagentsProject: 8, Teammates: 6, TeammatesProject: 3},
		Asks:     Asks{Proof: "gated"}, Web: Web{Tailnet: "off"}, Retention: Retention{WordsDays: 7, RawDays: 30, DiskBudgetMB: 500, FreeFloorMB: 64}, Gate: Gate{UndoSeconds: 5},
		Providers: map[string]Provider{"claude": {
			Runtime: "/opt/claude", NonessentialTraffic: true,
			Env: map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
}

func TestParseRefuses(t *testing.T) {
	// Each fault is invalid, names its key, and shows no value.
	for _, c := range []struct{ text, field, says string }{
		{"[sessions]\nidle_minute = 3", "sessions.idle_minute", `nearest is "idle_minutes"`},
		{"[sesions]\nauth = \"login\"", "sesions", `nearest is "sessions"`},
		{"[sessions]\nAuth = \"login\"", "sessions.Auth", `nearest is "auth"`},
		{"[sessions]\nauth = \"secret\"", "sessions.auth", "login, setup-token, api-key"},
		{"[sessions]\nfallback = \"login\"", "sessions.fallback", "api-key, none"},
		{"[sessions.models]\nchatt = \"x\"", "sessions.models.chatt", "chat"},
		{"[sessions.models]\nchat = \"two words\"", "sessions.models.chat", "one word"},
		{"[sessions]\nidle_minutes = \"secret\"", "sessions.idle_minutes", "whole number, not a string"},
		{"[sessions]\nidle_minutes = 1.5", "sessions.idle_minutes", "whole number, not a number"},
		{"[sessions]\nidle_minutes = -1", "sessions.idle_minutes", "from 0 to"},
		{"[sessions]\nmax_live = 0", "sessions.max_live", "from 1 to"},
		{"[sessions]\nmax_live = 1979-05-27", "sessions.max_live", "not a date"},
		{"[sessions]\nconfine = \"always\"", "sessions.confine", ""},
		{"sessions = 1", "sessions", "a table, not a whole number"},
		{"[[sessions]]\nauth = \"login\"", "sessions", "a table, not a list"},
		{"[providers.clod]\nruntime = \"pinned\"", "providers.clod", `nearest is "claude"`},
		{"[providers.claude]\nruntime = \"bin/secret\"", "providers.claude.runtime", "absolute"},
		{"[providers.claude.env]\nA = 1", "providers.claude.env.A", "a string"},
		{"[providers.claude.env]\n\"A=B\" = \"secret\"", "providers.claude.env.A=B", "name"},
		{"[providers.claude.env]\nK = secret", "", "line 2"},
		{"[sessions]\nauth = \"login\"\nauth = \"secret\"", "", "line 3"},
		{"secret", "", "line 1"},
	} {
		_, err := Parse([]byte(c.text))
		e := vyre.AsError(err)
		if e == nil || e.Code != vyre.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, c.says) {
			t.Errorf("%q: got %v (field %q), want field %q saying %q", c.text, err, e.Field, c.field, c.says)
			continue
		}
		if strings.Contains(e.Message+e.Hint, "secret") {
			t.Errorf("%q: the message shows the value: %s", c.text, e.Message)
		}
	}
}

func TestLoadUnreadable(t *testing.T) {
	// A config.toml that is no file is an error, not a missing file.
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "config.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFrom(home, env()); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
}

func TestListen(t *testing.T) {
	// Only loopback is served; the hint says how to reach it from elsewhere.
	for in, want := range map[string]string{
		"": DefaultListen, "127.0.0.1:80": "127.0.0.1:80", "[::1]:0": "[::1]:0",
		"localhost:7": "127.0.0.1:7", "127.1.2.3:9": "127.1.2.3:9",
	} {
		if got, err := Listen(env("VYRE_LISTEN", in)); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"0.0.0.0:7797", ":7797", "[::]:1", "192.168.1.2:1", "example.org:1", "7797",
		"127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "[::1%lo]:1",
	} {
		_, err := Listen(env("VYRE_LISTEN", in))
		if e := vyre.AsError(err); e == nil || e.Code != vyre.CodeInvalid || e.Field != "VYRE_LISTEN" {
			t.Errorf("%q: got %v, want invalid naming VYRE_LISTEN", in, err)
		}
	}
}

func TestReferenceIsFresh(t *testing.T) {
	// docs/reference/config.md is what the code takes. VYRE_UPDATE=1 writes it.
	path := filepath.Join("..", "..", "docs", "reference", "config.md")
	if os.Getenv("VYRE_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != Reference() {
		t.Fatalf("%v; run `make docs`\n%s", err, cmp.Diff(string(got), Reference()))
	}
}

func FuzzParse(f *testing.F) {
	// No text makes Parse panic, and whatever it takes keeps every range.
	f.Add("[sessions]\nauth = \"login\"\nidle_minutes = 3\n")
	f.Add("[providers.claude]\nruntime = \"/x\"\nenv = {A = \"b\"}\n")
	f.Add("[[providers]]\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse([]byte(text))
		if err != nil {
			if vyre.CodeOf(err) != vyre.CodeInvalid {
				t.Fatalf("got %v, want invalid", err)
			}
			return
		}
		if c.Sessions.MaxLive < 1 || c.Sessions.IdleMinutes < 0 || len(c.Providers) != 1 {
			t.Fatalf("out of range: %+v", c)
		}
	})
}

// Patterns of tools are read as a list of strings, and refused by their key otherwise.
func TestGatePatterns(t *testing.T) {
	c, err := Parse([]byte("[gate]\ntools = [\"mcp__chat__*\"]\nexcept = []\n"))
	if err != nil || len(c.Gate.Tools) != 1 || c.Gate.Tools[0] != "mcp__chat__*" {
		t.Fatalf("%+v %v", c.Gate, err)
	}
	for _, bad := range []string{"tools = \"x\"", "tools = [1]", "tools = [\"[\"]", "tools = [\"\"]", "tool = []"} {
		if _, err := Parse([]byte("[gate]\n" + bad + "\n")); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
