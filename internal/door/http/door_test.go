package httpdoor

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/internal/door/api/apitest"
	"vyre/internal/identity"
	"vyre/internal/identity/passkey"
	"vyre/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newWeb keeps sign-ins and passkeys in a store of its own. The page has the
// addresses that sites gives.
func newWeb(t *testing.T, sites func() []string) (*identity.Web, *passkey.Keys) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "vyre.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- db.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	web := identity.NewWeb(db, time.Now, nil)
	return web, passkey.New(passkey.Config{Store: db, Sessions: web, Now: time.Now, Sites: sites})
}

const policy = "default-src 'none'"

var files = fstest.MapFS{
	"index.html":            {Data: []byte("<!doctype html>page")},
	"assets/app-1a2b.js":    {Data: []byte("plain")},
	"assets/app-1a2b.js.gz": {Data: []byte("packed")},
	"manifest.webmanifest":  {Data: []byte("{}")},
}

// home is a running door.
type home struct {
	*Door
	kit  *apitest.Kit
	web  *identity.Web
	keys *passkey.Keys
}

func run(t *testing.T, origins ...string) *home {
	t.Helper()
	k := apitest.New(64)
	var d *Door
	web, keys := newWeb(t, func() []string { return []string{d.URL()} })
	d, err := Listen(t.Context(), "127.0.0.1:0", Options{Parts: k.Parts(), Web: web, Keys: keys, Files: files, Policy: policy, Origins: origins})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		client.CloseIdleConnections()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &home{Door: d, kit: k, web: web, keys: keys}
}

// client follows no redirect.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) code() vyre.Code {
	var e vyre.Envelope
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return ""
	}
	return e.Error.Code
}

// ask sends a request; headers are "Name: value", Host among them.
func (h *home) ask(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+h.l.Addr().String()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = h.localhost()
	req.Header.Set("Content-Type", "application/json")
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(b)}
}

// cookieName is the one on localhost.
func (h *home) cookieName() string { return "vyre_session_" + strconv.Itoa(h.port) }

func (h *home) localhost() string { return strings.TrimPrefix(h.URL(), "http://") }

// signedIn returns the headers of a session that was made as a browser makes it:
// the cookie and the proof.
func (h *home) signedIn(t *testing.T) []string {
	t.Helper()
	code, _, err := h.web.NewCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := h.ask(t, "POST", "/v1/sign-in", `{"code":"`+code+`"}`, "Origin: "+h.URL())
	if a.status != 200 {
		t.Fatalf("%+v", a)
	}
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return []string{"Cookie: " + cookie, "Vyre-Proof: " + a.proof(t)}
}

// proof is what a sign-in answered besides the cookie.
func (a answer) proof(t *testing.T) string {
	t.Helper()
	var out signInOutput
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || out.Person != vyre.Owner || len(out.Proof) < 32 {
		t.Fatalf("%v: %+v", err, a)
	}
	return out.Proof
}

// A busy port is an error that says so, and no other port is taken.
func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen(t.Context(), l.Addr().String(), Options{})
	if vyre.CodeOf(err) != vyre.CodeUnavailable || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v", err)
	}
	_, err = Listen(t.Context(), "nowhere", Options{})
	if vyre.CodeOf(err) != vyre.CodeInvalid {
		t.Errorf("got %v", err)
	}
	for _, origin := range []string{"box.example", "https://box.example/", "ftp://box.example", "https://box.example/x", "https://"} {
		if _, err := Listen(t.Context(), "127.0.0.1:0", Options{Origins: []string{origin}}); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: got %v", origin, err)
		}
	}
}

// When the door stops, open streams end and Run returns.
func TestRunEndsStreams(t *testing.T) {
	k := apitest.New(8)
	web, _ := newWeb(t, nil)
	d, err := Listen(t.Context(), "127.0.0.1:0", Options{Parts: k.Parts(), Web: web, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	h := &home{Door: d, kit: k, web: web}
	session := h.signedIn(t)
	k.Publish(1)
	first := make(chan string, 1)
	rest := make(chan error, 1)
	go func() {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+d.l.Addr().String()+"/v1/events", nil)
		req.Host = h.localhost()
		for _, line := range session {
			name, value, _ := strings.Cut(line, ": ")
			req.Header.Set(name, value)
		}
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		res, err := client.Do(req)
		if err != nil {
			first <- err.Error()
			rest <- err
			return
		}
		defer res.Body.Close()
		b := make([]byte, 6)
		_, _ = io.ReadFull(res.Body, b)
		first <- string(b)
		_, err = io.Copy(io.Discard, res.Body)
		rest <- err
	}()
	if got := <-first; got != "event:" {
		t.Errorf("got %q", got)
	}
	cancel()
	if err := <-rest; err != nil {
		t.Errorf("the stream did not end cleanly: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
}
