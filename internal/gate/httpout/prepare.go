package httpout

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"vyre"
)

// methods that an act may have.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// barred are headers that an act may not set: credentials, which come from the vault,
// what belongs to the connection, and what the gate sets itself.
var barred = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Te", "Trailer",
	"Upgrade", "Proxy-Connection", "Expect", "Idempotency-Key", "Accept-Encoding",
}

// Prepare implements gate.Sender.
func (s *Sender) Prepare(_ context.Context, a *vyre.GateAct) error {
	o := &a.Options
	if o.Method = strings.ToUpper(o.Method); o.Method == "" {
		o.Method = "POST"
	}
	switch {
	case !slices.Contains(methods, o.Method):
		return vyre.Invalid("options.method", "%s", strings.Join(methods, ", "))
	case o.Repo != "" || o.Ref != "" || o.Commit != "" || o.Expected != "":
		return vyre.Invalid("options.repo", "an http act has no repository")
	case len(a.Payload) > 0 && (o.Method == "GET" || o.Method == "HEAD"):
		return vyre.Invalid("payload", "%s has none", o.Method)
	}
	if err := headers(o); err != nil {
		return err
	}
	_, err := target(a.Target, o.Private)
	return err
}

func headers(o *vyre.GateOptions) error {
	if len(o.Headers) > 50 {
		return vyre.Invalid("options.headers", "at most 50")
	}
	clean := map[string]string{}
	for name, value := range o.Headers {
		c := http.CanonicalHeaderKey(name)
		_, twice := clean[c]
		switch {
		case !validName(name) || !validValue(value) || len(value) > 4096 || twice:
			return vyre.Invalid("options.headers."+name, "it can't be a header")
		case slices.Contains(barred, c):
			return vyre.Invalid("options.headers."+name, "an act can't set this header").
				WithHint("A credential comes from the vault: options.secret {item, header, prefix}.")
		}
		clean[c] = value
	}
	if o.Headers = clean; len(clean) == 0 {
		o.Headers = nil
	}
	if s := o.Secret; s != nil {
		c := http.CanonicalHeaderKey(s.Header)
		_, twice := clean[c]
		own := slices.Contains(barred, c) && !slices.Contains([]string{"Authorization", "X-Api-Key", "Cookie"}, c)
		switch {
		case !vyre.ValidID(s.Item):
			return vyre.Invalid("options.secret.item", "the name of a vault item")
		case !validName(s.Header) || twice || own:
			return vyre.Invalid("options.secret.header", "it can't be this header")
		case !validValue(s.Prefix) || len(s.Prefix) > 100:
			return vyre.Invalid("options.secret.prefix", "it can't be in a header")
		}
		o.Secret = &vyre.GateSecret{Item: s.Item, Header: c, Prefix: s.Prefix}
	}
	return nil
}

// validName reports whether a header can have this name: a token of RFC 9110.
func validName(s string) bool {
	return s != "" && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// validValue reports whether a header can have this value: printable ASCII and tabs.
func validValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') })
}

// target reads the URL of an act. Nothing is resolved: an agent's words reach no name
// server before a person has seen them.
func target(text string, private bool) (*url.URL, error) {
	u, err := url.Parse(text)
	bad := func(why string) (*url.URL, error) { return nil, vyre.Invalid("target", "%s", why) }
	switch {
	case len(text) > 4096 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return bad("an address of printable ASCII, at most 4096 bytes; a host name outside ASCII in its xn-- form")
	case err != nil || u.Hostname() == "" || u.Opaque != "":
		return bad("an absolute address, https://…")
	case u.User != nil:
		return bad("it has a name or a password in it: a credential comes from the vault")
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return bad("a fragment never goes out: leave it away")
	case u.Scheme != "https" && u.Scheme != "http":
		return bad("https, or http to this machine")
	}
	here, near := place(u.Hostname())
	if u.Scheme == "http" && !here {
		return bad("plain http goes to this machine only (127.0.0.1, ::1, localhost)")
	}
	if (here || near) && !private {
		return nil, vyre.Invalid("options.private", "this address is on this machine or its network: the act must say so with private = true")
	}
	if addr, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]")); err == nil && never(addr.Unmap()) {
		return bad("nothing is sent to this address")
	}
	return u, nil
}

// place says whether a host as it is written is this machine, or near: on its network.
func place(host string) (here, near bool) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true, true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false, strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || !strings.Contains(host, ".")
	}
	addr = addr.Unmap()
	return addr.IsLoopback(), !public(addr)
}

// Ranges that are not the public network, beside those that netip knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// public reports whether an address is one of the public network.
func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// never reports whether an address is reached by no act.
func never(a netip.Addr) bool {
	return !a.IsValid() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || a == netip.MustParseAddr("fd00:ec2::254")
}
