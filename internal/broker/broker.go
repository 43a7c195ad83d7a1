package broker

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vyre"
	"vyre/agent"
)

// Secret returns the credential of a kind; whoever gets it should overwrite it.
type Secret func(ctx context.Context) ([]byte, error)

// Session is what one address serves.
type Session struct {
	Thread   vyre.ThreadID
	Rules    agent.Brokering
	Kind     agent.CredentialKind
	Upstream string // the vendor's address
	Secret   Secret
}

// Broker serves the addresses of all sessions. Its methods may be called from any
// goroutine.
type Broker struct {
	log *slog.Logger
	via http.RoundTripper

	mu     sync.Mutex
	open   map[string]*place // by address
	closed bool
	wg     sync.WaitGroup
}

// New makes a broker without an address. via reaches the vendor; nil means directly, or
// by the proxy that the daemon's environment names.
func New(log *slog.Logger, via http.RoundTripper) *Broker {
	if via == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // what is passed on is what came
		t.ResponseHeaderTimeout = 10 * time.Minute
		via = t
	}
	return &Broker{log: log, via: via, open: map[string]*place{}}
}

// Run serves until ctx ends and returns when no request is on its way any more.
func (b *Broker) Run(ctx context.Context) error {
	<-ctx.Done()
	b.mu.Lock()
	b.closed = true
	for _, p := range b.open {
		_ = p.server.Close()
	}
	b.open = map[string]*place{}
	b.mu.Unlock()
	b.wg.Wait()
	if t, ok := b.via.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	return nil
}

// Open serves a session that begins, at an address of its own. The key is for its agent
// alone; the hash is what Adopt knows it by.
func (b *Broker) Open(s Session) (addr, key, hash string, err error) {
	key = s.Rules.Keys[s.Kind].Like + vyre.NewSecret()
	hash = hashOf(key)
	addr, err = b.listen("127.0.0.1:0", hash, s)
	return addr, key, hash, err
}

// Adopt serves a session that an earlier daemon left at its address again. Errors:
// unavailable where something else has the address.
func (b *Broker) Adopt(addr, hash string, s Session) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host != "127.0.0.1" {
		return vyre.Errorf(vyre.CodeInternal, "%q is no address of a broker", addr)
	}
	_, err = b.listen(addr, hash, s)
	return err
}

// Close stops serving an address. What is on its way is cut off: its session is over.
func (b *Broker) Close(addr string) {
	b.mu.Lock()
	p := b.open[addr]
	delete(b.open, addr)
	b.mu.Unlock()
	if p != nil {
		_ = p.server.Close()
	}
}

func (b *Broker) listen(addr, hash string, s Session) (string, error) {
	up, err := url.Parse(strings.TrimSuffix(s.Upstream, "/"))
	if err != nil || up.Host == "" || up.Scheme != "https" && up.Scheme != "http" {
		return "", vyre.Errorf(vyre.CodeUnavailable, "the vendor's address is none")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return "", vyre.Errorf(vyre.CodeUnavailable, "the daemon is stopping")
	}
	if p := b.open[addr]; p != nil { // adopted before, by a try that failed later
		return addr, nil
	}
	l, err := net.Listen("tcp4", addr) //nolint:noctx // returns at once
	if err != nil {
		return "", vyre.Errorf(vyre.CodeUnavailable, "the broker's address %s can't be had", addr).
			WithHint("Another process has it. Stop the thread and resume it: it gets another one.").Because(err)
	}
	p := newPlace(b, l.Addr().String(), hash, s, up)
	b.open[p.addr] = p
	b.wg.Go(func() { _ = p.server.Serve(l) }) // ends with its Close
	return p.addr, nil
}

// Use is what passed one address since this daemon serves it.
type Use struct {
	Thread   vyre.ThreadID `json:"thread"`
	Address  string        `json:"address"`
	Kind     string        `json:"kind"`
	Requests int64         `json:"requests"`
	Refused  int64         `json:"refused"`
	vyre.Usage
}

// Uses returns what passed each address that is open, in no order.
func (b *Broker) Uses() []Use {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Use, 0, len(b.open))
	for _, p := range b.open {
		out = append(out, p.counted())
	}
	return out
}

func hashOf(key string) string {
	h := sha256.Sum256([]byte(key))
	return hex.EncodeToString(h[:])
}

// same compares in a time that does not tell how much was right.
func same(key, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(hashOf(key)), []byte(hash)) == 1
}
