package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vyre"
	"vyre/agent"
)

func decodeOne(t *testing.T, line string) []agent.Event {
	t.Helper()
	return provider.Protocol(agent.Options{}).Decode([]byte(line))
}

func TestOddLines(t *testing.T) {
	// A line that can't be read is kept whole and never hurts; the next one counts.
	p := provider.Protocol(agent.Options{})
	deep := `{"type":"x","a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`
	for name, c := range map[string]struct{ line, want string }{
		"not JSON":        {"hello", `"hello"`},
		"not UTF-8":       {"\xff{", "\"\uFFFD{\""},
		"no type":         {`{"a":1}`, `{"a":1}`},
		"an array":        {`[1]`, `[1]`},
		"unknown":         {`{"type":"novelty","a":"\u2028"}`, `{"type":"novelty","a":"\u2028"}`},
		"unknown subtype": {`{"type":"system","subtype":"novelty"}`, `{"type":"system","subtype":"novelty"}`},
		"wrong types":     {`{"type":"result","is_error":"yes"}`, `{"type":"result","is_error":"yes"}`},
		"too deep":        {deep, ""},
	} {
		evs := p.Decode([]byte(c.line))
		if len(evs) != 1 {
			t.Errorf("%s: %+v", name, evs)
			continue
		}
		r, ok := evs[0].(agent.Raw)
		if !ok || !json.Valid(r.JSON) {
			t.Errorf("%s: %+v", name, evs[0])
			continue
		}
		if c.want != "" && string(r.JSON) != c.want {
			t.Errorf("%s: kept as %s, want %s", name, r.JSON, c.want)
		}
	}
	for name, line := range map[string]string{"empty": "", "CR alone": "\r", "spaces": "  "} {
		if evs := p.Decode([]byte(line)); evs != nil {
			t.Errorf("%s: %+v", name, evs)
		}
	}
	got := p.Decode([]byte("\uFEFF{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\"}}\r"))
	if d := cmp.Diff([]agent.Event{agent.Limit{Status: "allowed"}}, got); d != "" {
		t.Errorf("a good line with a mark before and CR behind (-want +got):\n%s", d)
	}
	if !p.Clean() {
		t.Error("odd lines left something behind")
	}
}

func TestForeignReplies(t *testing.T) {
	// Replies to requests that are not ours are passed over.
	for _, id := range []string{"someone-1", "vyre-x-init", "vyre-1", ""} {
		line := fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":{"mode":"plan"}}}`, id)
		if evs := decodeOne(t, line); len(evs) != 0 {
			t.Errorf("%q: %+v", id, evs)
		}
	}
}

func TestRefusedCommand(t *testing.T) {
	// A refusal names the command by its number.
	got := decodeOne(t, `{"type":"control_response","response":{"subtype":"error","request_id":"vyre-12-mode","error":"no such mode"}}`)
	if d := cmp.Diff([]agent.Event{agent.Replied{ID: 12, Err: "no such mode"}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestUnservedRequest(t *testing.T) {
	// What the agent asks and nobody serves is told by name, to be refused.
	got := decodeOne(t, `{"type":"control_request","request_id":"r1","request":{"subtype":"elicitation","message":"x"}}`)
	if d := cmp.Diff([]agent.Event{agent.Request{Request: "r1", Name: "elicitation"}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAModeThatIsNotOurs(t *testing.T) {
	// A mode that nobody here sets has no name of ours, so that it is noticed.
	got := decodeOne(t, `{"type":"system","subtype":"status","status":null,"permissionMode":"bypassPermissions"}`)
	if d := cmp.Diff([]agent.Event{agent.ModeChanged{Native: "bypassPermissions"}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStreamGivenUp(t *testing.T) {
	// A broken stream is closed as canceled, whether the agent ends it itself, begins
	// again at once or goes on with a whole answer.
	whole := `{"type":"assistant","uuid":"u","message":{"id":"m2","content":[{"type":"text","text":"whole"}]}}`
	for name, rest := range map[string][]string{
		"ended by the agent": {
			`{"type":"stream_event","event":{"type":"content_block_stop","index":0}}`,
			`{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"api_message_id":"m1","from_block_index":0}}`, whole,
		},
		"begun again":         {`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2"}}}`, whole},
		"with a whole answer": {whole},
	} {
		p := provider.Protocol(agent.Options{})
		var evs []agent.Event
		for _, line := range append([]string{
			`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}}}`,
			`{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text"}}}`,
			`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}}`,
		}, rest...) {
			evs = append(evs, p.Decode([]byte(line))...)
		}
		want := []agent.Event{
			agent.TurnStarted{},
			agent.Text{Key: "m1/0", Kind: vyre.ItemText, Text: "half"},
			agent.Item{Key: "m1/0", Kind: vyre.ItemText, Status: vyre.ItemCanceled},
			agent.Item{Key: "u/0", Kind: vyre.ItemText, Status: vyre.ItemCompleted, Text: "whole"},
		}
		if d := cmp.Diff(want, evs); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func ask(t *testing.T, tool, input, more string) agent.Ask {
	t.Helper()
	line := fmt.Sprintf(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":%q,"input":%s,"tool_use_id":"t"%s}}`, tool, input, more)
	evs := decodeOne(t, line)
	a, ok := evs[len(evs)-1].(agent.Ask)
	if !ok {
		t.Fatalf("no ask: %+v", evs)
	}
	return a
}

func TestDisplayIsTheWhole(t *testing.T) {
	// An ask shows all that would be done, by the member that the agent reads.
	long := strings.Repeat("x", 100000)
	for name, c := range map[string]struct{ tool, input, want string }{
		"a command":             {"Bash", `{"command":"ls\n` + long + `","description":"harmless"}`, "ls\n" + long},
		"with more than usual":  {"Bash", `{"command":"ls","run_in_background":true}`, "ls\n\nrun_in_background: true"},
		"a decoy in other case": {"Bash", `{"command":"rm -r x","Command":"ls"}`, "rm -r x\n\nCommand: \"ls\""},
		"a repeated member":     {"Bash", `{"command":"ls","command":"rm -r x"}`, "rm -r x"},
		"no command":            {"Bash", `{"cmd":"ls"}`, "{\n  \"cmd\": \"ls\"\n}"},
		"a file":                {"Write", `{"file_path":"/a","content":"1\n2"}`, "/a\n\n1\n2"},
		"an edit":               {"Edit", `{"file_path":"/a","old_string":"1\n2\n","new_string":"3","replace_all":false}`, "/a\n\n-1\n-2\n+3\n"},
		"an edit everywhere":    {"Edit", `{"file_path":"/a","old_string":"1","new_string":"","replace_all":true}`, "/a\n\n-1\n\nreplace_all: true"},
		"a plan":                {"ExitPlanMode", `{"plan":"# Do\n1. it","planFilePath":"/p.md"}`, "# Do\n1. it"},
		"another tool":          {"WebFetch", `{"url":"https://example.org/?a=<b>"}`, "{\n  \"url\": \"https://example.org/?a=<b>\"\n}"},
	} {
		if got := ask(t, c.tool, c.input, "").Display; got != c.want {
			t.Errorf("%s: %.200q, want %.200q", name, got, c.want)
		}
	}
}

func TestAskSource(t *testing.T) {
	// A tool's source is what the protocol says it is, never what its name claims.
	for more, want := range map[string]string{
		``: "config:vyre", // a name alone makes nobody ours
		`,"mcp_server":{"name":"vyre","source":"sdk"}`:     "vyre",
		`,"mcp_server":{"name":"vyre","source":"project"}`: "config:vyre",
		`,"mcp_server":{"name":"db","source":"user"}`:      "config:db",
	} {
		if got := ask(t, "mcp__vyre__send", `{}`, more).Source; got != want {
			t.Errorf("%s: %s, want %s", more, got, want)
		}
	}
	if got := ask(t, "Bash", `{"command":"ls"}`, "").Source; got != "builtin" {
		t.Errorf("Bash: %s", got)
	}
}

func TestSessionRule(t *testing.T) {
	// Only rules that allow are offered, each one by itself, and exactly these are
	// sent; other modes, folders and places are not.
	suggestions := `,"permission_suggestions":[
		{"type":"setMode","mode":"acceptEdits","destination":"session"},
		{"type":"addDirectories","directories":["/"],"destination":"session"},
		{"type":"addRules","behavior":"deny","rules":[{"toolName":"Read"}],"destination":"session"},
		{"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"touch x, y"},{"toolName":"WebSearch"}],"destination":"userSettings"}]`
	a := ask(t, "Bash", `{"command":"touch x"}`, strings.ReplaceAll(suggestions, "\n", ""))
	if d := cmp.Diff([]string{"Bash(touch x, y)", "WebSearch"}, a.SessionRules); d != "" {
		t.Errorf("rules (-want +got):\n%s", d)
	}
	line, err := provider.Protocol(agent.Options{}).Encode(1, agent.Answer{Request: a.Request, Native: a.Native, Kind: a.Kind, Decision: vyre.Allow, Scope: vyre.ScopeSession})
	if err != nil {
		t.Fatal(err)
	}
	want := reply(`{"behavior":"allow","toolUseID":"t","updatedPermissions":[{"type":"addRules","behavior":"allow","destination":"session","rules":[{"toolName":"Bash","ruleContent":"touch x, y"},{"toolName":"WebSearch"}]}]}`)
	if d := cmp.Diff(canonical(t, want), canonical(t, string(line))); d != "" {
		t.Errorf("the answer (-want +got):\n%s", d)
	}
	for _, bad := range []string{"setMode", "addDirectories", "userSettings", "deny", "Read"} {
		if bytes.Contains(line, []byte(bad)) {
			t.Errorf("the answer holds %q: %s", bad, line)
		}
	}
	if a := ask(t, "Bash", `{"command":"x"}`, `,"suppress_always_allow_rule":true`+strings.ReplaceAll(suggestions, "\n", "")); len(a.SessionRules) != 0 {
		t.Errorf("a rule that the agent suppressed is offered: %q", a.SessionRules)
	}
}

func TestTodosAreAPlan(t *testing.T) {
	// A list of steps that the agent keeps is the timeline's plan.
	evs := decodeOne(t, `{"type":"assistant","uuid":"u","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":[{"content":"one","status":"completed","activeForm":"x"},{"content":"two","status":"pending"}]}}]},"parent_tool_use_id":null}`)
	it, ok := evs[len(evs)-1].(agent.Item)
	want := `{"entries":[{"text":"one","status":"completed"},{"text":"two","status":"pending"}]}`
	if !ok || it.Kind != vyre.ItemPlan || string(it.Body) != want {
		t.Errorf("got %+v", evs)
	}
}

func TestHugeLine(t *testing.T) {
	// A line of 11 MB is decoded whole.
	big := strings.Repeat("0123456789abcdef", 11<<16)
	a := ask(t, "Write", `{"file_path":"/a","content":"`+big+`"}`, "")
	if len(a.Display) != len(big)+len("/a\n\n") {
		t.Errorf("display of %d bytes", len(a.Display))
	}
}

// seeds are all lines of testdata.
func seeds(tb testing.TB) [][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		tb.Fatal("no testdata", err)
	}
	var out [][]byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, txtar.Parse(b).Files[0].Data)
	}
	return out
}

// FuzzDecode: any bytes give events and no panic, the same each time, and what
// is kept as JSON is JSON.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds(f) {
		lines := bytes.Split(s, []byte("\n"))
		for i := 4; i < len(lines); i += 4 { // a few lines each: long inputs are slow to vary
			f.Add(bytes.Join(lines[i-4:i], []byte("\n")))
		}
	}
	f.Add([]byte("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\",\"message\":{\"id\":\"\"}}}\n\xff\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := agent.Options{Tools: []agent.ToolSpec{addTool}}
		p, q := provider.Protocol(o), provider.Protocol(o)
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			a, b := p.Decode(bytes.Clone(line)), q.Decode(bytes.Clone(line))
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("not the same twice:\n%s", cmp.Diff(a, b))
			}
			if p.Clean() != q.Clean() {
				t.Fatal("not clean twice")
			}
			for _, ev := range a {
				if _, err := json.Marshal(ev); err != nil {
					t.Fatalf("%T can't be written down: %v", ev, err)
				}
				if say := answerTo(ev); say != nil {
					if line, err := p.Encode(1, say); err != nil || bytes.Count(line, []byte("\n")) != 1 {
						t.Fatalf("a %T that can't be answered: %q, %v", ev, line, err)
					}
				}
			}
		}
	})
}

// answerTo is what a reader would say to an event that waits for an answer.
func answerTo(ev agent.Event) agent.Say {
	switch ev := ev.(type) {
	case agent.Ask:
		return agent.Answer{Request: ev.Request, Native: ev.Native, Kind: ev.Kind, Decision: vyre.Allow, Scope: vyre.ScopeSession}
	case agent.Hook:
		return agent.HookReply{Request: ev.Request, Kind: ev.Kind, Context: "c"}
	case agent.ToolCall:
		return agent.ToolReply{Request: ev.Request, Output: json.RawMessage(`{"a":1}`)}
	case agent.Reply:
		return ev.Say
	case agent.Request:
		return agent.Refuse{Request: ev.Request, Why: "no"}
	}
	return nil
}

// BenchmarkDelta is the CPU of one delta of text; the bound is 0.05 ms.
func BenchmarkDelta(b *testing.B) {
	p := provider.Protocol(agent.Options{})
	p.Decode([]byte(`{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1"}},"parent_tool_use_id":null}`))
	p.Decode([]byte(`{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null}`))
	line := []byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of a usual size "}},"session_id":"11111111-1111-4111-8111-111111111111","parent_tool_use_id":null,"uuid":"11111111-1111-4111-8111-111111111112","api_message_id":"msg_355e5e61fc22c3d0f2"}`)
	b.ReportAllocs()
	for b.Loop() {
		if len(p.Decode(line)) != 1 {
			b.Fatal("no event")
		}
	}
}

func TestStepsOfThePlan(t *testing.T) {
	// A step that the agent made or moved is told once its call worked; a failed call changes nothing.
	p := provider.Protocol(agent.Options{})
	call := func(id, name, input string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":` + input + `}]},"parent_tool_use_id":null,"uuid":"u"}`
	}
	result := func(id, text string, failed bool) string {
		return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]},"parent_tool_use_id":null,"uuid":"r"}`, id, text, failed)
	}
	var got []agent.PlanStep
	for _, line := range []string{
		call("a", "TaskCreate", `{"subject":"one"}`), result("a", "Task #7 created successfully: one", false),
		call("b", "TaskUpdate", `{"taskId":"7","status":"completed"}`), result("b", "Updated task #7 status", false),
		call("c", "TaskUpdate", `{"taskId":"7","status":"deleted"}`), result("c", "no", true),
		call("d", "TaskCreate", `{"subject":"x"}`), result("d", "something else", false),
	} {
		for _, ev := range p.Decode([]byte(line)) {
			if s, ok := ev.(agent.PlanStep); ok {
				got = append(got, s)
			}
		}
	}
	want := []agent.PlanStep{{ID: "7", Text: "one", Status: "pending"}, {ID: "7", Status: "completed"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
