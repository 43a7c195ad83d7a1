package httpout

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/gate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sender() *Sender {
	return &Sender{Open: func(_ context.Context, item string) ([]byte, error) {
		if item != "token" {
			return nil, vyre.NotFound("vault item", item)
		}
		return []byte("s3cret"), nil
	}}
}

func act(target string) vyre.GateAct {
	return vyre.GateAct{ID: "a", Kind: vyre.GateHTTP, Target: target, Payload: []byte("hello\x00\n"), Options: vyre.GateOptions{Private: true}}
}

// What arrives is what was approved, to the byte, with the key and the vault's value and
// nothing of anybody else's.
func TestExactBytes(t *testing.T) {
	var got *http.Request
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
	}))
	defer srv.Close()
	s, a := sender(), act(srv.URL+"/p?q=1")
	a.Options.Headers = map[string]string{"content-type": "text/x"}
	a.Options.Secret = &vyre.GateSecret{Item: "token", Header: "authorization", Prefix: "Bearer "}
	if err := s.Prepare(t.Context(), &a); err != nil {
		t.Fatal(err)
	}
	r := s.Send(t.Context(), a, "the-key")
	if r.End != gate.Done || r.Status != 201 || len(r.Answer) != MaxAnswer {
		t.Errorf("%v %d %d", r.End, r.Status, len(r.Answer))
	}
	if string(body) != "hello\x00\n" || got.Method != "POST" || got.URL.String() != "/p?q=1" || got.Header.Get("Content-Type") != "text/x" ||
		got.Header.Get("Authorization") != "Bearer s3cret" || got.Header.Get("Idempotency-Key") != "the-key" || got.Header.Get("Cookie") != "" {
		t.Errorf("%q %+v", body, got)
	}
	if l := s.Label(a); strings.Contains(l, "q=1") {
		t.Errorf("the label has the query: %s", l)
	}
	a.Options.Secret.Item = "none"
	if r := s.Send(t.Context(), a, ""); r.End != gate.Unsent {
		t.Errorf("without its value: %+v", r)
	}
}

// Only a clear yes is one: what failed after the connection stood, pointed elsewhere or
// failed there may have been done (G07).
func TestWhatAnAnswerMeans(t *testing.T) {
	elsewhere := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { elsewhere++ })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.Close()
		}
	})
	for path, status := range map[string]int{"/200": 200, "/204": 204, "/303": 303, "/307": 307, "/400": 400, "/401": 401, "/408": 408, "/409": 409, "/429": 429, "/500": 500, "/502": 502} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
	}
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for path, want := range map[string]gate.End{
		"/200": gate.Done, "/204": gate.Done, "/303": gate.Lost, "/307": gate.Lost, "/400": gate.Refused, "/401": gate.Refused,
		"/408": gate.Lost, "/409": gate.Lost, "/429": gate.Lost, "/500": gate.Lost, "/502": gate.Lost, "/cut": gate.Lost,
	} {
		if r := sender().Send(t.Context(), act(srv.URL+path), ""); r.End != want {
			t.Errorf("%s: %v %s", path, r.End, r.Why)
		}
	}
	if elsewhere != 0 {
		t.Error("a redirect was followed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	_ = l.Close()
	if r := sender().Send(t.Context(), act(nobody), ""); r.End != gate.Unsent {
		t.Errorf("nobody listens: %+v", r)
	}
	tlsOnly := httptest.NewTLSServer(mux)
	defer tlsOnly.Close()
	tlsOnly.Config.ErrorLog = nil
	if r := sender().Send(t.Context(), act(tlsOnly.URL+"/200"), ""); r.End != gate.Unsent {
		t.Errorf("a certificate of nobody known: %+v", r)
	}
}

// An act that does not say so reaches no private address, also when its name leads there
// only when it is sent; and some addresses are reached by none.
func TestAddresses(t *testing.T) {
	s := sender()
	for target, why := range map[string]string{
		"http://example.com/":          "plain http to elsewhere",
		"ftp://example.com/":           "another scheme",
		"https://u:p@example.com/":     "a credential",
		"https://example.com/#x":       "a fragment",
		"https://169.254.169.254/":     "metadata of a cloud",
		"https://[fe80::1]/":           "link-local",
		"https://0.0.0.0/":             "no address",
		"https://224.0.0.1/":           "multicast",
		"/relative":                    "no host",
		"https://":                     "no host",
		"https://exämple.com/":         "not ASCII",
		"https://example.com/a b":      "a space",
		"https://example.com/\r\nX: y": "a line",
	} {
		a := act(target)
		if err := s.Prepare(t.Context(), &a); vyre.AsError(err) == nil || vyre.AsError(err).Field != "target" {
			t.Errorf("%s (%s): %v", target, why, err)
		}
	}
	for _, near := range []string{"https://10.0.0.1/", "https://192.168.1.1/", "https://127.0.0.1/", "http://localhost:1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://nas.local/", "https://intranet/", "https://100.64.0.1/", "https://[fd00::1]/"} {
		a := act(near)
		a.Options.Private = false
		if err := s.Prepare(t.Context(), &a); vyre.AsError(err) == nil || vyre.AsError(err).Field != "options.private" {
			t.Errorf("%s: %v", near, err)
		}
		a.Options.Private = true
		if err := s.Prepare(t.Context(), &a); err != nil || len(s.Warn(a)) < 2 {
			t.Errorf("%s: %v %v", near, err, s.Warn(a))
		}
	}
	for addr, want := range map[string]bool{"1.1.1.1": true, "2606:4700::1": true, "10.1.1.1": false, "127.0.0.1": false, "172.16.0.1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false, "198.18.0.1": false} {
		if public(netip.MustParseAddr(addr)) != want {
			t.Errorf("%s", addr)
		}
	}
	// At the dial, whatever the name was taken for.
	reached := false
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer srv.Close()
	tr := s.transport(false)
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := tr.RoundTrip(req); err == nil || reached {
		_ = res.Body.Close()
		t.Error("a loopback address was reached by an act that did not say so")
	}
}

// Credentials and what belongs to the connection are no act's to set.
func TestHeaders(t *testing.T) {
	for _, name := range []string{"Authorization", "cookie", "Host", "transfer-encoding", "Content-Length", "Idempotency-Key", "a b", "a\r\nb", "", "Proxy-Authorization"} {
		a := act("https://example.com/")
		a.Options.Headers = map[string]string{name: "x"}
		if err := sender().Prepare(t.Context(), &a); vyre.AsError(err) == nil {
			t.Errorf("%q was taken", name)
		}
	}
	a := act("https://example.com/")
	a.Options.Headers = map[string]string{"X": "a\r\nY: b"}
	if err := sender().Prepare(t.Context(), &a); vyre.AsError(err) == nil {
		t.Error("a line in a value was taken")
	}
	a.Options.Headers = nil
	a.Options.Secret = &vyre.GateSecret{Item: "token", Header: "Host"}
	if err := sender().Prepare(t.Context(), &a); vyre.AsError(err) == nil {
		t.Error("a vault value as the host was taken")
	}
}
