package tailnet

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vyre"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon serves the local API on a socket, as strictly as the real one looks at Host.
func daemon(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "vyre-tail")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "local-tailscaled.sock" {
			http.Error(w, "invalid localapi request", http.StatusForbidden)
			return
		}
		h(w, r)
	})}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	c := New(filepath.Join(dir, "s"), time.Now)
	t.Cleanup(func() {
		c.Close()
		_ = s.Close()
		<-ended
		os.RemoveAll(dir)
	})
	return c
}

// A node of a person is that person's; a tagged one, one without a user, an unknown
// address and an answer that can't be read are nobody.
func TestWhoIs(t *testing.T) {
	answers := map[string]string{
		"100.64.0.1:1": `{"Node":{"Name":"phone.tail.ts.net.","Tags":null},"UserProfile":{"LoginName":"ada@example.com"},"CapMap":{}}`,
		"100.64.0.2:1": `{"Node":{"Name":"ci.tail.ts.net.","Tags":["tag:ci"]},"UserProfile":{"LoginName":"ada@example.com"}}`,
		"100.64.0.3:1": `{"Node":{"Name":"ci.tail.ts.net."},"UserProfile":{"LoginName":"tagged-devices"}}`,
		"100.64.0.4:1": `{"Node":{"Name":"x"},"UserProfile":{"LoginName":""}}`,
		"100.64.0.5:1": `{}`,
		"100.64.0.6:1": `nonsense`,
	}
	c := daemon(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Query().Get("addr")]
		if r.URL.Path != "/localapi/v0/whois" || !ok {
			http.Error(w, "no match for IP:port", http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	})
	for addr, want := range map[string]vyre.Code{
		"100.64.0.1:1": "", "[::ffff:100.64.0.1]:1": "", "100.64.0.2:1": vyre.CodeDenied, "100.64.0.3:1": vyre.CodeDenied,
		"100.64.0.4:1": vyre.CodeDenied, "100.64.0.5:1": vyre.CodeDenied, "100.64.0.6:1": vyre.CodeUnavailable, "192.168.0.1:1": vyre.CodeDenied,
	} {
		who, err := c.WhoIs(t.Context(), netip.MustParseAddrPort(addr))
		if vyre.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", addr, err, want)
		}
		if want == "" && (who.Login != "ada@example.com" || who.Node != "phone.tail.ts.net.") {
			t.Errorf("%s: %+v", addr, who)
		}
	}
}

// Without a daemon nobody is anybody.
func TestNoDaemon(t *testing.T) {
	c := New(filepath.Join(t.TempDir(), "none"), time.Now)
	if _, err := c.WhoIs(t.Context(), netip.MustParseAddrPort("100.64.0.1:1")); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Error(err)
	}
	if _, err := c.Certificate(t.Context(), "box.tail.ts.net"); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Error(err)
	}
}

// pair is a key and a certificate as the daemon gives them: the key first.
func pair(t *testing.T, name string, until time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
	}
	cert, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_ = pem.Encode(&b, &pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: cert})
	return b.Bytes()
}

// A certificate is asked for once and kept until shortly before it runs out; while the
// daemon gives no new one, an old one that is still good goes on.
func TestCertificate(t *testing.T) {
	var asked atomic.Int32
	var answer atomic.Pointer[[]byte]
	c := daemon(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		b := answer.Load()
		if r.URL.Path != "/localapi/v0/cert/box.tail.ts.net" || r.URL.Query().Get("type") != "pair" || b == nil {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(*b)
	})
	clock := time.Now()
	c.now = func() time.Time { return clock }
	put := func(until time.Time) { b := pair(t, "box.tail.ts.net", until); answer.Store(&b) }
	get := func() (time.Time, error) {
		got, err := c.Certificate(t.Context(), "box.tail.ts.net")
		if err != nil {
			return time.Time{}, err
		}
		return got.Leaf.NotAfter, nil
	}
	if _, err := get(); vyre.CodeOf(err) != vyre.CodeUnavailable {
		t.Error(err)
	}
	first := clock.Add(2 * time.Hour).Truncate(time.Second)
	put(first)
	for range 3 {
		if until, err := get(); err != nil || !until.Equal(first.UTC()) {
			t.Errorf("%v, %v", until, err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}
	clock = clock.Add(90 * time.Minute)
	answer.Store(nil)
	if until, err := get(); err != nil || !until.Equal(first.UTC()) {
		t.Errorf("an old one that is good: %v, %v", until, err)
	}
	second := clock.Add(24 * time.Hour).Truncate(time.Second)
	put(second)
	if until, err := get(); err != nil || !until.Equal(second.UTC()) {
		t.Errorf("%v, %v", until, err)
	}
}
