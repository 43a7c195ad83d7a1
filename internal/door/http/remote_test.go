package httpdoor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vyre"
	"vyre/internal/door/api/apitest"
)

// certificate is one for a name, signed by itself.
func certificate(t *testing.T, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

// remote is a running door for other machines, and how a phone asks it.
type remote struct {
	*home
	client *http.Client
}

func runRemote(t *testing.T, peer func(context.Context, netip.AddrPort) error) *remote {
	t.Helper()
	cert, pool := certificate(t, "box.example")
	k := apitest.New(64)
	var d *Door
	web, keys := newWeb(t, func() []string { return []string{d.URL()} })
	d, err := Listen(t.Context(), "127.0.0.1:0", Options{
		Parts: k.Parts(), Web: web, Keys: keys, Files: files, Policy: policy, Names: []string{"box.example"}, Peer: peer,
		TLS: &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, Certificates: []tls.Certificate{cert}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "box.example", MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var nd net.Dialer
			return nd.DialContext(ctx, "tcp", d.l.Addr().String())
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &remote{&home{Door: d, kit: k, web: web, keys: keys}, &http.Client{Transport: tr}}
}

func (r *remote) phone(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", r.URL())
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	res, err := r.client.Do(req)
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

// The door for other machines answers to its name alone, on https, and its cookie can
// be set by no other host. What headers say of who calls is nobody's word.
func TestOtherMachines(t *testing.T) {
	r := runRemote(t, nil)
	if want := fmt.Sprintf("https://box.example:%d", r.Port()); r.URL() != want {
		t.Fatalf("%s, want %s", r.URL(), want)
	}
	for _, host := range []string{"localhost", fmt.Sprintf("localhost:%d", r.Port()), "127.0.0.1", "box.example", "other.example", fmt.Sprintf("box.example.evil:%d", r.Port())} {
		if a := r.phone(t, "GET", "/healthz", "", "Host: "+host); a.status != 403 {
			t.Errorf("Host %s: %+v", host, a)
		}
	}
	for _, forged := range []string{"Tailscale-User-Login: ada@example.com", "X-Forwarded-User: owner", "X-Vyre-Scopes: admin", "Forwarded: for=127.0.0.1"} {
		if a := r.phone(t, "GET", "/v1/whoami", "", forged); a.status != 401 {
			t.Errorf("%s: %+v", forged, a)
		}
	}
	code, _, err := r.web.NewCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := r.phone(t, "POST", "/v1/sign-in", `{"code":"`+code+`"}`)
	cookie := a.header.Get("Set-Cookie")
	if a.status != 200 || !strings.HasPrefix(cookie, "__Host-vyre_session_") {
		t.Fatalf("%+v", a)
	}
	for _, want := range []string{"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) || strings.Contains(cookie, "Domain") {
			t.Errorf("the cookie has no %s: %s", want, cookie)
		}
	}
	if a := r.phone(t, "GET", "/v1/whoami", "", a.secrets(t)...); a.status != 200 || !strings.Contains(a.body, "person:owner:web") {
		t.Errorf("%+v", a)
	}
}

// Whoever the tailnet calls nobody gets nothing, not the page and not the health; who
// is somebody there still has to sign in.
func TestTailnetPeers(t *testing.T) {
	denied := vyre.Errorf(vyre.CodeDenied, "a tagged node of the tailnet is nobody")
	var asked []netip.AddrPort
	answers := make(chan error, 4)
	r := runRemote(t, func(_ context.Context, remote netip.AddrPort) error {
		asked = append(asked, remote)
		return <-answers
	})
	for _, path := range []string{"/healthz", "/"} {
		answers <- denied
		if a := r.phone(t, "GET", path, ""); a.status != 403 || !strings.Contains(a.body, "nobody") {
			t.Errorf("%s: %+v", path, a)
		}
	}
	answers <- nil
	if a := r.phone(t, "GET", "/v1/whoami", "", "Tailscale-User-Login: ada@example.com"); a.status != 401 {
		t.Errorf("%+v", a)
	}
	for _, remote := range asked {
		if !remote.Addr().IsLoopback() {
			t.Errorf("asked about %s", remote)
		}
	}
}

// Nothing is opened to other machines without https.
func TestNoPlainDoorForOthers(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "192.168.0.1:0"} {
		if d, err := Listen(t.Context(), addr, Options{}); vyre.CodeOf(err) != vyre.CodeInvalid {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				_ = d.Close()
			}
		}
	}
}
