package broker

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"vyre"
)

// place is one session's address.
type place struct {
	b      *Broker
	addr   string
	hash   string
	s      Session
	up     *url.URL
	server *http.Server
	pass   *httputil.ReverseProxy

	mu  sync.Mutex
	use Use // guarded by mu
}

func newPlace(b *Broker, addr, hash string, s Session, up *url.URL) *place {
	p := &place{b: b, addr: addr, hash: hash, s: s, up: up, use: Use{Thread: s.Thread, Address: addr, Kind: string(s.Kind)}}
	p.pass = &httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: b.via, FlushInterval: -1, ModifyResponse: p.count,
		ErrorHandler: p.failed, ErrorLog: quiet(b.log),
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, ErrorLog: quiet(b.log), MaxHeaderBytes: 64 << 10}
	return p
}

// ServeHTTP checks a request and passes it on with the credential.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := p.s.Rules.Keys[p.s.Kind]
	shown, ok := strings.CutPrefix(r.Header.Get(key.Header), key.Prefix)
	switch {
	case r.Host != p.addr: // a name that was made to lead here
		p.refuse(w, http.StatusForbidden, "permission_error", "this is not the address of this session's broker")
	case !ok || !same(shown, p.hash):
		p.refuse(w, http.StatusUnauthorized, "authentication_error", "this is not the key of this session")
	case !slices.Contains(p.s.Rules.Asks, r.Method+" "+r.URL.Path) || r.URL.RawPath != "":
		p.refuse(w, http.StatusNotFound, "not_found_error", "the broker passes on messages alone")
	default:
		p.passOn(w, r)
	}
}

func (p *place) passOn(w http.ResponseWriter, r *http.Request) {
	secret, err := p.s.Secret(r.Context())
	if err != nil {
		e := vyre.AsError(err)
		p.b.log.Error("the credential of a session can't be had", "thread", string(p.s.Thread), "error", err)
		p.refuse(w, http.StatusUnauthorized, "authentication_error", e.Message)
		return
	}
	key := p.s.Rules.Keys[p.s.Kind]
	for _, k := range p.s.Rules.Keys { // whatever else was shown stays here
		r.Header.Del(k.Header)
	}
	r.Header.Set(key.Header, key.Prefix+string(secret))
	clear(secret)
	p.mu.Lock()
	p.use.Requests++
	p.mu.Unlock()
	p.pass.ServeHTTP(w, r)
}

// rewrite turns a request to us into one to the vendor.
func (p *place) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(p.up)
	r.Out.Host = p.up.Host
	for _, name := range []string{"Cookie", "Forwarded", "Proxy-Authorization", "Accept-Encoding"} {
		r.Out.Header.Del(name)
	}
	r.Out.Header.Set("Accept-Encoding", "identity") // what is counted can be read
}

// failed answers for a vendor that can't be reached. The cause may name addresses; it
// is ours to know.
func (p *place) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the agent left
	}
	p.b.log.Warn("the vendor can't be reached", "thread", string(p.s.Thread), "error", err)
	refusal(w, http.StatusBadGateway, "api_error", "the vendor can't be reached through the broker")
}

func (p *place) refuse(w http.ResponseWriter, status int, kind, why string) {
	p.mu.Lock()
	p.use.Refused++
	p.mu.Unlock()
	refusal(w, status, kind, why)
}

// refusal is an error in the words that agents' vendors use.
func refusal(w http.ResponseWriter, status int, kind, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": why}})
}

func (p *place) counted() Use {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.use
}
