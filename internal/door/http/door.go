package httpdoor

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/identity"
)

// Options is what the door needs.
type Options struct {
	api.Parts
	Web     *identity.Web
	Keys    Keys
	Files   fs.FS    // the built page; index.html at its root
	Policy  string   // Content-Security-Policy of every answer
	Origins []string // where else the page may be opened: "https://box.example"

	// TLS makes it a door for other machines: it answers to Names alone, never to
	// localhost, and only with a certificate. nil is the door on this machine.
	TLS   *tls.Config
	Names []string // host names, without a port
	// Peer is asked about the address that a connection really comes from, before
	// anything else: an error refuses it. Whoever passes still has to sign in. nil: any.
	Peer func(ctx context.Context, remote netip.AddrPort) error
}

// Door is the HTTP door. Make it with Listen.
type Door struct {
	o     Options
	api   *api.API
	l     net.Listener
	port  int
	hosts map[string]string // Host → the origin that goes with it
}

// Listen takes the port, and no other: unavailable when it is busy, invalid for
// an address or an origin that can't be.
func Listen(ctx context.Context, addr string, o Options) (*Door, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if ap, err := netip.ParseAddrPort(addr); err == nil && o.TLS == nil && !ap.Addr().IsLoopback() {
		return nil, vyre.Errorf(vyre.CodeInvalid, "%s is reached from other machines, and nothing is opened to them without https", addr).
			WithHint("Set [web] in config.toml: a name and a certificate.")
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, listenError(addr, err)
	}
	d := &Door{o: o, l: l, port: l.Addr().(*net.TCPAddr).Port}
	if d.hosts, err = d.names(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if o.TLS != nil {
		d.l = tls.NewListener(l, o.TLS)
	}
	d.api = api.New(api.Options{Parts: o.Parts, Bind: d.bind, Hold: o.Web.Hold, Page: d.page})
	for route, h := range d.routes() {
		d.api.Handle(route, h)
	}
	return d, nil
}

func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return vyre.Errorf(vyre.CodeUnavailable, "the address %s is in use by another program", addr).
			WithHint("End that program, or set VYRE_LISTEN to another address.").Because(err)
	case errors.Is(err, syscall.EACCES):
		return vyre.Errorf(vyre.CodeUnavailable, "this user may not listen on %s", addr).
			WithHint("Set VYRE_LISTEN to a port above 1023.").Because(err)
	}
	return vyre.Errorf(vyre.CodeInvalid, "can't listen on %q", addr).
		WithHint("VYRE_LISTEN is an address and a port, such as 127.0.0.1:7797.").Because(err)
}

// names lists the Host headers of this door.
func (d *Door) names() (map[string]string, error) {
	if d.o.TLS == nil {
		return hosts(d.port, d.o.Origins)
	}
	out := map[string]string{}
	for _, name := range d.o.Names {
		origin := Origin(name, d.port)
		out[strings.TrimPrefix(origin, "https://")] = origin
	}
	if len(out) == 0 {
		return nil, vyre.Errorf(vyre.CodeInvalid, "a door for other machines needs a name").WithHint("Set web.names.")
	}
	return out, nil
}

// Origin is the origin of a name on a port of https.
func Origin(name string, port int) string {
	if port == 443 {
		return "https://" + name
	}
	return "https://" + net.JoinHostPort(name, strconv.Itoa(port))
}

// hosts lists the Host headers that are ours, each with its origin.
func hosts(port int, origins []string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		host := net.JoinHostPort(name, strconv.Itoa(port))
		out[host] = "http://" + host
	}
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Scheme+"://"+u.Host != o {
			return nil, vyre.Errorf(vyre.CodeInvalid, "%q is not an origin", o).
				WithHint("Write it as https://name or https://name:port, without a path.")
		}
		out[u.Host] = o
	}
	return out, nil
}

// routes are what this door adds to the API.
func (d *Door) routes() map[api.Route]func(http.ResponseWriter, *http.Request, vyre.Caller) {
	return map[api.Route]func(http.ResponseWriter, *http.Request, vyre.Caller){
		{Method: "POST", Pattern: "/v1/sign-in", Public: true}: d.signIn,
		{Method: "POST", Pattern: "/v1/sign-out"}:              d.signOut,

		{Method: "POST", Pattern: "/v1/sign-in/passkey/begin", Public: true}: d.beginPasskey,
		{Method: "POST", Pattern: "/v1/sign-in/passkey", Public: true}:       d.passkey,
		{Method: "POST", Pattern: "/v1/pair/claim", Public: true}:            d.claim,
		{Method: "POST", Pattern: "/v1/pair/wait", Public: true}:             d.claimWait,
		{Method: "POST", Pattern: "/v1/pair/take", Public: true}:             d.claimTake,
	}
}

// Routes lists every route that the door serves, for tests that try each.
func (d *Door) Routes() []api.Route {
	out := d.api.Routes()
	for r := range d.routes() {
		out = append(out, r)
	}
	return out
}

// Port is the port that was taken.
func (d *Door) Port() int { return d.port }

// URL is where the page is.
func (d *Door) URL() string {
	if d.o.TLS != nil {
		return Origin(d.o.Names[0], d.port)
	}
	return "http://localhost:" + strconv.Itoa(d.port)
}

// Run serves until ctx ends and returns after every handler did.
func (d *Door) Run(ctx context.Context) error {
	s := api.Server{API: d.api, Handler: d, Log: d.o.Log}
	return s.Serve(ctx, d.l)
}

// Close gives the port back when Run was never called.
func (d *Door) Close() error { return d.l.Close() }
