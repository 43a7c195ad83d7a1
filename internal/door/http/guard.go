package httpdoor

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"vyre"
)

// ServeHTTP lets a request through to its route if a browser on this machine,
// on our own page, may have sent it.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", d.o.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	if err := d.peer(r); err != nil {
		d.api.Fail(w, r, err)
		return
	}
	origin, ours := d.hosts[r.Host]
	if !ours {
		d.api.Fail(w, r, vyre.Errorf(vyre.CodeDenied, "this door does not answer to that Host").
			WithHint("Open "+d.URL()+"."))
		return
	}
	if err := sameOrigin(r, origin, d.cookieName(r)); err != nil {
		d.api.Fail(w, r, err)
		return
	}
	if numeric(r.Host) && !isAPI(r.URL.Path) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		// Passkeys and cookies go by name, so the page has one name here.
		http.Redirect(w, r, d.URL()+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		return
	}
	d.api.ServeHTTP(w, r)
}

// peer holds a request to the address that it really comes from. Headers that name
// another are nobody's word here.
func (d *Door) peer(r *http.Request) error {
	if d.o.Peer == nil {
		return nil
	}
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return vyre.Errorf(vyre.CodeDenied, "it can't be told where this comes from")
	}
	return d.o.Peer(r.Context(), remote)
}

// isAPI reports whether a path is the API's rather than the page's.
func isAPI(path string) bool {
	return path == "/healthz" || path == "/v1" || strings.HasPrefix(path, "/v1/")
}

// numeric reports whether a Host is an address.
func numeric(host string) bool {
	name, _, err := net.SplitHostPort(host)
	return err == nil && net.ParseIP(name) != nil
}

// sameOrigin refuses what another page sent. An Origin must be the one that goes
// with the Host ("null" never is). Without one, a request that changes something
// or opens a stream must come from our own page or the address bar by its
// Sec-Fetch-Site; one without that header either is no browser's, and then has
// no business with a browser's cookie.
func sameOrigin(r *http.Request, origin, cookie string) error {
	site := r.Header.Get("Sec-Fetch-Site")
	own := site == "same-origin" || site == "none"
	switch {
	case len(r.Header.Values("Origin")) > 0:
		if v := r.Header.Values("Origin"); len(v) == 1 && v[0] == origin {
			return nil
		}
	case site != "" && !own && isAPI(r.URL.Path):
	case own || safe(r):
		return nil
	case len(r.CookiesNamed(cookie)) == 0:
		return nil
	}
	return vyre.Errorf(vyre.CodeDenied, "this request does not come from our own page").
		WithHint("A program sends the header Origin: " + origin + " with both secrets of its session, or uses the socket.")
}

// safe reports whether a request only reads, and does not hold on.
func safe(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path != "/v1/events"
}
