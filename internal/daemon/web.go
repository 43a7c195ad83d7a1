package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"vyre"
	httpdoor "vyre/internal/door/http"
	"vyre/internal/tailnet"
)

// sites lists the origins of the page: this machine's own first, then the https ones.
func (h *house) sites() []string {
	out := []string{h.http.URL()}
	if h.remote != nil {
		for _, name := range h.cfg.Web.Names {
			out = append(out, httpdoor.Origin(name, h.remote.Port()))
		}
	}
	return out
}

// openRemote takes the address for other machines, where one is configured: https
// always, and whoever comes from a tailnet is asked for first.
func (h *house) openRemote(ctx context.Context, o httpdoor.Options) error {
	w := h.cfg.Web
	if w.Listen == "" {
		return nil
	}
	o.Names = w.Names
	get := (&keyPair{cert: w.Cert, key: w.Key}).get
	if socket := w.Socket(); socket != "" {
		h.tailnet = tailnet.New(socket, time.Now)
		o.Peer = func(ctx context.Context, remote netip.AddrPort) error {
			_, err := h.tailnet.WhoIs(ctx, remote)
			return err
		}
		get = func(hi *tls.ClientHelloInfo) (*tls.Certificate, error) {
			name := hi.ServerName
			if !contains(w.Names, name) {
				name = w.Names[0]
			}
			return h.tailnet.Certificate(hi.Context(), name)
		}
	} else if _, err := get(nil); err != nil { // a fault is told at the start, not to the first phone
		return err
	}
	o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: get}
	var err error
	h.remote, err = httpdoor.Listen(ctx, w.Listen, o)
	return err
}

// closeDoors gives the ports back when they were never served.
func (h *house) closeDoors() error {
	var errs []error
	for _, d := range []*httpdoor.Door{h.http, h.remote} {
		if d != nil {
			errs = append(errs, d.Close())
		}
	}
	return errors.Join(errs...)
}

func contains(names []string, name string) bool {
	return slices.Contains(names, name)
}

// keyPair is a certificate in files, which its owner renews without asking us.
type keyPair struct {
	cert, key string

	mu   sync.Mutex
	made *tls.Certificate // guarded by mu
	at   time.Time        // of the file that made is of; guarded by mu
}

// get returns the certificate as the files have it now; while new ones can't be read,
// the last good one.
func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.cert)
	if err == nil && p.made != nil && info.ModTime().Equal(p.at) {
		return p.made, nil
	}
	pair, pairErr := tls.LoadX509KeyPair(p.cert, p.key)
	if err = errors.Join(err, pairErr); err != nil {
		if p.made != nil {
			return p.made, nil
		}
		return nil, vyre.Errorf(vyre.CodeUnavailable, "the certificate of [web] can't be read").
			WithHint("web.cert and web.key name PEM files that belong together and that this user may read.").Because(err)
	}
	p.made, p.at = &pair, info.ModTime()
	return p.made, nil
}
