package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vyre"
)

const (
	threadA = vyre.ThreadID("3f2a9c1d-0000-4000-8000-000000000001")
	threadB = vyre.ThreadID("3f2b0000-0000-4000-8000-000000000002")
	askA    = vyre.AskID("1a2b3c4d5e6f708192")
)

func withThreads(p *peer) {
	p.answer("threads.list", func() any {
		return map[string]any{"next": "", "threads": []vyre.Thread{
			{ID: threadA, Name: "tests", State: vyre.StateIdle, Provider: "claude", CWD: "/p"},
			{ID: threadB, Name: "evil\x1b]0;t\x07", State: vyre.StateStopped, Reason: vyre.StopCrash, Provider: "claude", CWD: "/q"},
		}}
	})
}

// `call` prints the output as it came, and for an error the envelope on standard
// error with the catalogue's exit code.
func TestCall(t *testing.T) {
	p := newPeer(t)
	p.tool("a.echo", func(in json.RawMessage) (any, error) { return in, nil })
	if r := vyreRun(t, p.home, "", "call", "a.echo", `{"x":"<&>"}`); r.code != 0 || r.out != "{\"x\":\"<&>\"}\n" || r.err != "" {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, p.home, `{"from":"stdin"}`, "call", "a.echo", "-"); r.out != "{\"from\":\"stdin\"}\n" {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, p.home, "", "call", "a.echo"); r.out != "{}\n" {
		t.Errorf("%+v", r)
	}
	for _, info := range vyre.Catalogue {
		p.tool("a.fail", func(json.RawMessage) (any, error) {
			return nil, vyre.Errorf(info.Code, "it is so").WithDetail("n", 1)
		})
		r := vyreRun(t, p.home, "", "call", "a.fail", "{}")
		var e vyre.Envelope
		if err := json.Unmarshal([]byte(r.err), &e); err != nil {
			t.Fatalf("%s: %v in %q", info.Code, err, r.err)
		}
		if r.code != info.Exit || r.out != "" || e.Error.Code != info.Code || e.Error.Hint != info.Hint || e.Error.Retryable != info.Retryable {
			t.Errorf("%s: %+v", info.Code, r)
		}
	}
}

// Without a daemon nothing is started, and the exit code says so.
func TestNoDaemon(t *testing.T) {
	home := newHome(t)
	for _, args := range [][]string{
		{"call", "threads.list", "{}"},
		{"events"},
		{"ls"},
		{"asks"},
		{"send", string(threadA), "hi"},
		{"stop", string(threadA)},
		{"down"},
		{"vault", "ls"},
		{"answer", string(askA), "deny"},
		{"backup", "/tmp/x"},
	} {
		if r := vyreRun(t, home, "", args...); r.code != 7 || r.out != "" || !strings.Contains(r.err, "not running") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// Arguments that make no sense are invalid (exit 2), with a hint, before
// anything is called.
func TestBadArguments(t *testing.T) {
	p := newPeer(t)
	for _, args := range [][]string{
		{"nonsense"},
		{"ls", "extra"},
		{"ls", "--nonsense"},
		{"send", "t"},
		{"run"},
		{"run", "  "},
		{"answer", string(askA)},
		{"answer", string(askA), "maybe"},
		{"events", "--after", "x"},
		{"events", "--after", "-1"},
		{"call"},
		{"call", "a", "b", "c"},
		{"vault", "put"},
		{"vault", "rm"},
		{"backup"},
		{"rename", string(threadA)},
		{"stop"},
		{"attach"},
		{"version", "x"},
		{"tool", "things.look", "--limit", "x"},
		{"tool", "things.look", "stray"},
		{"tool", "things.look", "--nope", "1"},
		{"answer", string(askA), "allow", "--answers", "noequals"},
	} {
		r := vyreRun(t, p.home, "", args...)
		if r.code != 2 || r.out != "" || len(strings.Split(strings.TrimSpace(r.err), "\n")) < 2 && args[0] != "call" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := vyreRun(t, p.home, "", "tool", "no.such"); r.code != 4 {
		t.Errorf("%+v", r)
	}
}

// Each verb sends the input it should, and with --json prints the output as it came.
func TestVerbs(t *testing.T) {
	p := newPeer(t)
	withThreads(p)
	a, ask := string(threadA), string(askA)
	for _, c := range []struct {
		args string
		tool string
		in   string
	}{
		{"send " + a + " hello there", "threads.send", `{"thread":"` + a + `","text":"hello there"}`},
		{"send tests hi --mode queue --key k1", "threads.send", `{"thread":"` + a + `","text":"hi","mode":"queue","key":"k1"}`},
		{"interrupt 3f2a", "threads.interrupt", `{"thread":"` + a + `"}`},
		{"stop " + a, "threads.stop", `{"thread":"` + a + `"}`},
		{"resume " + a, "threads.resume", `{"thread":"` + a + `"}`},
		{"archive " + a, "threads.archive", `{"thread":"` + a + `","archived":true}`},
		{"archive --undo " + a, "threads.archive", `{"thread":"` + a + `","archived":false}`},
		{"rename " + a + " new", "threads.rename", `{"thread":"` + a + `","name":"new"}`},
		{"mode " + a + " plan", "threads.mode", `{"thread":"` + a + `","mode":"plan"}`},
		{"model " + a + " opus", "threads.model", `{"thread":"` + a + `","model":"opus"}`},
		{"items " + a + " --limit 3 --before i9", "threads.items", `{"thread":"` + a + `","before":"i9","limit":3}`},
		{"asks --thread tests --state answered", "threads.asks", `{"thread":"` + a + `","state":"answered"}`},
		{"ls --state idle --archived --limit 2", "threads.list", `{"state":"idle","archived":true,"limit":2}`},
		{"answer " + ask + " allow --scope session", "threads.answer", `{"ask":"` + ask + `","decision":"allow","scope":"session"}`},
		{"answer " + ask + " deny --message no --interrupt", "threads.answer", `{"ask":"` + ask + `","decision":"deny","message":"no","interrupt":true}`},
		{"answer " + ask + " allow --option o1 --mode edits", "threads.answer", `{"ask":"` + ask + `","decision":"allow","option":"o1","mode":"edits"}`},
		{"answer " + ask + " allow --answers Why?=because=x", "threads.answer", `{"ask":"` + ask + `","decision":"allow","answers":{"Why?":"because=x"}}`},
		{"providers", "providers.list", `{}`},
		{"vault ls", "vault.list", `{}`},
		{"vault rm k", "vault.delete", `{"name":"k"}`},
		{"backup /tmp/b", "daemon.backup", `{"path":"/tmp/b"}`},
		{"tool things.look --thread x --limit 3 --deep --kinds [\"a\"]", "things.look", `{"deep":true,"kinds":["a"],"limit":3,"thread":"x"}`},
	} {
		var got string
		p.tool(c.tool, func(in json.RawMessage) (any, error) {
			got = strings.TrimSpace(string(in))
			return map[string]any{"threads": []any{}, "asks": []any{}, "items": []any{}, "odd": "é"}, nil
		})
		r := vyreRun(t, p.home, "", append(strings.Fields(c.args), "--json")...)
		if c.tool == "threads.list" || r.code == 0 {
			withThreads(p)
		}
		if r.code != 0 || got != c.in {
			t.Errorf("%s: sent %s, want %s (%+v)", c.args, got, c.in, r)
		}
		if want := `{"asks":[],"items":[],"odd":"é","threads":[]}` + "\n"; r.out != want {
			t.Errorf("%s: printed %q", c.args, r.out)
		}
	}
}

// A thread or ask may be given by the beginning of its id, or by name; what
// fits two is refused and names them.
func TestMatch(t *testing.T) {
	all := []named{{"abc1", "one"}, {"abc2", "two"}, {"abd", "abc1"}, {"x", "same"}, {"y", "same"}, {"q1", "zz"}}
	for _, c := range []struct{ ref, want, code string }{
		{"abc1", "abc1", ""}, // an id before a name
		{"one", "abc1", ""},
		{"abd", "abd", ""},
		{"ab", "", "invalid"},
		{"abc", "", "invalid"},
		{"same", "", "invalid"},
		{"q", "q1", ""},
		{"nope", "", "not_found"},
		{"", "", "invalid"},
		{"z", "", "not_found"},
	} {
		got, err := match("thread", c.ref, all, "h")
		if got != c.want || string(vyre.CodeOf(err)) != c.code {
			t.Errorf("%q: got %q, %v", c.ref, got, err)
		}
	}
}

// A question may hold the sign that ends it, and may be given by its number.
func TestSplitAnswer(t *testing.T) {
	p := newPeer(t)
	p.answer("threads.asks", func() any {
		return map[string]any{"asks": []vyre.Ask{{ID: askA, Kind: vyre.AskQuestion, Input: json.RawMessage(
			`{"questions":[{"question":"a=b?"},{"question":"c?"}]}`)}}}
	})
	p.answer("threads.answer", func() any { return vyre.Ask{} })
	r := vyreRun(t, p.home, "", "answer", "1a2b", "allow", "--answers", "a=b?=yes", "--answers", "2=no, 3")
	if in := p.called(t, "threads.answer"); r.code != 0 || strings.TrimSpace(in) != `{"ask":"1a2b3c4d5e6f708192","decision":"allow","answers":{"a=b?":"yes","c?":"no, 3"}}` {
		t.Errorf("%s %+v", in, r)
	}
}

// Names and questions of an agent reach the terminal without their escapes.
func TestNoEscapesComeThrough(t *testing.T) {
	p := newPeer(t)
	withThreads(p)
	p.answer("threads.asks", func() any {
		return map[string]any{"asks": []vyre.Ask{{ID: askA, Thread: threadA, Tool: "Bash\x1b[8m", Title: "\u009b2J", Display: "ls\x1b]52;c;x\x07"}}}
	})
	p.answer("threads.items", func() any {
		return itemsOutput{Items: []vyre.Item{{ID: "i", Kind: vyre.ItemText, Text: "x\x1b[2J"}, {ID: "u", Kind: vyre.ItemUser, Text: "\x1b[5m"}}}
	})
	p.tool("threads.stop", func(json.RawMessage) (any, error) { return nil, vyre.Errorf(vyre.CodeBusy, "busy \x1b[1m") })
	for _, args := range [][]string{{"ls"}, {"asks"}, {"items", string(threadA)}, {"stop", string(threadA)}} {
		r := vyreRun(t, p.home, "", args...)
		if strings.ContainsAny(r.out+r.err, "\x1b\x07\u009b") {
			t.Errorf("%v: %q %q", args, r.out, r.err)
		}
	}
}

// `events` prints event lines and nothing else, ends at the head, and ends with
// exit code 5 where the cursor can't be served.
func TestEvents(t *testing.T) {
	p := newPeer(t)
	for i := range 3 {
		p.tell(threadA, vyre.ThreadText{Item: "i", Kind: vyre.ItemText, Text: fmt.Sprint("<", i, ">")})
	}
	r := vyreRun(t, p.home, "", "events", "--after", "1")
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if r.code != 0 || len(lines) != 2 || r.err != "" {
		t.Fatalf("%+v", r)
	}
	for i, line := range lines {
		var ev vyre.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil || ev.Seq != vyre.Seq(i+2) || !strings.Contains(line, "<") {
			t.Errorf("%q: %v", line, err)
		}
	}
	p.gap = true
	if r := vyreRun(t, p.home, "", "events", "--after", "99"); r.code != 5 || r.out != "" || r.err == "" {
		t.Errorf("%+v", r)
	}
}

// A secret comes from standard input whole, without one newline; on the command
// line it is refused and not repeated.
func TestVaultPut(t *testing.T) {
	p := newPeer(t)
	p.answer("vault.put", func() any { return map[string]string{"name": "k"} })
	if r := vyreRun(t, p.home, "line 1\nline 2\n\n", "vault", "put", "k"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if in := strings.TrimSpace(p.called(t, "vault.put")); in != `{"name":"k","value":"line 1\nline 2\n"}` {
		t.Errorf("sent %s", in)
	}
	for stdin, args := range map[string][]string{"": {"k"}, "\n": {"k"}, "\xff\n": {"k"}, "x": {"k", "s3cret"}} {
		r := vyreRun(t, p.home, stdin, append([]string{"vault", "put"}, args...)...)
		if r.code != 2 || strings.Contains(r.err, "s3cret") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if p.times("vault.put") != 1 {
		t.Error("a refused value was sent")
	}
}

// The sign-in address goes to standard output and nowhere else.
func TestOpen(t *testing.T) {
	p := newPeer(t)
	p.answer("sign_in.code", func() any { return codeOutput{Code: "c0de", URL: "http://localhost:1/sign-in#code=c0de"} })
	if r := vyreRun(t, p.home, "", "open"); r.code != 0 || r.out != "http://localhost:1/sign-in#code=c0de\n" || strings.Contains(r.err, "c0de") {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, p.home, "", "open", "--json"); !strings.HasPrefix(r.out, `{"code":"c0de"`) {
		t.Errorf("%+v", r)
	}
}

// Doctor looks also where no daemon runs, and says what is refused where one does.
func TestDoctor(t *testing.T) {
	home := newHome(t)
	r := vyreRun(t, home, "", "doctor", "--json")
	var rep report
	if err := json.Unmarshal([]byte(r.out), &rep); err != nil || r.code != 0 || rep.Daemon != nil || len(rep.Checks) < 6 {
		t.Errorf("%v %+v", err, r)
	}
	p := newPeer(t)
	p.answer("daemon.status", func() any {
		return statusOutput{Version: "v", Level: "L1", LevelMeans: "tmux is not stopped", LevelWhy: "of a cause", LevelRaise: "vyre service install", Environment: environmentShape{
			From: "/bin/sh", Names: []string{"PATH"}, Refused: []refusedShape{{"LD_PRELOAD", "login", "changes how programs run"}}, Exposed: []string{"MY_TOKEN"},
		}}
	})
	r = vyreRun(t, p.home, "", "doctor")
	for _, want := range []string{"L1", "tmux is not stopped", "because of a cause. To raise it: vyre service install", "LD_PRELOAD refused: changes how programs run", "MY_TOKEN", "Environment of agents (/bin/sh): PATH"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in %s", want, r.out)
		}
	}
}

// The foreground daemon ends well when it is asked to.
func TestDaemonEndsBySignal(t *testing.T) {
	c := start(t, newHome(t), "daemon")
	c.signals <- endSignal
	if r := <-c.done; r.code != 0 {
		t.Errorf("%+v", r)
	}
}

// The version and the tools can be had without a daemon.
func TestWithoutDaemon(t *testing.T) {
	home := newHome(t)
	if r := vyreRun(t, home, "", "version"); r.code != 0 || !strings.HasPrefix(r.out, "vyre test (go") {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, home, "", "version", "--json"); !strings.HasPrefix(r.out, `{"version":"test"`) {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, home, "", "tool"); !strings.Contains(r.out, "things.look") {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, home, "", "tool", "--json"); !strings.Contains(r.out, `"tool":"things.look"`) {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, home, "", "tool", "things.look", "--help"); !strings.Contains(r.out, "--thread") || !strings.Contains(r.out, "required") {
		t.Errorf("%+v", r)
	}
	if r := vyreRun(t, home, "", "--help"); r.code != 0 || !strings.Contains(r.out, "Threads:") {
		t.Errorf("%+v", r)
	}
}
