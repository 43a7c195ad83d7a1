package broker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const real = "sk-ant-the-real-one"

// seen is what the vendor got.
type seen struct {
	mu   sync.Mutex
	reqs []*http.Request
}

func (s *seen) all() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reqs)
}

type world struct {
	b      *Broker
	end    func()
	vendor *httptest.Server
	seen   *seen
	s      Session
}

func newWorld(t *testing.T, kind agent.CredentialKind, answer http.HandlerFunc) *world {
	t.Helper()
	w := &world{seen: &seen{}}
	w.vendor = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.seen.mu.Lock()
		w.seen.reqs = append(w.seen.reqs, r.Clone(context.Background()))
		w.seen.mu.Unlock()
		answer(rw, r)
	}))
	w.s = Session{
		Thread: "t", Rules: claude.New().Brokering(), Kind: kind, Upstream: w.vendor.URL + "/sub/",
		Secret: func(context.Context) ([]byte, error) { return []byte(real), nil },
	}
	w.start()
	t.Cleanup(func() { w.end(); w.vendor.Close(); http.DefaultClient.CloseIdleConnections() })
	return w
}

func (w *world) start() {
	w.b = New(slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = w.b.Run(ctx) }()
	w.end = sync.OnceFunc(func() { cancel(); <-done })
}

func ask(t *testing.T, method, url string, head map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range head {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	r, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func ok(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Anthropic-Ratelimit-Unified-Status", "allowed")
	fmt.Fprint(w, `{"type":"message","usage":{"input_tokens":3,"output_tokens":5,"cache_read_input_tokens":7}}`)
}

func TestOnlyTheSessionPasses(t *testing.T) {
	// Only a request with this session's key, to this address and for messages, reaches the vendor, and it alone has the
	// real credential; every other one is refused here.
	for kind, show := range map[agent.CredentialKind]func(string) map[string]string{
		agent.CredentialAPIKey:     func(k string) map[string]string { return map[string]string{"X-Api-Key": k} },
		agent.CredentialOAuthToken: func(k string) map[string]string { return map[string]string{"Authorization": "Bearer " + k} },
	} {
		w := newWorld(t, kind, ok)
		addr, key, hash, err := w.b.Open(w.s)
		if err != nil {
			t.Fatal(err)
		}
		_, other, _, err := w.b.Open(w.s)
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + addr + "/v1/messages"
		both := show(key)
		both["Cookie"], both["X-Api-Key-Else"] = "a=b", "x"
		if code, body := ask(t, "POST", url+"?beta=true", both); code != 200 || !strings.Contains(body, `"message"`) {
			t.Errorf("%s: %d %s", kind, code, body)
		}
		for name, c := range map[string]struct {
			method, url string
			head        map[string]string
			want        int
		}{
			"no key":             {"POST", url, nil, 401},
			"another key":        {"POST", url, show("sk-ant-api03-x"), 401},
			"another session's":  {"POST", url, show(other), 401},
			"the real one":       {"POST", url, show(real), 401},
			"the hash":           {"POST", url, show(hash), 401},
			"an empty one":       {"POST", url, show(""), 401},
			"a name for us":      {"POST", url, merge(show(key), "Host", "evil.example:80"), 403},
			"localhost":          {"POST", url, merge(show(key), "Host", "localhost"+addr[strings.IndexByte(addr, ':'):]), 403},
			"another thing":      {"POST", "http://" + addr + "/v1/files", show(key), 404},
			"an escape":          {"POST", "http://" + addr + "/v1/messages%2f..%2ffiles", show(key), 404},
			"a way up":           {"POST", "http://" + addr + "/v1/messages/../files", show(key), 404},
			"another method":     {"GET", url, show(key), 404},
			"the organisation":   {"GET", "http://" + addr + "/v1/organizations/api_keys", show(key), 404},
			"key in the address": {"POST", url + "?key=" + key, nil, 401},
		} {
			if code, body := ask(t, c.method, c.url, c.head); code != c.want || strings.Contains(body, real) {
				t.Errorf("%s: %s: %d %s", kind, name, code, body)
			}
		}
		got := w.seen.all()
		if len(got) != 1 {
			t.Fatalf("%s: the vendor got %d requests", kind, len(got))
		}
		r := got[0]
		want := show(real)
		for _, h := range []string{"X-Api-Key", "Authorization", "Cookie", "X-Forwarded-For"} {
			if r.Header.Get(h) != want[h] {
				t.Errorf("%s: the vendor got %s %q", kind, h, r.Header.Get(h))
			}
		}
		if r.URL.String() != "/sub/v1/messages?beta=true" {
			t.Errorf("%s: asked %s", kind, r.URL)
		}
		for _, u := range w.b.Uses() {
			if u.Address == addr && (u.Requests != 1 || u.Refused != 14 || u.InputTokens != 3 || u.OutputTokens != 5 || u.CacheReadTokens != 7) {
				t.Errorf("%s: %+v", kind, u)
			}
		}
	}
}

func merge(m map[string]string, k, v string) map[string]string { m[k] = v; return m }

func TestStreamPassesAsItComes(t *testing.T) {
	// Each part of a stream is passed on before the next one is there, and counted once.
	next := make(chan struct{})
	w := newWorld(t, agent.CredentialAPIKey, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, part := range []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":11,"output_tokens":1,"cache_creation_input_tokens":2}}}`,
			`{"type":"content_block_delta","delta":{"text":"message_delta \"usage\""}}`,
			`{"type":"message_delta","usage":{"output_tokens":40}}`,
		} {
			fmt.Fprintf(rw, "event: x\ndata: %s\n\n", part)
			rw.(http.Flusher).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
			}
		}
	})
	addr, key, _, err := w.b.Open(w.s)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/v1/messages", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", key)
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got strings.Builder
	b := make([]byte, 4096)
	for n := 1; n <= 3; n++ {
		for strings.Count(got.String(), "data:") < n {
			i, err := r.Body.Read(b)
			got.Write(b[:i])
			if err != nil {
				t.Fatalf("part %d: %v after %q", n, err, got.String())
			}
		}
		next <- struct{}{}
	}
	if _, err := io.Copy(&got, r.Body); err != nil {
		t.Fatal(err)
	}
	if u := w.b.Uses()[0]; u.InputTokens != 11 || u.OutputTokens != 40 || u.CacheWriteTokens != 2 {
		t.Errorf("%+v", u)
	}
}

func TestNextDaemonServesTheSameAddress(t *testing.T) {
	// After a daemon's end the address is nobody's; the next one serves it for the same key, or says that it is taken.
	w := newWorld(t, agent.CredentialAPIKey, ok)
	addr, key, hash, err := w.b.Open(w.s)
	if err != nil {
		t.Fatal(err)
	}
	show := map[string]string{"X-Api-Key": key}
	w.end()
	if r, err := http.Get("http://" + addr + "/v1/messages"); err == nil {
		r.Body.Close()
		t.Fatal("it serves on")
	}
	w.start()
	if err := w.b.Adopt(addr, hash, w.s); err != nil {
		t.Fatal(err)
	}
	if err := w.b.Adopt(addr, hash, w.s); err != nil {
		t.Fatalf("a second try: %v", err)
	}
	if code, _ := ask(t, "POST", "http://"+addr+"/v1/messages", show); code != 200 {
		t.Errorf("after the restart: %d", code)
	}
	if code, _ := ask(t, "POST", "http://"+addr+"/v1/messages", map[string]string{"X-Api-Key": "x"}); code != 401 {
		t.Errorf("another key after the restart: %d", code)
	}
	next := New(slog.New(slog.DiscardHandler), nil)
	if err := next.Adopt(addr, hash, w.s); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Errorf("a taken address: %v", err)
	}
	for _, bad := range []string{"0.0.0.0:0", "example.org:80", "", "[::]:0"} {
		if err := next.Adopt(bad, hash, w.s); err == nil {
			t.Errorf("%q was adopted", bad)
		}
	}
	w.b.Close(addr)
	if r, err := http.Get("http://" + addr + "/"); err == nil {
		r.Body.Close()
		t.Error("a session that is over is served")
	}
}

func TestRotatedAndMissing(t *testing.T) {
	// The credential is the one of the moment; without one the agent is told so in its vendor's words.
	w := newWorld(t, agent.CredentialAPIKey, ok)
	values := make(chan string, 2)
	values <- "first"
	values <- "second"
	w.s.Secret = func(context.Context) ([]byte, error) {
		select {
		case v := <-values:
			return []byte(v), nil
		default:
			return nil, vyre.Errorf(vyre.CodeNoCredential, "the vault has no item %q", "x")
		}
	}
	addr, key, _, err := w.b.Open(w.s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{200, 200, 401} {
		if code, body := ask(t, "POST", "http://"+addr+"/v1/messages", map[string]string{"X-Api-Key": key}); code != want {
			t.Errorf("%d %s, want %d", code, body, want)
		}
	}
	if r := w.seen.all(); len(r) != 2 || r[0].Header.Get("X-Api-Key") != "first" || r[1].Header.Get("X-Api-Key") != "second" {
		t.Errorf("%d requests", len(r))
	}
}

func TestVendorIsAway(t *testing.T) {
	// A vendor that can't be reached is an error in its words, without addresses or the credential; a redirect is not followed.
	w := newWorld(t, agent.CredentialAPIKey, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
	})
	addr, key, _, err := w.b.Open(w.s)
	if err != nil {
		t.Fatal(err)
	}
	if code, _ := ask(t, "POST", "http://"+addr+"/v1/messages", map[string]string{"X-Api-Key": key}); code != http.StatusFound {
		t.Errorf("a redirect: %d", code)
	}
	w.vendor.Close()
	code, body := ask(t, "POST", "http://"+addr+"/v1/messages", map[string]string{"X-Api-Key": key})
	if code != http.StatusBadGateway || strings.Contains(body, real) || strings.Contains(body, "127.0.0.1") {
		t.Errorf("%d %s", code, body)
	}
}

func TestKeysAreComparedInConstantTime(t *testing.T) {
	// How long a wrong key takes does not tell how much of it is right.
	key := "sk-ant-api03-" + vyre.NewSecret()
	hash := hashOf(key)
	near := key[:len(key)-1] + "!"
	far := "!" + key[1:]
	median := func(k string) time.Duration {
		var all []time.Duration
		for range 2001 {
			start := time.Now()
			for range 20 {
				if same(k, hash) {
					t.Fatal("a wrong key")
				}
			}
			all = append(all, time.Since(start))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	a, b, c := median(near), median(far), median(near)
	noise := max((a - c).Abs(), a/10)
	if d := (a - b).Abs(); d > 3*noise {
		t.Errorf("near %v, far %v, noise %v", a, b, noise)
	}
}
