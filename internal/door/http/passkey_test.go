package httpdoor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/identity/passkey/passkeytest"
)

// enrolled is a device with a passkey for the page at its name.
func (h *home) enrolled(t *testing.T) (*passkeytest.Authenticator, vyre.Passkey) {
	t.Helper()
	c := h.caller(t, h.signedIn(t))
	options, err := h.keys.BeginEnrol(t.Context(), c, h.URL(), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	a := passkeytest.New(h.URL())
	made, err := a.Create(options)
	if err != nil {
		t.Fatal(err)
	}
	key, err := h.keys.FinishEnrol(t.Context(), c, made)
	if err != nil {
		t.Fatal(err)
	}
	return a, key
}

// caller is who the headers of a session are of.
func (h *home) caller(t *testing.T, session []string) vyre.Caller {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = h.localhost()
	for _, line := range session {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	c, err := h.bind(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// begun touches a passkey for a sign-in and returns what the browser would send.
func (h *home) begun(t *testing.T, a *passkeytest.Authenticator) string {
	t.Helper()
	begun := h.ask(t, "POST", "/v1/sign-in/passkey/begin", "{}", "Origin: "+h.URL())
	var o options
	if err := json.Unmarshal([]byte(begun.body), &o); err != nil || begun.status != 200 {
		t.Fatalf("%+v", begun)
	}
	assertion, err := a.Touch(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	return `{"assertion":` + string(assertion) + `}`
}

// touch signs in with a passkey, tries the same touch again, and returns the first
// answer.
func (h *home) touch(t *testing.T, a *passkeytest.Authenticator, headers ...string) answer {
	t.Helper()
	body, origin := h.begun(t, a), append([]string{"Origin: " + h.URL()}, headers...)
	first := h.ask(t, "POST", "/v1/sign-in/passkey", body, origin...)
	if again := h.ask(t, "POST", "/v1/sign-in/passkey", body, origin...); again.status != 403 {
		t.Errorf("a touch signed in twice: %+v", again)
	}
	return first
}

// secrets are the headers of the session that an answer began.
func (a answer) secrets(t *testing.T) []string {
	t.Helper()
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return []string{"Cookie: " + cookie, "Vyre-Proof: " + a.proof(t)}
}

// A passkey signs in without a code, each touch once; a foreign key, a page of
// another address and a user who was not verified don't. Each sign-in gives new
// secrets and ends the session that the browser had.
func TestPasskeySignsIn(t *testing.T) {
	h := run(t)
	a, key := h.enrolled(t)
	one := h.touch(t, a)
	if one.status != 200 {
		t.Fatalf("%+v", one)
	}
	before := one.secrets(t)
	if c := h.caller(t, before); c.String() != "person:owner:web" || c.Proof != "session" {
		t.Errorf("%+v", c)
	}
	two := h.touch(t, a, before...)
	if two.status != 200 || two.header.Get("Set-Cookie") == one.header.Get("Set-Cookie") || two.proof(t) == one.proof(t) {
		t.Errorf("%+v", two)
	}
	if got := h.ask(t, "GET", "/v1/whoami", "", before...); got.status != 401 {
		t.Errorf("the session before the sign-in still works: %+v", got)
	}
	foreign, err := a.As()
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]*passkeytest.Authenticator{"a foreign key": foreign, "another page": a, "not verified": a} {
		a.Origin, a.NoVerify = h.URL(), what == "not verified"
		if what == "another page" {
			a.Origin, a.Host = "http://localhost:3000", "localhost"
		}
		if got := h.touch(t, bad); got.status != 403 || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	a.Origin, a.NoVerify = h.URL(), false
	if err := h.keys.Revoke(t.Context(), key.ID, vyre.Person(vyre.Owner, "cli")); err != nil {
		t.Fatal(err)
	}
	if got := h.ask(t, "GET", "/v1/whoami", "", two.secrets(t)...); got.status != 401 {
		t.Errorf("a session outlived its passkey: %+v", got)
	}
	if got := h.touch(t, a); got.status != 403 {
		t.Errorf("a revoked passkey signs in: %+v", got)
	}
}

// stream opens the event stream of a session and returns once it runs.
func (h *home) stream(t *testing.T, session []string) <-chan time.Time {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+h.l.Addr().String()+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = h.localhost()
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, line := range session {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	br := bufio.NewReader(res.Body)
	if line, err := br.ReadString('\n'); err != nil || line != "event: resume\n" {
		t.Fatalf("%q, %v", line, err)
	}
	ended := make(chan time.Time, 1)
	go func() {
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, br)
		ended <- time.Now()
	}()
	return ended
}

// What reads the log is cut within a second when its passkey is revoked, when its
// session is ended elsewhere, and when it signs out; what is another's goes on.
func TestEndedSessionsAreCut(t *testing.T) {
	for name, end := range map[string]func(h *home, session []string, key vyre.Passkey) error{
		"revoked": func(h *home, _ []string, key vyre.Passkey) error {
			return h.keys.Revoke(context.Background(), key.ID, vyre.Person(vyre.Owner, "cli"))
		},
		"ended elsewhere": func(h *home, session []string, _ vyre.Passkey) error {
			return h.web.End(context.Background(), h.caller(t, session).Session, vyre.Person(vyre.Owner, "cli"))
		},
		"signed out": func(h *home, session []string, _ vyre.Passkey) error {
			h.ask(t, "POST", "/v1/sign-out", "", append([]string{"Origin: " + h.URL()}, session...)...)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := run(t)
			a, key := h.enrolled(t)
			session := h.touch(t, a).secrets(t)
			other := h.signedIn(t)
			cut, kept := h.stream(t, session), h.stream(t, other)
			began := time.Now()
			if err := end(h, session, key); err != nil {
				t.Fatal(err)
			}
			select {
			case at := <-cut:
				if d := at.Sub(began); d > time.Second {
					t.Errorf("cut after %v", d)
				}
			case <-time.After(5 * time.Second):
				t.Fatal("the stream goes on")
			}
			select {
			case <-kept:
				t.Error("another session's stream was cut")
			default:
			}
			if got := h.ask(t, "GET", "/v1/whoami", "", session...); got.status != 401 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A phone is let in by a code that works once and for the address it names, after the
// person said that it shows the same digits: a code that was photographed and scanned
// twice is void for both, wrong digits void it, and what the phone holds is worth
// nothing before the confirmation and only once after it.
func TestPairing(t *testing.T) {
	h := run(t)
	by := h.caller(t, h.signedIn(t))
	origin := "Origin: " + h.URL()
	begin := func() (id, secret string) {
		p, err := h.keys.Pair(by, h.URL())
		if err != nil {
			t.Fatal(err)
		}
		_, secret, _ = strings.Cut(p.URL, "#")
		return p.ID, secret
	}
	claim := func(secret string) (claimOutput, answer) {
		a := h.ask(t, "POST", "/v1/pair/claim", `{"secret":"`+secret+`"}`, origin, "User-Agent: Phone/1")
		var out claimOutput
		_ = json.Unmarshal([]byte(a.body), &out)
		return out, a
	}
	take := func(claim string) answer {
		return h.ask(t, "POST", "/v1/pair/take", `{"claim":"`+claim+`"}`, origin)
	}

	id, secret := begin()
	phone, a := claim(secret)
	if a.status != 200 || len(phone.Digits) != 6 {
		t.Fatalf("%+v", a)
	}
	p, err := h.keys.Pairing(t.Context(), by, id, "waiting")
	if err != nil || p.Digits != phone.Digits || p.Device != "Phone/1" || p.URL == "" {
		t.Errorf("%+v, %v", p, err)
	}
	if a := take(phone.Claim); a.status != 409 || a.header.Get("Set-Cookie") != "" {
		t.Errorf("let in before the confirmation: %+v", a)
	}
	if _, err := h.keys.Confirm(vyre.Person(vyre.Owner, "cli"), id, phone.Digits); vyre.CodeOf(err) != vyre.CodeNotFound {
		t.Errorf("confirmed by another: %v", err)
	}
	if _, err := h.keys.Confirm(by, id, phone.Digits); err != nil {
		t.Fatal(err)
	}
	if a := h.ask(t, "POST", "/v1/pair/wait", `{"claim":"`+phone.Claim+`","since":"claimed"}`, origin); !strings.Contains(a.body, `"confirmed"`) {
		t.Errorf("%+v", a)
	}
	in := take(phone.Claim)
	if in.status != 200 || h.caller(t, in.secrets(t)).String() != "person:owner:web" {
		t.Fatalf("%+v", in)
	}
	if a := take(phone.Claim); a.status == 200 {
		t.Errorf("taken twice: %+v", a)
	}
	if _, a := claim(secret); a.status != 401 {
		t.Errorf("the code was used again: %+v", a)
	}

	// Photographed: the second scan voids it for the first, too.
	id, secret = begin()
	phone, _ = claim(secret)
	if _, a := claim(secret); a.status != 401 {
		t.Errorf("scanned twice: %+v", a)
	}
	if _, err := h.keys.Confirm(by, id, phone.Digits); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("confirmed though it was scanned twice: %v", err)
	}

	// Wrong digits void it; then the right ones are of no use.
	id, secret = begin()
	phone, _ = claim(secret)
	wrong := "000000"
	if phone.Digits == wrong {
		wrong = "000001"
	}
	if _, err := h.keys.Confirm(by, id, wrong); vyre.CodeOf(err) != vyre.CodeDenied {
		t.Errorf("got %v", err)
	}
	if _, err := h.keys.Confirm(by, id, phone.Digits); vyre.CodeOf(err) != vyre.CodeConflict {
		t.Errorf("got %v", err)
	}
	if a := take(phone.Claim); a.status == 200 {
		t.Errorf("let in with wrong digits: %+v", a)
	}

	// A newer pairing voids an older one.
	_, old := begin()
	begin()
	if _, a := claim(old); a.status != 401 {
		t.Errorf("an older code works: %+v", a)
	}
}

// Guessing at passkeys and pairings counts as guessing at codes does, from loopback
// too, and a right touch still gets in.
func TestPasskeyRoutesAreBounded(t *testing.T) {
	h := run(t)
	a, _ := h.enrolled(t)
	origin := "Origin: " + h.URL()
	var last answer
	for range 6 {
		h.ask(t, "POST", "/v1/pair/claim", `{"secret":"guess"}`, origin)
		last = h.ask(t, "POST", "/v1/pair/take", `{"claim":"guess"}`, origin)
	}
	if last.status != 429 {
		t.Errorf("%+v", last)
	}
	if got := h.ask(t, "POST", "/v1/sign-in/passkey", h.begun(t, a), origin); got.status != 200 {
		t.Errorf("the person is locked out: %+v", got)
	}
}
