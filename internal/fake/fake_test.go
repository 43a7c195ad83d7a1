package fake_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vyre/internal/fake"
)

type object = map[string]any

func start(t *testing.T) *fake.API {
	t.Helper()
	a, err := fake.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return a
}

func text(s string) object   { return object{"type": "text", "text": s} }
func result(s string) object { return object{"type": "tool_result", "tool_use_id": "x", "content": s} }

func user(content ...any) object {
	return object{"role": "user", "content": content}
}
func assistant(content ...any) object { return object{"role": "assistant", "content": content} }

// post sends a request of a turn, with tools.
func post(ctx context.Context, t *testing.T, a *fake.API, stream bool, messages ...object) (*http.Response, error) {
	t.Helper()
	body, err := json.Marshal(object{
		"model": "m", "max_tokens": 100, "stream": stream, "messages": messages,
		"tools": []object{{"name": "Bash"}}, "system": "Primary working directory: /home/me\nmore",
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/v1/messages?beta=true", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	return http.DefaultClient.Do(r)
}

// ask returns the whole answer to a conversation.
func ask(t *testing.T, a *fake.API, messages ...object) object {
	t.Helper()
	resp, err := post(t.Context(), t, a, false, messages...)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var v object
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	v["http"] = resp.StatusCode
	return v
}

// brief is an answer's blocks in short: words as they are, calls as name and input.
func brief(t *testing.T, v object) string {
	t.Helper()
	var out []string
	blocks, _ := v["content"].([]any)
	for _, b := range blocks {
		m, _ := b.(object)
		switch m["type"] {
		case "text":
			out = append(out, m["text"].(string))
		case "thinking":
			out = append(out, "("+m["thinking"].(string)+")")
		case "tool_use":
			in, _ := json.Marshal(m["input"])
			out = append(out, m["name"].(string)+string(in))
		}
	}
	return strings.Join(out, "|")
}

func TestScript(t *testing.T) {
	// A script goes on where the conversation stands, by the tool results since the person's message.
	script := "Please do this:\nthink hm\nsay first\ntool Bash {\"command\":\"ls $CWD\"}\ntool Read {}\nsay got $RESULT, chose $ANSWER\ntool Bash {\"command\":\"x\"}\nnext\ntool Bash {\"command\":\"y\"}"
	a := start(t)
	talk := []object{user(text("<system-reminder>say no</system-reminder>"), text(script))}
	step := func(want, stop string) {
		t.Helper()
		v := ask(t, a, talk...)
		if got := brief(t, v); got != want || v["stop_reason"] != stop {
			t.Errorf("got %q (%v), want %q (%s)", got, v["stop_reason"], want, stop)
		}
	}
	step(`(hm)|first|Bash{"command":"ls /home/me"}|Read{}`, "tool_use")
	talk = append(talk, assistant(text("first")), user(result("1"), result(`He said: "Q"="Blue"`)))
	step(`got He said: "Q"="Blue", chose Blue|Bash{"command":"x"}`, "tool_use")
	talk = append(talk, assistant(), user(result("3")))
	step(`Bash{"command":"y"}`, "tool_use")
	talk = append(talk, assistant(), user(result("4"), text("The user sent a new message while you were working:\nno directive")))
	step("Done.", "end_turn")
	talk = append(talk, assistant(), user(text("say next")))
	step("next", "end_turn")
	if a.Runs("Please do this") != 1 || a.Runs("say next") != 1 {
		t.Errorf("runs: %d, %d", a.Runs("Please do this"), a.Runs("say next"))
	}
}

func TestHarmlessAnswers(t *testing.T) {
	// What is no script gets words, and so does a task that ended by itself.
	a := start(t)
	if got := brief(t, ask(t, a, user(text("hello?")))); !strings.HasPrefix(got, "Hello!") {
		t.Errorf("got %q", got)
	}
	got := brief(t, ask(t, a, user(text("say a")), assistant(text("a")), user(text("<system-reminder>\n<task-notification>x</task-notification></system-reminder>"))))
	if !strings.HasPrefix(got, "Noted") {
		t.Errorf("got %q", got)
	}
}

func TestJoinedMessageTakesOver(t *testing.T) {
	// A message that joined a running turn takes over when it is a script.
	a := start(t)
	got := brief(t, ask(t, a, user(text("tool Bash {}\nsay old")), assistant(), user(result("1"), text("The user sent a new message while you were working:\nsay new"))))
	if got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestStream(t *testing.T) {
	// A stream gives every word in order, and its usage.
	a := start(t)
	resp, err := post(t.Context(), t, a, true, user(text("usage in=3 out=4\nwords 20 every 1ms")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	words, usage := "", ""
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type  string
			Delta struct{ Text string }
			Usage json.RawMessage
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		words += e.Delta.Text
		usage += string(e.Usage)
	}
	if words != fake.Words(20) || usage != `{"output_tokens":4}` {
		t.Errorf("words %q, usage %s", words, usage)
	}
}

func TestErrors(t *testing.T) {
	// Errors happen as often as the script says; limits come with their headers.
	a := start(t)
	for i, want := range []int{529, 529, 200} {
		if got := ask(t, a, user(text("error 529 x2\nsay ok")))["http"]; got != want {
			t.Errorf("try %d: %v", i, got)
		}
	}
	resp, err := post(t.Context(), t, a, true, user(text("limit rejected")))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 429 || resp.Header.Get("Anthropic-Ratelimit-Unified-Status") != "rejected" {
		t.Errorf("limit: %d %v", resp.StatusCode, resp.Header)
	}
	resp, err = post(t.Context(), t, a, true, user(text("say half\ncut")))
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("a cut stream ended well")
	}
}

func TestGate(t *testing.T) {
	// A gate holds an answer until it is opened, or the client goes.
	a := start(t)
	g := a.Gate("g")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got := make(chan object, 1)
	go func() { got <- ask(t, a, user(text("gate g\nsay open"))) }()
	if err := g.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case v := <-got:
		t.Fatalf("it answered through a shut gate: %v", v)
	default:
	}
	g.Open()
	if s := brief(t, <-got); s != "open" {
		t.Errorf("got %q", s)
	}
	g.Shut()
	gone, leave := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() {
		resp, err := post(gone, t, a, true, user(text("gate g")))
		if err == nil {
			resp.Body.Close()
		}
		errs <- err
	}()
	if err := g.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	leave()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCloseEndsWhatIsHeld(t *testing.T) {
	// Close returns though an answer is held, and drops its connection.
	a := start(t)
	errs := make(chan error, 1)
	go func() {
		resp, err := post(t.Context(), t, a, true, user(text("stall")))
		if err == nil {
			resp.Body.Close()
		}
		errs <- err
	}()
	if err := a.Gate("stall").Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if err := <-errs; err == nil {
		t.Error("the held answer ended well")
	}
}

func TestBadRequests(t *testing.T) {
	// What is not the API's is refused as the API would.
	a := start(t)
	for path, want := range map[string]int{"/v1/messages": 400, "/v1/nothing": 404} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+path, strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}
