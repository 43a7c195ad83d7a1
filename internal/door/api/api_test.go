package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/door/api/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs the API for one caller. The heartbeat is short so that tests see it.
func serve(t *testing.T, k *apitest.Kit, bind api.Bind) (string, *api.API) {
	t.Helper()
	a := api.New(api.Options{Parts: k.Parts(), Bind: bind, Heartbeat: 20 * time.Millisecond})
	s := httptest.NewServer(a)
	t.Cleanup(func() {
		a.Stop()
		http.DefaultClient.CloseIdleConnections()
		s.Close()
	})
	return s.URL, a
}

func as(c vyre.Caller) api.Bind { return func(*http.Request) (vyre.Caller, error) { return c, nil } }

func nobody(*http.Request) (vyre.Caller, error) {
	return vyre.Caller{}, vyre.Errorf(vyre.CodeUnauthenticated, "nobody")
}

// do sends one request and returns the status and body.
func do(t *testing.T, method, url, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func codeIn(t *testing.T, body string) vyre.Code {
	t.Helper()
	var e vyre.Envelope
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatalf("%v: %q", err, body)
	}
	return e.Error.Code
}

// Every code of the catalogue has its status, in the one envelope.
func TestEveryCodeHasItsStatus(t *testing.T) {
	url, _ := serve(t, apitest.New(8), as(vyre.Person(vyre.Owner, "cli")))
	for _, i := range vyre.Catalogue {
		status, body := do(t, "POST", url+"/v1/tools/fail.with", "application/json", `{"text":"`+string(i.Code)+`"}`)
		if status != i.HTTP || codeIn(t, body) != i.Code || !strings.Contains(body, `"hint":"Wish <else>."`) {
			t.Errorf("%s: %d %s", i.Code, status, body)
		}
	}
}

// What is not a good call of a tool is refused whole, with the code that says why.
func TestBadRequestsAreRefused(t *testing.T) {
	url, _ := serve(t, apitest.New(8), as(vyre.Person(vyre.Owner, "cli")))
	text := func(n int) string { return `{"text":"` + strings.Repeat("a", n) + `"}` }
	for name, c := range map[string]struct {
		method, path, contentType, body string
		status                          int
		code                            vyre.Code
	}{
		"good":             {"POST", "/v1/tools/threads.send", "application/json; charset=utf-8", `{"text":"a<b"}`, 200, ""},
		"empty":            {"POST", "/v1/tools/threads.send", "application/json", "", 200, ""},
		"no content type":  {"POST", "/v1/tools/threads.send", "", `{}`, 400, vyre.CodeInvalid},
		"form":             {"POST", "/v1/tools/threads.send", "application/x-www-form-urlencoded", "text=a", 400, vyre.CodeInvalid},
		"text":             {"POST", "/v1/tools/threads.send", "text/plain", `{}`, 400, vyre.CodeInvalid},
		"unknown tool":     {"POST", "/v1/tools/threads.sned", "application/json", `{}`, 404, vyre.CodeNotFound},
		"unknown field":    {"POST", "/v1/tools/threads.send", "application/json", `{"txt":"a"}`, 400, vyre.CodeInvalid},
		"6 MiB of text":    {"POST", "/v1/tools/threads.send", "application/json", text(6 << 20), 200, ""},
		"too much text":    {"POST", "/v1/tools/threads.send", "application/json", text(8 << 20), 413, vyre.CodeTooLarge},
		"too much, others": {"POST", "/v1/tools/threads.get", "application/json", text(1 << 20), 413, vyre.CodeTooLarge},
		"wrong method":     {"GET", "/v1/tools/threads.send", "", "", 404, vyre.CodeNotFound},
		"no such route":    {"POST", "/v1/nothing", "", "", 404, vyre.CodeNotFound},
		"outside":          {"GET", "/", "", "", 404, vyre.CodeNotFound},
		"doubled cursor":   {"GET", "/v1/events?after=1&after=2", "", "", 400, vyre.CodeInvalid},
		"negative cursor":  {"GET", "/v1/events?after=-1", "", "", 400, vyre.CodeInvalid},
		"no number":        {"GET", "/v1/events?after=x", "", "", 400, vyre.CodeInvalid},
		"unknown filter":   {"GET", "/v1/events?threads=t1", "", "", 400, vyre.CodeInvalid},
		"bad thread":       {"GET", "/v1/events?thread=T", "", "", 400, vyre.CodeInvalid},
		"bad follow":       {"GET", "/v1/events?follow=perhaps", "", "", 400, vyre.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := do(t, c.method, url+c.path, c.contentType, c.body)
			if status != c.status {
				t.Fatalf("%d %.200s", status, body)
			}
			if c.code != "" && codeIn(t, body) != c.code {
				t.Errorf("%.200s", body)
			}
		})
	}
}

// A chunked body, whose length nobody said, is bounded all the same.
func TestChunkedBodyIsBounded(t *testing.T) {
	url, _ := serve(t, apitest.New(8), as(vyre.Person(vyre.Owner, "cli")))
	body := io.MultiReader(strings.NewReader(`{"text":"`), strings.NewReader(strings.Repeat("a", 2<<20)))
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/tools/threads.get", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%d", res.StatusCode)
	}
}

// Without a caller nothing is served but /healthz.
func TestNothingWithoutACaller(t *testing.T) {
	url, a := serve(t, apitest.New(8), nobody)
	for _, r := range a.Routes() {
		method := r.Method
		if method == "" {
			method = "POST"
		}
		status, body := do(t, method, url+strings.Replace(r.Pattern, "{name}", "threads.send", 1), "application/json", "{}")
		if r.Public != (r.Pattern == "/healthz") {
			t.Errorf("%+v is public", r)
		}
		if want := map[bool]int{true: 200, false: 401}[r.Public]; status != want {
			t.Errorf("%+v: %d %s, want %d", r, status, body, want)
		}
	}
}

// whoami tells what the door proved.
func TestWhoami(t *testing.T) {
	c := vyre.Caller{Kind: vyre.CallerThread, ID: "t1", Proof: "peer", Level: "L2"}
	url, _ := serve(t, apitest.New(8), as(c))
	_, body := do(t, "GET", url+"/v1/whoami", "", "")
	if want := `{"caller":"thread:t1","kind":"thread","id":"t1","surface":"","proof":"peer","level":"L2"}` + "\n"; body != want {
		t.Errorf("got %s", body)
	}
	status, body := do(t, "GET", url+"/v1/openapi.json", "", "")
	if status != 200 || !json.Valid([]byte(body)) || !strings.Contains(body, "/v1/tools/threads.send") {
		t.Errorf("%d %.100s", status, body)
	}
}
