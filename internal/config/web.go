package config

import (
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"

	"vyre"
)

// Web is the table [web]: a door of the page for other machines.
type Web struct {
	Listen  string   `toml:"listen" check:"text" of:"an address and a port" default:"" doc:"Where the page is for other machines, as address:port (100.64.0.7:443, 0.0.0.0:8443). Always https, and always behind sign-in. Unset: this machine alone."`
	Names   []string `toml:"names" check:"text" of:"a list of host names" doc:"The host names that it answers to, and no others. Passkeys go by name: each name has its own."`
	Cert    string   `toml:"cert" check:"text" of:"an absolute path" default:"" doc:"A certificate for the names, as a file of PEM (absolute path). It is read again when it changes."`
	Key     string   `toml:"key" check:"text" of:"an absolute path" default:"" doc:"Its private key, as a file of PEM (absolute path)."`
	Tailnet string   `toml:"tailnet" check:"text" of:"off, on or an absolute path" default:"off" doc:"off; or on: the certificate of the local tailnet daemon, and only nodes of the tailnet that are a user's are let as far as the sign-in. An absolute path is the daemon's socket."`
}

// TailnetSocket is where the tailnet daemon listens on Linux.
const TailnetSocket = "/var/run/tailscale/tailscaled.sock"

// Socket is the tailnet daemon's socket, or empty where it is off.
func (w Web) Socket() string {
	switch w.Tailnet {
	case "off", "":
		return ""
	case "on":
		return TailnetSocket
	}
	return w.Tailnet
}

// hostName is a name as certificates have it: lower case, with a dot, no address.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// check holds the table together: a door for others has a name and a certificate, or
// it is not opened.
func (w Web) check() error {
	if w.Tailnet != "off" && w.Tailnet != "on" && !filepath.IsAbs(w.Tailnet) {
		return vyre.Invalid("web.tailnet", "must be off, on or an absolute path")
	}
	for _, f := range []struct{ key, path string }{{"web.cert", w.Cert}, {"web.key", w.Key}} {
		if f.path != "" && !filepath.IsAbs(f.path) {
			return vyre.Invalid(f.key, "must be an absolute path")
		}
	}
	if (w.Cert == "") != (w.Key == "") {
		return vyre.Invalid("web.cert", "a certificate and its key go together")
	}
	if w.Listen == "" {
		if len(w.Names) > 0 || w.Cert != "" || w.Socket() != "" {
			return vyre.Invalid("web.listen", "the rest of [web] needs an address").WithHint("Such as listen = \"0.0.0.0:8443\".")
		}
		return nil
	}
	if !address(w.Listen) {
		return vyre.Invalid("web.listen", "must be an address and a port, like 0.0.0.0:8443")
	}
	if len(w.Names) == 0 {
		return vyre.Invalid("web.names", "a door for other machines needs a name").WithHint("The name that the certificate is for.")
	}
	for _, n := range w.Names {
		if len(n) > 253 || !hostName.MatchString(n) {
			return vyre.Invalid("web.names", "%q is no full host name in lower case", n).WithHint("Passkeys need a name; they don't work on addresses.")
		}
	}
	if (w.Cert == "") == (w.Socket() == "") {
		return vyre.Invalid("web.cert", "a door for other machines needs one certificate").
			WithHint("Name cert and key, or set tailnet = \"on\"; not both. Without https nothing is opened.")
	}
	return nil
}

// address reports whether s is a numeric address with a port.
func address(s string) bool {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return false
	}
	_, bad := netip.ParseAddr(host)
	n, err := strconv.ParseUint(port, 10, 16)
	return bad == nil && err == nil && strconv.FormatUint(n, 10) == port
}
