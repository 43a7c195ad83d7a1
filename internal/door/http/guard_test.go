package httpdoor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vyre"
)

// paths gives one request for each route that the door serves.
func (h *home) paths() []struct {
	method, path string
	public       bool
} {
	var out []struct {
		method, path string
		public       bool
	}
	for _, r := range h.Routes() {
		method := r.Method
		if method == "" {
			method = "GET"
		}
		path := strings.Replace(r.Pattern, "{name}", "threads.send", 1)
		if path == "/v1/events" {
			path += "?follow=false"
		}
		out = append(out, struct {
			method, path string
			public       bool
		}{method, path, r.Public})
	}
	return out
}

// On every route a Host that isn't ours is refused before anything else, also
// to somebody who is signed in: a page of another name that was made to lead
// here (DNS rebinding) reaches nothing.
func TestHostMatrix(t *testing.T) {
	h := run(t, "https://box.example")
	session := h.signedIn(t)
	port := strconv.Itoa(h.Port())
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "localhost", "localhost:1", "localhost.evil.example:" + port, "x.localhost:" + port,
		"127.0.0.1", "127.0.0.2:" + port, "0.0.0.0:" + port, "[::1]", "localhost.:" + port, "box.example:" + port, "xbox.example", "LOCALHOST:" + port,
	} {
		for _, p := range h.paths() {
			a := h.ask(t, p.method, p.path, "{}", slices.Concat(session, []string{"Host: " + host, "Origin: http://" + host})...)
			if a.status != 403 || a.code() != vyre.CodeDenied {
				t.Errorf("%s %s with Host %s: %d %.100s", p.method, p.path, host, a.status, a.body)
			}
		}
	}
}

// On every route what another page sent is refused, signed in or not; what our
// own page or the address bar sent is let through to the sign-in check.
func TestOriginMatrix(t *testing.T) {
	h := run(t, "https://box.example")
	session := h.signedIn(t)
	own := h.URL()
	for _, headers := range [][]string{
		{"Origin: http://evil.example"},
		{"Origin: null"},
		{"Origin: null", "Sec-Fetch-Site: same-origin"},
		{"Origin: http://localhost"},
		{"Origin: http://localhost:1"},
		{"Origin: http://x.localhost:" + strconv.Itoa(h.Port())},
		{"Origin: https://" + h.localhost()},
		{"Origin: " + own + "/"},
		{"Origin: " + own + ".evil.example"},
		{"Origin: " + strings.ToUpper(own)},
		{"Origin: https://box.example"}, // ours, but not of this Host
		{"Origin: " + own, "Origin: http://evil.example"},
		{"Origin: "},
	} {
		for _, p := range h.paths() {
			a := h.ask(t, p.method, p.path, "{}", slices.Concat(headers, session)...)
			if a.status != 403 || a.code() != vyre.CodeDenied {
				t.Errorf("%s %s with %v: %d %.100s", p.method, p.path, headers, a.status, a.body)
			}
		}
	}
	for _, site := range []string{"cross-site", "same-site", "other"} {
		for _, p := range h.paths() {
			a := h.ask(t, p.method, p.path, "{}", slices.Concat(session, []string{"Sec-Fetch-Site: " + site})...)
			// A link from elsewhere may open the page, which holds nothing.
			if link := !isAPI(p.path); (a.status == 403) == link {
				t.Errorf("%s %s from %s: %d %.100s", p.method, p.path, site, a.status, a.body)
			}
		}
	}
	for _, headers := range [][]string{{"Origin: " + own}, {"Sec-Fetch-Site: same-origin"}, {"Sec-Fetch-Site: none"}} {
		for _, p := range h.paths() {
			if p.path == "/v1/sign-out" {
				continue
			}
			a := h.ask(t, p.method, p.path, "{}", slices.Concat(headers, session)...)
			if a.status == 403 || p.path != "/v1/sign-in" && a.status == 401 {
				t.Errorf("%s %s with %v: %d %.100s", p.method, p.path, headers, a.status, a.body)
			}
		}
	}
}

// Both secrets with neither header, as from no browser of today, change nothing
// and open no stream.
func TestSecretsWithoutAnOriginOnlyRead(t *testing.T) {
	h := run(t)
	session := h.signedIn(t)
	for _, p := range h.paths() {
		a := h.ask(t, p.method, p.path, "{}", session...)
		refused := p.method != "GET" || strings.HasPrefix(p.path, "/v1/events")
		if (a.status == 403) != refused {
			t.Errorf("%s %s: %d %.100s", p.method, p.path, a.status, a.body)
		}
	}
}

// A server on another port of localhost gets the cookie from the browser and can
// send it here with headers of its choice. Without the proof it is nobody on
// every route, with whatever else it sends.
func TestReplayedCookieIsNobody(t *testing.T) {
	h := run(t)
	session, other := h.signedIn(t), h.signedIn(t)
	cookie, proof := session[0], session[1]
	value := strings.TrimPrefix(cookie, "Cookie: "+h.cookieName()+"=")
	for _, headers := range [][]string{
		{cookie},
		{cookie, "Vyre-Proof: "},
		{cookie, "Vyre-Proof: guess"},
		{cookie, "Vyre-Proof: " + value},
		{cookie, other[1]},
		{cookie, "Vyre-Proof: guess", proof},
		{cookie + "; Vyre-Proof=" + value},
		{proof},
		{other[0], proof},
		{"Cookie: " + h.cookieName() + "=" + strings.TrimPrefix(proof, "Vyre-Proof: "), proof},
	} {
		for _, from := range [][]string{{"Origin: " + h.URL()}, {"Sec-Fetch-Site: same-origin"}, {"Origin: " + h.URL(), "Sec-Fetch-Site: same-origin"}} {
			for _, p := range h.paths() {
				if p.public {
					continue
				}
				a := h.ask(t, p.method, p.path, "{}", slices.Concat(headers, from)...)
				if a.status != 401 || a.code() != vyre.CodeUnauthenticated {
					t.Errorf("%s %s with %v: %d %.100s", p.method, p.path, headers, a.status, a.body)
				}
			}
		}
	}
	if a := h.ask(t, "GET", "/v1/whoami", "", session...); a.status != 200 {
		t.Errorf("the session itself: %+v", a)
	}
}

// On every route but the public ones, nobody who isn't signed in gets through,
// loopback or not: without a cookie, with a wrong one, and with a session that
// was signed out.
func TestSignInMatrix(t *testing.T) {
	h := run(t)
	old := h.signedIn(t)
	if a := h.ask(t, "POST", "/v1/sign-out", "", slices.Concat(old, []string{"Origin: " + h.URL()})...); a.status != 200 || !strings.Contains(a.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Fatalf("%+v", a)
	}
	public := map[string]int{
		"/healthz": 200, "/v1/sign-in": 400, "/": 200, "/v1/sign-in/passkey/begin": 200, "/v1/sign-in/passkey": 400,
		"/v1/pair/claim": 400, "/v1/pair/wait": 400, "/v1/pair/take": 400,
	}
	for _, host := range []string{h.localhost(), fmt.Sprintf("127.0.0.1:%d", h.Port()), fmt.Sprintf("[::1]:%d", h.Port())} {
		for _, headers := range [][]string{nil, {"Cookie: " + h.cookieName() + "=guess"}, {"Cookie: " + h.cookieName() + "="}, old} {
			for _, p := range h.paths() {
				a := h.ask(t, p.method, p.path, "{}", slices.Concat(headers, []string{"Host: " + host, "Origin: http://" + host})...)
				want, isPublic := public[p.path]
				if isPublic != p.public {
					t.Errorf("%s: public %v", p.path, p.public)
				}
				switch {
				case !isPublic:
					want = 401
				case p.path == "/" && host != h.localhost():
					want = 307
				case p.path == "/v1/sign-in/passkey/begin" && host != h.localhost():
					want = 400 // passkeys go by name
				}
				if a.status != want {
					t.Errorf("%s %s at %s with %v: %d %.100s, want %d", p.method, p.path, host, headers, a.status, a.body, want)
				}
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		if a := h.ask(t, method, "/anything", ""); a.status != 401 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
}

// A page that is opened by address is sent to the one name that it has; the
// path and the query come along.
func TestAddressesLeadToLocalhost(t *testing.T) {
	h := run(t)
	for _, host := range []string{fmt.Sprintf("127.0.0.1:%d", h.Port()), fmt.Sprintf("[::1]:%d", h.Port())} {
		a := h.ask(t, "GET", "/thread/t1?x=1", "", "Host: "+host)
		if want := h.URL() + "/thread/t1?x=1"; a.status != 307 || a.header.Get("Location") != want {
			t.Errorf("%s: %d to %q, want %q", host, a.status, a.header.Get("Location"), want)
		}
		if a := h.ask(t, "GET", "/healthz", "", "Host: "+host); a.status != 200 || a.body != "{\"ok\":true}\n" {
			t.Errorf("%s: %d %s", host, a.status, a.body)
		}
	}
}
