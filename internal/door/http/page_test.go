package httpdoor

import (
	"strings"
	"testing"

	"vyre"
)

// A signed-in page calls tools as the person, once its address was used.
func TestSignInFlow(t *testing.T) {
	h := run(t, "https://box.example")
	code, _, err := h.web.NewCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body := `{"code":"` + code + `"}`
	a := h.ask(t, "POST", "/v1/sign-in", body, "Sec-Fetch-Site: same-origin")
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{h.cookieName() + "=", "HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie has no %s: %s", want, cookie)
		}
	}
	if a.status != 200 || strings.Contains(cookie, "Secure") || strings.Contains(cookie, "Domain") {
		t.Errorf("%d %s", a.status, cookie)
	}
	if a := h.ask(t, "POST", "/v1/sign-in", body, "Origin: "+h.URL()); a.status != 401 || a.header.Get("Set-Cookie") != "" {
		t.Errorf("a code worked twice: %+v", a)
	}
	value, _, _ := strings.Cut(cookie, ";")
	proof := "Vyre-Proof: " + a.proof(t)
	if strings.Contains(cookie, a.proof(t)) || strings.Contains(a.body, strings.TrimPrefix(value, h.cookieName()+"=")) {
		t.Errorf("one secret tells the other: %+v", a)
	}
	got := h.ask(t, "POST", "/v1/tools/asks.answer", `{"text":"a<b"}`, "Cookie: "+value, proof, "Origin: "+h.URL())
	if got.status != 200 || got.body != `{"by":"person:owner:web","text":"a<b"}`+"\n" {
		t.Errorf("%+v", got)
	}
	// Another path of this host may set a cookie of the same name.
	got = h.ask(t, "GET", "/v1/whoami", "", "Cookie: "+h.cookieName()+"=other; "+value, proof)
	if got.status != 200 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{`{}`, `{"code":1}`, `{"code":"x","who":"me"}`, `[]`} {
		if a := h.ask(t, "POST", "/v1/sign-in", bad, "Origin: "+h.URL()); a.status != 400 || a.code() != vyre.CodeInvalid {
			t.Errorf("%s: %+v", bad, a)
		}
	}
	// On https the cookie is Secure.
	if code, _, err = h.web.NewCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	a = h.ask(t, "POST", "/v1/sign-in", `{"code":"`+code+`"}`, "Host: box.example", "Origin: https://box.example")
	if a.status != 200 || !strings.Contains(a.header.Get("Set-Cookie"), "Secure") {
		t.Errorf("%+v", a)
	}
}

// Guessing is answered as busy after ten wrong codes, and locks nobody out.
func TestSignInIsBounded(t *testing.T) {
	h := run(t)
	for range 10 {
		if a := h.ask(t, "POST", "/v1/sign-in", `{"code":"guess"}`); a.status != 401 {
			t.Fatalf("%+v", a)
		}
	}
	if a := h.ask(t, "POST", "/v1/sign-in", `{"code":"guess"}`); a.status != 429 || a.code() != vyre.CodeBusy {
		t.Errorf("%+v", a)
	}
	h.signedIn(t)
}

// The page's files are served to all, each with the headers that keep it in its
// place; its routes are all index.html; hashed files may be kept for ever.
func TestPage(t *testing.T) {
	h := run(t)
	const forever, never = "public, max-age=31536000, immutable", "no-cache"
	for _, c := range []struct {
		path, accept string
		status       int
		contentType  string
		cache, body  string
	}{
		{"/", "", 200, "text/html; charset=utf-8", never, "<!doctype html>page"},
		{"/sign-in", "", 200, "text/html; charset=utf-8", never, "<!doctype html>page"},
		{"/thread/t1", "gzip", 200, "text/html; charset=utf-8", never, "<!doctype html>page"},
		{"/assets/app-1a2b.js", "", 200, "text/javascript; charset=utf-8", forever, "plain"},
		{"/assets/app-1a2b.js", "br, gzip;q=0", 200, "text/javascript; charset=utf-8", forever, "plain"},
		{"/assets/app-1a2b.js", "br, gzip", 200, "text/javascript; charset=utf-8", forever, "packed"},
		{"/manifest.webmanifest", "", 200, "application/manifest+json", never, "{}"},
		{"/assets/app-1a2b.js.gz", "", 404, "application/json", "no-store", ""},
		{"/assets/gone.js", "", 404, "application/json", "no-store", ""},
		{"/%2e%2e/%2e%2e/etc/passwd.txt", "", 404, "application/json", "no-store", ""},
	} {
		a := h.ask(t, "GET", c.path, "", "Accept-Encoding: "+c.accept)
		if a.status != c.status || a.header.Get("Content-Type") != c.contentType || a.header.Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d %v", c.path, a.status, a.header)
		}
		if c.body != "" && a.body != c.body {
			t.Errorf("%s: %q", c.path, a.body)
		}
		if packed := a.header.Get("Content-Encoding") == "gzip"; packed != (a.body == "packed") {
			t.Errorf("%s: encoding %q", c.path, a.header.Get("Content-Encoding"))
		}
	}
}

// Every answer, an error too, carries the policy and is not to be guessed at,
// and nothing of the API is kept by a cache.
func TestHeadersEverywhere(t *testing.T) {
	h := run(t)
	for _, p := range h.paths() {
		for _, host := range []string{h.localhost(), "evil.example"} {
			a := h.ask(t, p.method, p.path, "{}", "Host: "+host)
			for name, want := range map[string]string{
				"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
				"Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
			} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s %s: %s is %q", p.method, p.path, name, got)
				}
			}
			if isAPI(p.path) && a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: Cache-Control %q", p.method, p.path, a.header.Get("Cache-Control"))
			}
			if a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s lets other origins read", p.method, p.path)
			}
		}
	}
}
